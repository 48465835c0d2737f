package pdf

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/rectohq/recto/libs/formats/layout"
)

// ErrNoPage means that a file has no page with this number.
var ErrNoPage = errors.New("the file has no such page")

// Limits of Render, in pixels.
const (
	MaxRenderWidth  = 4000
	MaxRenderPixels = 32_000_000
)

// Pages returns the sizes of all pages of the PDF of size bytes in f. Its errors are those
// of Read.
func (r *Reader) Pages(ctx context.Context, f io.ReaderAt, size int64) (pages []PageSize, err error) {
	err = r.do(ctx, request{task: taskSizes, file: f, size: size}, func(answer io.Reader) (err error) {
		pages, err = receiveSizes(answer, r.cfg.Pages)
		return err
	})
	return pages, err
}

// Render writes a page, which counts from 1, as a PNG of the given width in pixels to w. It
// includes annotations and form fields. The PNG is narrower where the page is so high that
// it would exceed MaxRenderPixels, or a smaller number if Config.Memory is small.
//
// Its errors are those of Read, ErrNoPage, and those of w. After an error, w may have
// received a part of the PNG. Config.Timeout includes the time that w takes.
func (r *Reader) Render(ctx context.Context, f io.ReaderAt, size int64, page, width int, w io.Writer) error {
	switch {
	case page < 1:
		return ErrNoPage
	case width < 1 || width > MaxRenderWidth:
		return fmt.Errorf("a page cannot be %d pixels wide; the limits are 1 and %d", width, MaxRenderWidth)
	}
	q := request{task: taskRender, parameters: parameters{Page: page, Width: width}, file: f, size: size, begun: new(bool)}
	return r.do(ctx, q, func(answer io.Reader) error { return receivePicture(answer, width, sink{w, q.begun}) })
}

// PageText is the text of one page.
type PageText struct {
	PageSize
	Text string
	// Words have spans of Text.
	Words []layout.Word
}

// Words returns the text of a page, which counts from 1, and the position of each word, as
// Read does. A page may have none. Its errors are those of Read, and ErrNoPage.
func (r *Reader) Words(ctx context.Context, f io.ReaderAt, size int64, page int) (text *PageText, err error) {
	if page < 1 {
		return nil, ErrNoPage
	}
	q := request{task: taskWords, parameters: parameters{Page: page}, file: f, size: size}
	err = r.do(ctx, q, func(answer io.Reader) (err error) {
		text, err = receiveWords(answer, page)
		return err
	})
	return text, err
}
