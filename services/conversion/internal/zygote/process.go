package zygote

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/rectohq/recto/libs/contract/conversionapi"
	"github.com/rectohq/recto/libs/formats/filetype"
	"github.com/rectohq/recto/libs/sandbox"
	"github.com/rectohq/recto/services/conversion/internal/libreoffice"
)

const (
	// startTimeout bounds the start of a zygote, with its samples.
	startTimeout = time.Minute
	// killTimeout bounds the wait for a zygote to report that it killed a copy.
	killTimeout = 5 * time.Second
	// maxOutput is how much of a zygote's output is kept for errors, in bytes.
	maxOutput = 4 << 10
	// zygoteCPU bounds the CPU time of a zygote in seconds, without its copies. Its forks
	// take about 10 ms each.
	zygoteCPU = 3600
	// firstExtra is the descriptor of the first of a command's extra files.
	firstExtra = 3
)

// process is a zygote. One goroutine at a time may use it.
type process struct {
	dir    *folder
	cmd    *exec.Cmd
	stop   context.CancelFunc // kills it
	in     io.WriteCloser
	frames chan frame // closed when it has ended
	said   *sandbox.Output
	ended  chan struct{} // closed when it has ended and its folder is removed

	documents int
	before    int64 // resident memory before the first document, in bytes
	broken    bool  // it cannot convert another document
	retired   bool  // it was ended because it is spent
	record    func(ending)
	missing   func(filetype.Type) string
}

// start starts a zygote in the sandbox, and has it convert the samples. It lives until ctx
// ends or close is called.
func (p *Pool) start(ctx context.Context) (*process, error) {
	dir, err := newFolder(ctx, p.scratch, p.cold)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(ctx)
	z, err := p.launch(ctx, dir, stop)
	if err != nil {
		stop()
		p.scratch.Remove(dir.dir)
		return nil, err
	}
	if err := z.warm(ctx); err != nil {
		z.close()
		<-z.ended
		return nil, fmt.Errorf("%w: %s", err, strings.TrimSpace(z.said.String()))
	}
	return z, nil
}

// launch starts the program in the folder, which the process removes when it ends.
func (p *Pool) launch(ctx context.Context, dir *folder, stop context.CancelFunc) (*process, error) {
	cmd, ruleset, err := p.command(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = ruleset.Close() }()
	z := &process{
		dir: dir, cmd: cmd, stop: stop, frames: make(chan frame), ended: make(chan struct{}),
		said: &sandbox.Output{Limit: maxOutput}, record: p.record, missing: p.cold.Missing,
	}
	cmd.Dir, cmd.Stderr = dir.path(work), z.said
	if z.in, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", p.program, err)
	}
	go z.read(bufio.NewReader(out), p.scratch.Remove)
	return z, nil
}

// command returns the command that runs the program in the sandbox, and the ruleset that it
// inherits for its copies. The caller closes the ruleset.
func (p *Pool) command(ctx context.Context, dir *folder) (*exec.Cmd, *os.File, error) {
	box, err := p.cold.Sandbox(ctx)
	if err != nil {
		return nil, nil, err
	}
	inner, err := sandbox.NewInner(dir.inner(p.cold.Policy(dir.dir)))
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	policy := p.cold.Policy(dir.dir)
	policy.Execute = append(policy.Execute, p.program)
	policy.Fork, policy.CPUSeconds = true, zygoteCPU
	env := append(libreoffice.Environment(dir.dir), "SAL_LOK_OPTIONS=unipoll")
	cmd, err := box.Command(ctx, policy, env, p.program, p.cold.Program(), dir.url("profile"), dir.path("filter"),
		strconv.FormatUint(uint64(inner.Placeholder), 10), strconv.Itoa(libreoffice.CPUSeconds))
	if err == nil {
		err = os.WriteFile(dir.path("filter"), inner.Filter, 0o600)
	}
	if err != nil {
		return nil, nil, errors.Join(err, inner.Ruleset.Close())
	}
	cmd.Args = append(cmd.Args, strconv.Itoa(firstExtra+len(cmd.ExtraFiles)))
	cmd.ExtraFiles = append(cmd.ExtraFiles, inner.Ruleset)
	return cmd, inner.Ruleset, nil
}

