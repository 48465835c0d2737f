package pdf

import (
	"context"
	"errors"
	"os"

	"github.com/rectohq/recto/libs/sandbox"
)

// cache is where the compiled PDFium is, and the sandbox of all processes.
type cache struct {
	turn      chan struct{}    // who holds it may use the rest
	box       *sandbox.Sandbox // set once, before the first process
	ready     bool
	dir       string // "" if each process has to compile
	temporary string
}

// remove removes what was made for the time of the Reader.
func (c *cache) remove() error {
	dir := c.temporary
	if dir == "" {
		return nil
	}
	c.temporary = ""
	return os.RemoveAll(dir)
}

// prepared returns the folder in which PDFium is compiled, "" if there can be
// none. The first caller compiles it, the others wait. It is looked after anew if it
// is the folder failed, which was of no use to the caller.
func (r *Reader) prepared(ctx context.Context, failed string) (string, error) {
	c := &r.cache
	select {
	case c.turn <- struct{}{}:
		defer func() { <-c.turn }()
	case <-ctx.Done():
		return "", ctx.Err()
	}
	if c.ready && (failed == "" || failed != c.dir) {
		return c.dir, nil
	}
	if c.box == nil {
		box, err := sandbox.New(ctx)
		if err != nil {
			return "", err
		}
		c.box = box
	}
	dir, err := r.compile(ctx)
	if err != nil {
		return "", err
	}
	c.ready, c.dir = true, dir
	return dir, nil
}

// compile fills CacheDir or, if that cannot be used, a temporary folder.
func (r *Reader) compile(ctx context.Context) (string, error) {
	if dir := r.cfg.CacheDir; dir != "" {
		err := compileInto(ctx, r.cache.box, dir, r.settings(dir))
		if err == nil || ctx.Err() != nil {
			return dir, err
		}
		r.log.Warn("the compiled PDFium cannot be kept; it is compiled at each start", "folder", dir, "error", err)
	}
	err := r.cache.remove() // one that was of no use
	if err == nil {
		r.cache.temporary, err = os.MkdirTemp("", "recto-pdfium-")
	}
	dir := r.cache.temporary
	if err == nil {
		err = compileInto(ctx, r.cache.box, dir, r.settings(dir))
	}
	if err == nil || ctx.Err() != nil {
		return dir, errors.Join(err, ctx.Err())
	}
	r.log.Warn("there is no folder for the compiled PDFium; it is compiled for each file", "error", err)
	p, err := startProcess(ctx, r.cache.box, r.settings(""), false)
	if err != nil {
		return "", err // it is not for want of a folder
	}
	p.end()
	return "", nil
}

// compileInto compiles PDFium into the folder, if it is not there yet. The process
// that does it is the only one that may write there, and it reads no file.
func compileInto(ctx context.Context, box *sandbox.Sandbox, dir string, s settings) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	p, err := startProcess(ctx, box, s, true)
	if err != nil {
		return err
	}
	p.end()
	return nil
}
