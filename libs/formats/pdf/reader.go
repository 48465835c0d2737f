package pdf

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"

	"github.com/rectohq/recto/libs/sandbox"
)

// Reader reads PDF files. It is safe for concurrent use.
type Reader struct {
	cfg     Config
	log     *slog.Logger
	ctx     context.Context // ends when Close is called
	close   context.CancelFunc
	turns   chan struct{}
	warm    chan warmed
	keepers sync.Once
	running sync.WaitGroup

	cache cache
}

// warmed is a process that is ready, or the error of its start.
type warmed struct {
	p   *process
	err error
}

var errClosed = errors.New("the PDF reader is closed")

// NewReader returns a Reader. It starts no process until one is needed. Without
// Config.Pages it can only count pages.
func NewReader(cfg Config, log *slog.Logger) (*Reader, error) {
	if cfg.Memory < leastMemory || cfg.Memory > maxMemory || cfg.Timeout <= 0 || cfg.Processes < 1 || cfg.Pages < 0 {
		return nil, fmt.Errorf("invalid configuration of the PDF reader: %+v", cfg)
	}
	ctx, cancel := context.WithCancel(context.Background())
	return &Reader{
		cfg: cfg, log: log, ctx: ctx, close: cancel,
		turns: make(chan struct{}, cfg.Processes),
		warm:  make(chan warmed),
		cache: cache{turn: make(chan struct{}, 1)},
	}, nil
}

// Close ends all processes and aborts files that are being read. It must be called only
// once.
func (r *Reader) Close() error {
	r.close()
	for range cap(r.turns) { // wait for running reads, and let no other begin
		r.turns <- struct{}{}
	}
	r.keepers.Do(func() {})    // start no more processes
	r.cache.turn <- struct{}{} // compile nothing more
	r.running.Wait()
	return r.cache.remove()
}

// Prepare compiles PDFium, unless that has been done, so that the first file does not
// wait for it.
func (r *Reader) Prepare(ctx context.Context) error {
	ctx, cancel := r.until(ctx)
	defer cancel()
	_, err := r.prepared(ctx, "")
	return r.explain(ctx, err)
}

// Confinement returns how reading processes are confined. Call it after Prepare or Read
// has succeeded.
func (r *Reader) Confinement() sandbox.Report {
	r.cache.turn <- struct{}{}
	defer func() { <-r.cache.turn }()
	if r.cache.box == nil {
		return sandbox.Report{}
	}
	return r.cache.box.Report()
}

// Read reads the PDF of size bytes in f. Within ctx, it waits for a free process.
//
// The error is an *Error if the file is at fault; any other is of f, of ctx or of this
// machine.
func (r *Reader) Read(ctx context.Context, f io.ReaderAt, size int64) (file *File, err error) {
	err = r.do(ctx, taskRead, f, size, func(answer io.Reader) (err error) {
		file, err = receive(answer, r.cfg.Pages)
		return err
	})
	return file, err
}

// CountPages returns the number of pages of the PDF of size bytes in f, which
// Config.Pages does not bound. It reads none of the pages, so it is much cheaper than
// Read; Read may still find nothing on them. Its errors are those of Read.
func (r *Reader) CountPages(ctx context.Context, f io.ReaderAt, size int64) (pages int, err error) {
	err = r.do(ctx, taskCount, f, size, func(answer io.Reader) (err error) {
		pages, err = receiveCount(answer)
		return err
	})
	return pages, err
}

// do waits for a free process, gives it a task, and reads the answer with receive.
func (r *Reader) do(ctx context.Context, t task, f io.ReaderAt, size int64, receive func(io.Reader) error) error {
	switch limit := r.maxSize(); {
	case size <= 0:
		return &Error{Reason: "is empty: it has no bytes"}
	case size > limit:
		return &Error{Reason: fmt.Sprintf("has %d bytes; the limit for a PDF is %d; split it, or use smaller pictures", size, limit)}
	}
	ctx, cancel := r.until(ctx)
	defer cancel()
	select {
	case r.turns <- struct{}{}:
		defer func() { <-r.turns }()
	case <-ctx.Done():
		return r.explain(ctx, ctx.Err())
	}
	p, err := r.take(ctx)
	if err != nil {
		return r.explain(ctx, err)
	}
	defer p.end()
	return r.explain(ctx, r.bounded(ctx, p, t, f, size, receive))
}

// maxSize is the maximum size of a file, in bytes. The process holds the whole file, and
// needs up to five times as much again for a picture that makes up all of it.
func (r *Reader) maxSize() int64 { return int64(r.cfg.Memory / 8) }

// until returns a copy of ctx that also ends with the Reader.
func (r *Reader) until(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(r.ctx, cancel)
	return ctx, func() { stop(); cancel() }
}

// explain returns the actual cause of an error that occurred under ctx.
func (r *Reader) explain(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case r.ctx.Err() != nil:
		return errClosed
	case ctx.Err() != nil:
		return fmt.Errorf("read a PDF: %w", ctx.Err())
	}
	return err
}

