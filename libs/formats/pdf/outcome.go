package pdf

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/rectohq/recto/libs/formats/pdf/form"
	"github.com/rectohq/recto/libs/formats/pdf/typeset"
)

// receiveOne reads a message. The error is an errRefused if the process refused the file.
func receiveOne(r io.Reader) (message, error) {
	m, err := receiveMessage(r)
	if err == nil && m.Refused != "" {
		err = errRefused(m.Refused)
	}
	return m, err
}

// receiveSizes receives the answer to taskSizes. Its errors are those of receive.
func receiveSizes(r io.Reader, maxPages int) ([]PageSize, error) {
	var pages []PageSize
	for {
		m, err := receiveOne(r)
		switch {
		case err != nil:
			return nil, err
		case m.End != nil && len(pages) > 0:
			return pages, nil
		case len(m.Sizes) == 0 || len(pages)+len(m.Sizes) > maxPages:
			return nil, fmt.Errorf("%d pages after %d", len(m.Sizes), len(pages))
		}
		for _, s := range m.Sizes {
			p := PageSize{Width: s[0], Height: s[1], Rotation: int(s[2])}
			if !isLength(p.Width) || !isLength(p.Height) || float64(p.Rotation) != s[2] || !isRotation(p.Rotation) {
				return nil, fmt.Errorf("a page has the size %g", s)
			}
			pages = append(pages, p)
		}
	}
}

// receiveWords receives the answer to taskWords. Its errors are those of receive.
func receiveWords(r io.Reader, page int) (*PageText, error) {
	m, err := receiveOne(r)
	switch {
	case err != nil:
		return nil, err
	case m.Page == nil:
		return nil, errors.New("the answer is not a page")
	}
	a := answer{pages: 1}
	if err := a.addPage(m.Page); err != nil {
		return nil, err
	}
	for i := range a.file.Words {
		a.file.Words[i].Page = page
	}
	return &PageText{
		PageSize: PageSize{Width: m.Page.Width, Height: m.Page.Height, Rotation: m.Page.Rotation},
		Text:     a.text.String(), Words: a.file.Words,
	}, nil
}

// maxPicture bounds the bytes of a PNG: those of its pixels without compression, and some
// for what surrounds them.
const maxPicture = 4*MaxRenderPixels + 1<<20

// receivePicture receives the answer to taskRender, and writes the PNG to w.
func receivePicture(r io.Reader, width int, w io.Writer) error {
	m, err := receiveOne(r)
	switch {
	case err != nil:
		return err
	case !m.Picture:
		return errors.New("the answer is not a picture")
	}
	checked := &pictureWriter{w: w, width: width}
	if _, err := receiveBlob(r, checked, maxPicture); err != nil {
		return err
	}
	return checked.end()
}

// The beginning of a PNG: its signature, the length and the type of the first chunk, and
// the width, the height and the bit depth.
const (
	pngSignature = "\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR"
	pngHeader    = len(pngSignature) + 9
)

// pictureWriter passes a PNG on to w once the dimensions in its header are within the
// limits.
type pictureWriter struct {
	w     io.Writer
	width int
	head  []byte // nil once it has been passed on
	begun bool
}

// Write implements io.Writer.
func (p *pictureWriter) Write(b []byte) (int, error) {
	if p.begun {
		return p.w.Write(b)
	}
	p.head = append(p.head, b...)
	if len(p.head) < pngHeader {
		return len(b), nil
	}
	if err := checkHeader(p.head, p.width); err != nil {
		return 0, err
	}
	head := p.head
	p.head, p.begun = nil, true
	if _, err := p.w.Write(head); err != nil {
		return 0, err
	}
	return len(b), nil
}

// end returns an error if the picture has no header.
func (p *pictureWriter) end() error {
	if !p.begun {
		return fmt.Errorf("a picture of %d bytes", len(p.head))
	}
	return nil
}

// checkHeader checks the beginning of a PNG that should be at most width pixels wide.
func checkHeader(head []byte, width int) error {
	rest, ok := bytes.CutPrefix(head, []byte(pngSignature))
	if !ok {
		return errors.New("the picture is not a PNG")
	}
	w, h := uint64(binary.BigEndian.Uint32(rest)), uint64(binary.BigEndian.Uint32(rest[4:]))
	if w < 1 || h < 1 || w > uint64(width) || w*h > MaxRenderPixels || rest[8] != 8 {
		return fmt.Errorf("the picture is %d by %d pixels", w, h)
	}
	return nil
}

// receiveFilled receives the answer to taskFill, and writes the filled file to w.
func receiveFilled(r io.Reader, q request, limit int64, w io.Writer) (Filled, error) {
	m, err := receiveOne(r)
	switch {
	case err != nil:
		return Filled{}, err
	case m.Missing != 0 && utf8.ValidRune(m.Missing):
		return Filled{}, &typeset.MissingError{Rune: m.Missing}
	case m.Filled == nil || m.Filled.Size < 0 || m.Filled.Size > limit || m.Filled.Whole && m.Filled.Size == 0:
		return Filled{}, errors.New("the answer is not a filled file")
	}
	filled := Filled{Size: m.Filled.Size, Calculations: m.Filled.Calculations}
	if filled.Illegible, err = fieldsAt(q.parameters.Order.Values, m.Filled.Illegible); err != nil {
		return Filled{}, err
	}
	if !m.Filled.Whole {
		filled.Size += q.size
		if err := sendExactly(w, io.NewSectionReader(q.file, 0, q.size), q.size, "file"); err != nil {
			return Filled{}, err
		}
	}
	n, err := receiveBlob(r, w, m.Filled.Size)
	if err == nil && n != m.Filled.Size {
		err = fmt.Errorf("%d bytes of %d", n, m.Filled.Size)
	}
	return filled, err
}

// fieldsAt returns the fields of the values with these indices, which ascend.
func fieldsAt(values []form.Value, indices []int) (fields []string, err error) {
	last := -1
	for _, i := range indices {
		if i <= last || i >= len(values) {
			return nil, fmt.Errorf("value %d of %d", i, len(values))
		}
		fields, last = append(fields, values[i].Field), i
	}
	return fields, nil
}
