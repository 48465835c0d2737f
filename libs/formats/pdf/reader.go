package pdf

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/rectohq/recto/libs/formats/pdf/typeset"
	"github.com/rectohq/recto/libs/sandbox"
)

// Reader reads, renders and fills PDF files. It is safe for concurrent use.
type Reader struct {
	cfg     Config
	log     *slog.Logger
	ctx     context.Context // ends when Close is called
	close   context.CancelFunc
	turns   chan struct{}
	running sync.WaitGroup

	// full and bare keep processes with and without PDFium.
	full, bare reserve
	// used keeps processes with PDFium that have read a file.
	used  used
	cache cache
}

// reserve keeps idle processes ready, which have seen no file. It starts them when the first
// one is needed.
type reserve struct {
	bare    bool // the processes have no PDFium
	warm    chan warmed
	keepers sync.Once
}

// warmed is a process that is ready, or the error of its start.
type warmed struct {
	p   *process
	err error
}

var errClosed = errors.New("the PDF reader is closed")

// NewReader returns a Reader. It starts no process until one is needed. Without
// Config.Pages it neither reads whole files nor lists their pages.
func NewReader(cfg Config, log *slog.Logger) (*Reader, error) {
	if cfg.Memory < leastMemory || cfg.Memory > maxMemory || cfg.Timeout <= 0 || cfg.Processes < 1 || cfg.Pages < 0 {
		return nil, fmt.Errorf("invalid configuration of the PDF reader: %+v", cfg)
	}
	ctx, cancel := context.WithCancel(context.Background())
	return &Reader{
		cfg: cfg, log: log, ctx: ctx, close: cancel,
		turns: make(chan struct{}, cfg.Processes),
		full:  reserve{warm: make(chan warmed)},
		bare:  reserve{warm: make(chan warmed), bare: true},
		used:  used{wait: maxIdle, again: maxAgain},
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
	r.used.shrink(0)
	r.full.keepers.Do(func() {}) // start no more processes
	r.bare.keepers.Do(func() {})
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

// Read reads the PDF of size bytes in f, which must have text. Within ctx, it waits for a
// free process.
//
// The error is an *Error if the file is at fault; any other is of f, of ctx or of this
// machine.
func (r *Reader) Read(ctx context.Context, f io.ReaderAt, size int64) (*File, error) {
	return r.readText(ctx, f, size, opening{})
}

// ReadAhead is Read for a caller that uses the first pages of a long file before all of them
// are read. If the file has more than the given number of pages, it calls opened with a File
// of these pages while the process reads the others. The content of that File is the
// beginning of what ReadAhead returns, and its properties are the same, except that Signed
// is not known yet. It must not be changed. Config.Timeout includes the time that opened
// takes, and the reading may still fail afterwards.
func (r *Reader) ReadAhead(ctx context.Context, f io.ReaderAt, size int64, pages int, opened func(*File)) (*File, error) {
	handed := false
	return r.readText(ctx, f, size, opening{pages: pages, read: func(first *File) {
		if !handed { // by a process that ended before the last page
			handed = true
			opened(first)
		}
	}})
}

func (r *Reader) readText(ctx context.Context, f io.ReaderAt, size int64, first opening) (*File, error) {
	file, err := r.read(ctx, f, size, first)
	if err == nil && len(file.Words) == 0 {
		return nil, r.refuse(noText)
	}
	return file, err
}

// ReadForm is Read for a caller that needs no text: it also reads a scan, and a form that
// consists of empty fields.
func (r *Reader) ReadForm(ctx context.Context, f io.ReaderAt, size int64) (*File, error) {
	return r.read(ctx, f, size, opening{})
}

func (r *Reader) read(ctx context.Context, f io.ReaderAt, size int64, first opening) (file *File, err error) {
	err = r.do(ctx, request{task: taskRead, file: f, size: size}, func(answer io.Reader) (err error) {
		file, err = receive(answer, r.cfg.Pages, first)
		return err
	})
	return file, err
}

// CountPages returns the number of pages of the PDF of size bytes in f, which
// Config.Pages does not bound. It reads none of the pages, so it is much cheaper than
// Read; Read may still find nothing on them. Its errors are those of Read.
func (r *Reader) CountPages(ctx context.Context, f io.ReaderAt, size int64) (pages int, err error) {
	err = r.do(ctx, request{task: taskCount, file: f, size: size}, func(answer io.Reader) (err error) {
		pages, err = receiveCount(answer)
		return err
	})
	return pages, err
}

// do waits for a free process, sends it the request, and reads the answer with receive.
func (r *Reader) do(ctx context.Context, q request, receive func(io.Reader) error) error {
	switch limit := r.maxSize(); {
	case q.size <= 0:
		return &Error{Reason: "is empty: it has no bytes"}
	case q.size > limit:
		return &Error{Reason: fmt.Sprintf("has %d bytes; the limit for a PDF is %d; split it, or use smaller pictures", q.size, limit)}
	}
	ctx, cancel := r.until(ctx)
	defer cancel()
	select {
	case r.turns <- struct{}{}:
		defer func() { <-r.turns }()
	case <-ctx.Done():
		return r.explain(ctx, ctx.Err())
	}
	return r.explain(ctx, r.perform(ctx, q, receive))
}

// perform has a process perform the request. A process without PDFium starts in a fraction
// of the time. If it cannot read the objects of the file, one with PDFium tries again.
func (r *Reader) perform(ctx context.Context, q request, receive func(io.Reader) error) error {
	if q.bare() {
		if err := r.performIn(ctx, &r.bare, q, receive); !errors.Is(err, errRefused(unreadable)) {
			return err
		}
	}
	return r.performIn(ctx, &r.full, q, receive)
}

// performIn has a process of the reserve perform the request, or one that has read a file of
// the same owner.
func (r *Reader) performIn(ctx context.Context, from *reserve, q request, receive func(io.Reader) error) error {
	owner := ""
	if !from.bare && q.size <= maxReused {
		owner = OwnerOf(ctx)
	}
	if owner != "" {
		if p := r.used.take(ctx, owner); p != nil {
			// Another process tries again: an earlier file may be at fault.
			var ended *unansweredError
			if err := r.performBy(ctx, p, owner, q, receive); !errors.As(err, &ended) {
				return err
			}
		}
	}
	r.used.shrink(r.cfg.Processes - len(r.turns))
	p, err := r.take(ctx, from)
	if err != nil {
		return err
	}
	return r.performBy(ctx, p, owner, q, receive)
}

// performBy has a process perform the request. It keeps the process for the owner, if there is
// one, unless there is an error.
func (r *Reader) performBy(ctx context.Context, p *process, owner string, q request, receive func(io.Reader) error) error {
	kept := false
	defer func() { // also if receive panics
		if !kept {
			p.end()
		}
	}()
	p.files++
	q.parameters.Again = owner != "" && p.files < maxFiles
	begin := time.Now()
	err := r.bounded(ctx, p, q, receive)
	p.worked += time.Since(begin)
	// Files that take long leave too little of the limit on processor time to the next.
	if err == nil && q.parameters.Again && p.worked < r.cfg.Timeout/idle {
		kept = true
		r.used.keep(p, owner)
	}
	return err
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

// take returns a process of the reserve that is ready.
func (r *Reader) take(ctx context.Context, from *reserve) (*process, error) {
	from.keepers.Do(func() {
		for range (r.cfg.Processes + 1) / 2 {
			r.running.Go(func() { r.keepWarm(from) })
		}
	})
	for {
		select {
		case w := <-from.warm:
			switch {
			case w.err != nil: // it may be old, and its cause may have passed
				return r.start(ctx, from.bare)
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

// keepWarm offers one process after another until the Reader is closed. It also offers
// the error of a failed start, so that the next start waits until a caller needs a
// process.
func (r *Reader) keepWarm(in *reserve) {
	for r.ctx.Err() == nil {
		p, err := r.start(r.ctx, in.bare)
		select {
		case in.warm <- warmed{p, err}:
		case <-r.ctx.Done():
			if err == nil {
				p.end()
			}
		}
	}
}

// start starts a process and waits until it is ready. If the start fails, the compiled
// PDFium may be lost or damaged, so start prepares it again before a second attempt.
func (r *Reader) start(ctx context.Context, bare bool) (*process, error) {
	dir, err := r.prepared(ctx, "")
	if err != nil {
		return nil, err
	}
	if bare {
		s := r.settings("")
		s.Bare = true
		return startProcess(ctx, r.cache.box, s, false)
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
		Seconds: uint64(r.cfg.Timeout.Seconds()) + 1, Fonts: r.cfg.FontDirs,
	}
}

// bounded sends the request to process p within the time limit for one file, and explains
// a failure.
func (r *Reader) bounded(ctx context.Context, p *process, q request, receive func(io.Reader) error) error {
	limited, cancel := context.WithTimeout(ctx, r.cfg.Timeout)
	defer cancel()
	err := p.do(limited, q, receive)
	var refused errRefused
	var missing *typeset.MissingError
	var outside *outsideError
	switch {
	case err == nil:
		return nil
	case p.bare && errors.Is(err, errRefused(unreadable)):
		return err
	case errors.As(err, &refused):
		return r.refuse(refusal(refused))
	case errors.As(err, &missing):
		return missing
	case errors.As(err, &outside):
		return outside.err
	case ctx.Err() != nil:
		return ctx.Err()
	case limited.Err() != nil:
		return r.explainTimeout(p, err)
	}
	return r.explainEnd(limited, p, err)
}
