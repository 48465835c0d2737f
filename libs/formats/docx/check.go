package docx

import (
	"context"
	"errors"
	"io"
)

// Check reads every part to its end. XML parts go through the scanner, which refuses
// DOCTYPEs and entities, encodings other than UTF-8 and UTF-16, truncated or wrongly
// nested markup, and text that exceeds the limits on depth, attributes or names. For
// other parts it verifies size and checksum.
//
// Check unpacks at most Limits.TotalBytes: Open has added up the declared sizes, and no
// part yields more than it declares. Nothing is kept in memory.
//
// The error is an *Error at the first flaw, the cause of ctx if ctx ends, or an error of
// the package's reader.
func (p *Package) Check(ctx context.Context) error {
	block := make([]byte, textBuffer)
	for _, part := range p.parts {
		if err := part.check(ctx, block); err != nil {
			return err
		}
	}
	return nil
}

// check reads the part to its end, using block as its buffer.
func (p *Part) check(ctx context.Context, block []byte) error {
	// Some programs leave empty XML parts behind, which Word ignores. Only the main part
	// must not be empty.
	open := p.Open
	if p.XML && (p.Size > 0 || p == p.pkg.main) {
		open = p.OpenXML
	}
	body := open()
	defer body.Close()
	for {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		_, err := body.Read(block)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
