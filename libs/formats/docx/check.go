package docx

import (
	"context"
	"errors"
	"io"
	"strings"
)

// optional holds the content types of parts that a document can be shown without (ECMA-376,
// part 1, 15.2).
var optional = map[string]bool{
	"application/vnd.openxmlformats-officedocument.theme+xml":                        true,
	"application/vnd.openxmlformats-officedocument.themeoverride+xml":                true,
	"application/vnd.openxmlformats-officedocument.extended-properties+xml":          true,
	"application/vnd.openxmlformats-officedocument.custom-properties+xml":            true,
	"application/vnd.openxmlformats-package.core-properties+xml":                     true,
	"application/vnd.openxmlformats-officedocument.customxmlproperties+xml":          true,
	"application/vnd.openxmlformats-officedocument.wordprocessingml.websettings+xml": true,
	"application/vnd.openxmlformats-officedocument.wordprocessingml.fonttable+xml":   true,
	"application/vnd.ms-word.styleswitheffects+xml":                                  true,
	"application/vnd.openxmlformats-officedocument.wordprocessingml.printersettings": true,
}

// Check reads every part to its end. XML parts go through the scanner, which refuses
// DOCTYPEs and entities, encodings other than UTF-8 and UTF-16, truncated or wrongly
// nested markup, and text that exceeds the limits on depth, attributes or names. For
// other parts, and for those that a document can be shown without, it verifies size and
// checksum; Repair scans the latter.
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

// Repair returns a copy of the package in which parts that a document can be shown without,
// such as its theme, are empty if they are not sound XML. It returns nil if all are sound.
// Word shows such documents; LibreOffice does not. The error is the cause of ctx, or one of
// the package's reader.
func (p *Package) Repair(ctx context.Context) (*Edit, error) {
	var repaired *Edit
	block := make([]byte, textBuffer)
	for _, part := range p.parts {
		if !part.optional() {
			continue
		}
		err := part.read(ctx, part.OpenXML, block)
		var damaged *Error
		switch {
		case errors.As(err, &damaged):
			if repaired == nil {
				repaired = NewEdit(p)
			}
			repaired.Replace(part, []byte("<empty/>"))
		case err != nil:
			return nil, err
		}
	}
	return repaired, nil
}

// optional reports whether a document can be shown without the part.
func (p *Part) optional() bool { return p.XML && optional[strings.ToLower(p.ContentType)] }

// check reads the part to its end, using block as its buffer.
func (p *Part) check(ctx context.Context, block []byte) error {
	// Some programs leave empty XML parts behind, which Word ignores. Only the main part
	// must not be empty.
	open := p.Open
	if p.XML && (p.Size > 0 || p == p.pkg.main) && !p.optional() {
		open = p.OpenXML
	}
	return p.read(ctx, open, block)
}

// read reads what open returns to its end, using block as its buffer.
func (p *Part) read(ctx context.Context, open func() io.ReadCloser, block []byte) error {
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
