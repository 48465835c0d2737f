package docx

import (
	"context"
	"errors"
	"io"
)

// Check reads all parts to their ends. Those of XML go through the scanner,
// which refuses DOCTYPEs and entities, encodings other than UTF-8 and UTF-16,
// what is cut off or not nested, and what exceeds the limits of depth,
// attributes and names. Of the others the sizes and checksums are checked.
//
// No more than Limits.TotalBytes are unpacked: Open has added up what the parts
// declare, and no part yields more than that. Nothing is kept in memory.
//
// The error is an *Error at the first flaw, the cause of ctx if that ends, and
// otherwise of the package's reader.
func (p *Package) Check(ctx context.Context) error {
	block := make([]byte, textBuffer)
	for _, part := range p.parts {
		if err := part.check(ctx, block); err != nil {
			return err
		}
	}
	return nil
}

// check reads the part to its end, through the block.
func (p *Part) check(ctx context.Context, block []byte) error {
	// Programs leave empty parts of XML behind, which Word's users never see.
	// The main part is none that may be empty.
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