// read passes frames on until the zygote ends, and removes its folder.
func (z *process) read(out *bufio.Reader, remove func(dir string)) {
	for {
		f, err := readFrame(out)
		if err != nil {
			break
		}
		z.frames <- f
	}
	close(z.frames)
	z.stop() // it may be alive, but is of no use
	_ = z.cmd.Wait()
	remove(z.dir.dir)
	close(z.ended)
}

// close ends the zygote. It does not wait.
func (z *process) close() {
	z.stop()
	go func() {
		for range z.frames { // lets read see the end
		}
	}()
}

// hasEnded reports whether the zygote has ended.
func (z *process) hasEnded() bool {
	select {
	case <-z.ended:
		return true
	default:
		return false
	}
}

// errEnded means that the zygote ended.
var errEnded = errors.New("the zygote ended")

// next returns the next frame.
func (z *process) next(ctx context.Context) (frame, error) {
	select {
	case f, ok := <-z.frames:
		if !ok {
			return frame{}, errEnded
		}
		return f, nil
	case <-ctx.Done():
		return frame{}, ctx.Err()
	}
}

// convert has a copy convert the file at path. The PDF is beside it, as domain.Engine
// demands. The error tells a person what happened; none is the document's fault for
// certain.
func (z *process) convert(ctx context.Context, path string, t filetype.Type, profile conversionapi.Profile) (pdf string, err error) {
	defer func() {
		if err := z.dir.clear(); err != nil {
			z.broken = true
		}
	}()
	name := filepath.Base(path)
	if err := copyFile(z.dir.path(work, name), path); err != nil {
		return "", err
	}
	z.documents++
	end, err := z.run(ctx, libreoffice.DocumentURL(name), z.dir.url(work, "output.pdf"), loadOptions(t), libreoffice.ExportOptions(profile))
	if err != nil {
		z.broken = true
		return "", err
	}
	z.record(end)
	if err := errors.Join(ctx.Err(), end.err()); err != nil {
		return "", err
	}
	made := z.dir.path(work, "output.pdf")
	if err := libreoffice.Finish(made); err != nil {
		return "", err
	}
	pdf = strings.TrimSuffix(path, filepath.Ext(path)) + ".pdf"
	return pdf, os.Rename(made, pdf)
}

// run has a copy convert in to out, and kills it when ctx ends.
func (z *process) run(ctx context.Context, in, out, load, save string) (ending, error) {
	if err := writeFrame(z.in, frameConvert, in, out, load, save); err != nil {
		return ending{}, fmt.Errorf("%w: %w", errEnded, err)
	}
	f, err := z.next(ctx)
	if err != nil && ctx.Err() != nil {
		if err := writeFrame(z.in, frameKill); err != nil {
			return ending{}, err
		}
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), killTimeout)
		defer cancel()
		f, err = z.next(grace)
	}
	if err != nil {
		return ending{}, err
	}
	if f.kind != frameDone {
		return ending{}, fmt.Errorf("a frame of kind %q is out of order", f.kind)
	}
	return parseEnding(f.payload)
}

// Limits on the use of a zygote.
const (
	maxDocuments = 2000
	maxGrowth    = 64 << 20 // bytes
)

// spent reports whether the zygote has converted enough documents, or has grown too much.
func (z *process) spent() bool {
	return z.documents >= maxDocuments || z.documents%16 == 0 && z.resident()-z.before > maxGrowth
}

// resident returns the resident memory of the zygote in bytes, or 0 if it has ended.
func (z *process) resident() int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", z.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	var size, pages int64
	if _, err := fmt.Sscan(string(text), &size, &pages); err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}
