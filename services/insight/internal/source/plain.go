package source

import (
	"context"
	"fmt"
	"io"

	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/formats/filetype"
	"github.com/rectohq/recto/libs/problem"
)

// maxPlain is the maximum size of a file that ReadPlain reads, in bytes.
const maxPlain = 32 << 20

// ReadPlain returns the text of the first readable file of a stored document, and that
// file. It converts nothing, so it reads plain text, web pages, Word documents in XML and
// PDF. The text is the one that Reading.Plain returns for this file.
//
// A *problem.Error with code InvalidRequest says why there is no such file, or why it cannot
// be read like this.
func (r *Reader) ReadPlain(ctx context.Context, files []documentapi.Content) (documentapi.Content, string, error) {
	for _, file := range files {
		if file.Fault != "" {
			continue
		}
		text, readable, err := r.readPlain(ctx, file)
		if readable || err != nil {
			return file, text, err
		}
	}
	return documentapi.Content{}, "", problem.New(problem.InvalidRequest, "The document has no text, web page, Word document or PDF.")
}

// readPlain returns the text of a file. A file that is not readable has no text by its
// type, such as a picture: the conversion service passes over it too.
func (r *Reader) readPlain(ctx context.Context, file documentapi.Content) (text string, readable bool, err error) {
	if file.Size > maxPlain {
		return "", false, refuse(file.Name, fmt.Sprintf("has %d bytes; the limit is %d", file.Size, maxPlain))
	}
	reading := &Reading{reader: r}
	defer reading.Close()
	f, size, err := reading.fetch(ctx, file.Key, file.Name)
	if err != nil {
		return "", false, err
	}
	kind, err := filetype.Detect(f, size)
	if err != nil {
		return "", false, fault(file.Name, err)
	}
	page := kind == filetype.Text && filetype.OfName(file.Name) == filetype.HTML
	switch {
	case !kind.Matches(file.Name) && !page:
		return "", false, nil
	case kind == filetype.DOC || kind == filetype.ODT || kind == filetype.RTF:
		return "", false, refuse(file.Name, "must be converted to be read")
	case kind == filetype.Text:
		text, err = pageText(file, f)
	case kind == filetype.PDF:
		text, err = r.plainPDF(ctx, opened{f, size})
	case kind.IsWord():
		text, err = plainWord(ctx, opened{f, size})
	default:
		return "", false, nil
	}
	return text, true, fault(file.Name, err)
}

// plainPDF returns the text of a PDF.
func (r *Reader) plainPDF(ctx context.Context, f opened) (string, error) {
	file, err := r.PDF.Read(ctx, f.File, f.size)
	if err != nil {
		return "", err
	}
	return file.Text, nil
}

// plainWord returns the text of a Word document.
func plainWord(ctx context.Context, f opened) (string, error) {
	_, text, err := openWord(ctx, f)
	if err != nil {
		return "", err
	}
	return text.Text, nil
}

// Plain returns the text of the document and the file that it is from. The text of a text
// file is the file itself, not that of its PDF, which has page breaks and page numbers.
func (r *Reading) Plain() (documentapi.Content, string) {
	if r.kind == filetype.Text && r.original.File != nil {
		text, err := pageText(r.file, io.NewSectionReader(r.original, 0, r.original.size))
		if err == nil {
			return r.file, text
		}
	}
	return r.file, r.Text.Text
}
