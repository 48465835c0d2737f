package pdf

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/rectohq/recto/libs/sandbox"
)

// settings are passed to a process when it starts.
type settings struct {
	// Bare leaves PDFium out.
	Bare bool `json:"bare"`
	// Cache is the folder of the compiled PDFium, or "" for none.
	Cache string `json:"cache"`
	// Memory is Config.Memory.
	Memory uint64 `json:"memory"`
	// Pages is the maximum number of pages of a file.
	Pages int `json:"pages"`
	// Seconds is the limit on processor time for reading, per processor.
	Seconds uint64 `json:"seconds"`
	// Fonts are the folders of the fonts.
	Fonts []string `json:"fonts"`
}

const (
	// maxSaid is how much of a process's output is kept for the log.
	maxSaid = 512
	// openFiles is enough for a Go program and the cache.
	openFiles = 64
	// maxCacheFile bounds the compiled PDFium, which has about 20 MB.
	maxCacheFile = 256 << 20
	// cpuFactor allows for concurrent work of the Go runtime. The limit on processor time
	// is a last resort: the timeout ends a process long before.
	cpuFactor = 4
)

// process is a child process, which works on one file at a time.
type process struct {
	bare    bool          // it has no PDFium
	files   int           // how many it has worked on
	worked  time.Duration // how long that took
	cmd     *exec.Cmd
	kill    context.CancelFunc
	in      *os.File
	out     *bufio.Reader
	outFile *os.File
	done    chan struct{} // closed when the process has ended
	output  string        // its output, once it has ended
}

// startProcess starts a process and waits until it is ready. The process outlives ctx; it
// runs until end is called. If fill is set it may write to its cache.
func startProcess(ctx context.Context, box *sandbox.Sandbox, s settings, fill bool) (*process, error) {
	raw, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	alive, kill := context.WithCancel(context.WithoutCancel(ctx))
	cmd, err := box.Command(alive, policy(s, self, fill), []string{"PATH=/none"}, self, childName, string(raw))
	if err != nil {
		kill()
		return nil, err
	}
	p := &process{bare: s.Bare, cmd: cmd, kill: kill, done: make(chan struct{})}
	if err := p.start(); err != nil {
		kill()
		return nil, fmt.Errorf("start a process that reads PDFs: %w", err)
	}
	if err := p.awaitReady(ctx, startTimeout); err != nil {
		p.end()
		return nil, fmt.Errorf("a process that reads PDFs did not start: %w; it ended with %v: %s", err, p.state(), p.said())
	}
	return p, nil
}

// policy returns the sandbox policy of a process. The process may execute this program, and
// read the cache and the fonts.
func policy(s settings, self string, fill bool) sandbox.Policy {
	data, space := bounds(s.Memory)
	p := sandbox.Policy{
		// A program linked with C needs its loader and libraries.
		Execute:    []string{self, "/lib", "/lib64", "/usr/lib", "/usr/lib64"},
		Data:       data,
		Memory:     space,
		CPUSeconds: startCPU + s.Seconds*cpuFactor,
		OpenFiles:  openFiles,
		Read:       slices.Clone(s.Fonts),
	}
	switch {
	case fill:
		p.Write, p.FileSize = []string{s.Cache}, maxCacheFile
	case s.Cache != "":
		p.Read = append(p.Read, s.Cache)
	}
	return p
}

// start starts the process with pipes to it.
func (p *process) start() error {
	childIn, in, err := os.Pipe()
	if err != nil {
		return err
	}
	out, childOut, err := os.Pipe()
	if err != nil {
		closeAll(childIn, in)
		return err
	}
	said := &sandbox.Output{Limit: maxSaid}
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = childIn, childOut, said
	err = p.cmd.Start()
	closeAll(childIn, childOut)
	if err != nil {
		closeAll(in, out)
		return err
	}
	p.in, p.outFile, p.out = in, out, bufio.NewReaderSize(out, 64<<10)
	go func() {
		defer close(p.done)
		_ = p.cmd.Wait() // the result is in its state
		p.output = strings.ToValidUTF8(strings.TrimSpace(said.String()), "\uFFFD")
	}()
	return nil
}

func closeAll(files ...*os.File) {
	for _, f := range files {
		f.Close()
	}
}

// awaitReady waits for the ready byte. The process is killed if it does not come in time.
func (p *process) awaitReady(ctx context.Context, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	defer context.AfterFunc(ctx, p.kill)()
	b, err := p.out.ReadByte()
	switch {
	case err != nil:
		return errors.Join(err, ctx.Err())
	case b != ready:
		return fmt.Errorf("it sent %q instead of the ready byte", b)
	}
	return nil
}

// ended reports whether the process has ended.
func (p *process) ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// killed reports whether the process was killed from outside, which no file can cause,
// and err is the resulting end of its pipes.
func (p *process) killed(ctx context.Context, err error) bool {
	if !isEnd(err) {
		return false // it is still running, and its answer is invalid
	}
	select {
	case <-p.done:
	case <-ctx.Done():
		return false
	}
	state := p.state()
	if state == nil {
		return false
	}
	status, ok := state.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}

// end kills the process, if it is still running, and waits for it.
func (p *process) end() {
	p.kill()
	<-p.done
	closeAll(p.in, p.outFile)
}

// state and said return how a process ended, and its output, for logs.
func (p *process) state() *os.ProcessState { return p.cmd.ProcessState }
func (p *process) said() string            { return p.output }

// took returns the processor time of a process that has ended.
func (p *process) took() time.Duration {
	state := p.state()
	if state == nil {
		return 0
	}
	return state.UserTime() + state.SystemTime()
}