// take returns a process that is ready.
func (r *Reader) take(ctx context.Context) (*process, error) {
	r.keepers.Do(r.startKeepers)
	for {
		select {
		case w := <-r.warm:
			switch {
			case w.err != nil: // it may be old, and its cause may have passed
				return r.start(ctx)
			case w.p.ended():
				w.p.end()
				continue
			}
			return w.p, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// startKeepers starts the goroutines that keep processes ready.
func (r *Reader) startKeepers() {
	for range (r.cfg.Processes + 1) / 2 {
		r.running.Go(r.keepWarm)
	}
}

// keepWarm offers one process after another until the Reader is closed. It also offers
// the error of a failed start, so that the next start waits until a caller needs a
// process.
func (r *Reader) keepWarm() {
	for r.ctx.Err() == nil {
		p, err := r.start(r.ctx)
		select {
		case r.warm <- warmed{p, err}:
		case <-r.ctx.Done():
			if err == nil {
				p.end()
			}
		}
	}
}

// start starts a process and waits until it is ready. If the start fails, the compiled
// PDFium may be lost or damaged, so start prepares it again before a second attempt.
func (r *Reader) start(ctx context.Context) (*process, error) {
	dir, err := r.prepared(ctx, "")
	if err != nil {
		return nil, err
	}
	p, err := startProcess(ctx, r.cache.box, r.settings(dir), false)
	if err == nil || ctx.Err() != nil {
		return p, err
	}
	r.log.Warn("a process that reads PDFs did not start; retrying", "error", err)
	if dir, err = r.prepared(ctx, dir); err != nil {
		return nil, err
	}
	return startProcess(ctx, r.cache.box, r.settings(dir), false)
}

func (r *Reader) settings(cacheDir string) settings {
	return settings{
		Cache: cacheDir, Memory: r.cfg.Memory, Pages: r.cfg.Pages,
		Seconds: uint64(r.cfg.Timeout.Seconds()) + 1,
	}
}

// bounded runs the task in process p within the time limit for one file, and explains a
// failure.
func (r *Reader) bounded(ctx context.Context, p *process, t task, f io.ReaderAt, size int64, receive func(io.Reader) error) error {
	limited, cancel := context.WithTimeout(ctx, r.cfg.Timeout)
	defer cancel()
	err := p.do(limited, t, f, size, receive)
	var refused errRefused
	var source *sourceError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &refused):
		return r.refuse(refusal(refused))
	case errors.As(err, &source):
		return source.err
	case ctx.Err() != nil:
		return ctx.Err()
	case limited.Err() != nil:
		return r.explainTimeout(p, err)
	}
	return r.explainEnd(limited, p, err)
}

// idle determines the least processor time, a fraction 1/idle of the timeout, that a
// process gets unless something other than the file holds it up.
const idle = 10

// explainTimeout returns the reason why a process did not finish in time.
func (r *Reader) explainTimeout(p *process, err error) error {
	p.end()
	if took := p.took(); took < r.cfg.Timeout/idle {
		return fmt.Errorf("a process that reads PDFs got only %s of processor time in %s: %w", took, r.cfg.Timeout, err)
	}
	return &Error{Reason: fmt.Sprintf("takes longer than %s to read; save it again with another program, or split it", r.cfg.Timeout), Err: err}
}

// explainEnd returns the reason why a process ended early or sent an invalid answer.
func (r *Reader) explainEnd(ctx context.Context, p *process, err error) error {
	killed := p.killed(ctx, err)
	p.end()
	if killed { // as the kernel does when the machine runs out of memory
		return fmt.Errorf("a process that reads PDFs was killed: %w", err)
	}
	reason := "is damaged: reading it failed; save it again with another program"
	if strings.Contains(p.said(), "out of memory") { // the message of the Go runtime
		reason = "needs more memory than the limit for one file; save it again with another program, or split it"
	}
	return &Error{Reason: reason, Err: fmt.Errorf("%w; the process ended with %v: %s", err, p.state(), p.said())}
}

// refuse returns the error for a refusal.
func (r *Reader) refuse(why refusal) *Error {
	switch why {
	case encrypted:
		return &Error{Reason: "is encrypted; remove its password first"}
	case tooMany:
		return &Error{Reason: fmt.Sprintf("has more than %d pages; split it", r.cfg.Pages)}
	case tooLong:
		return &Error{Reason: "has more text than can be read; split it"}
	case noPages:
		return &Error{Reason: "has no pages; export it again from the program that made it"}
	case lostPage:
		return &Error{Reason: "is damaged: some of its pages are missing; export it again from the program that made it, or upload the whole file"}
	case noText:
		return &Error{Reason: "has no text; if it is a scan, send a copy with a text layer"}
	}
	return &Error{Reason: "is damaged or not a PDF: it cannot be opened; export it again from the program that made it"}
}
