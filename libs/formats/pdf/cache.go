package pdf

import (
	"context"
	"errors"
	"os"

	"github.com/rectohq/recto/libs/sandbox"
)

// cache holds the folder of the compiled PDFium, and the sandbox of all processes.
type cache struct {
	turn      chan struct{}    // a lock on the other fields
	box       *sandbox.Sandbox // set once, before the first process starts
	ready     bool
	dir       string // "" if each process must compile PDFium
	temporary string
}

// remove removes the temporary folder, if there is one.
func (c *cache) remove() error {
	dir := c.temporary
	if dir == "" {
		return nil
	}
	c.temporary = ""
	return os.RemoveAll(dir)
}

// prepared returns the folder that holds the compiled PDFium, or "" if no folder can be
// used. The first caller compiles PDFium while the others wait. failed is a folder that
// did not work for the caller, or ""; if it is still the current folder, PDFium is
// compiled again.
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

// compile compiles PDFium into CacheDir or, if that cannot be used, into a temporary
// folder.
func (r *Reader) compile(ctx context.Context) (string, error) {
	if dir := r.cfg.CacheDir; dir != "" {
		err := compileInto(ctx, r.cache.box, dir, r.settings(dir))
		if err == nil || ctx.Err() != nil {
			return dir, err
		}
		r.log.Warn("cannot keep the compiled PDFium; it will be compiled at each start", "folder", dir, "error", err)
	}
	err := r.cache.remove() // an earlier one that did not work
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
	r.log.Warn("no folder for the compiled PDFium; it will be compiled for each file", "error", err)
	p, err := startProcess(ctx, r.cache.box, r.settings(""), false)
	if err != nil {
		return "", err // the folder is not the problem
	}
	p.end()
	return "", nil
}

// compileInto compiles PDFium into the folder unless it is already there. Only this
// process may write to the folder, and it reads no PDF.
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
