package docxtext

import (
	"context"
	"strings"
	"time"

	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/docx"
)

// Properties are what a document says of itself.
type Properties struct {
	// Title is "" if it has none.
	Title string
	// Created is when it was made by its own account, zero if it does not say.
	Created time.Time
	// GUID is the id that Word has given it, as the file has it, in braces:
	// "{3C1A…}"; "" for none. Words before 2013 give none.
	GUID string
}

const (
	// maxTitle bounds the title, in bytes: what is more is cut off. maxGUID bounds the
	// GUID, which has 38: a longer one is none.
	maxTitle = 32 << 10
	maxGUID  = 64

	// corePropertiesType is the type of the relationship to the core properties.
	// Strict documents have the same, or the second one.
	corePropertiesType       = "http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties"
	corePropertiesTypeStrict = "http://purl.oclc.org/ooxml/officeDocument/relationships/metadata/core-properties"
	spaceWord15              = "http://schemas.microsoft.com/office/word/2012/wordml"
	spaceElements            = "http://purl.org/dc/elements/1.1/"
	spaceTerms               = "http://purl.org/dc/terms/"
)

// ReadProperties returns what the document says of itself. Parts that cannot be
// read say nothing. The error is as that of Read.
func ReadProperties(ctx context.Context, p *docx.Package) (Properties, error) {
	var found Properties
	if ctx.Err() != nil {
		return found, context.Cause(ctx)
	}
	settings, err := related(p, "settings")
	if err != nil {
		return found, err
	}
	if guid := valueOf(settings, spaceWord15, "docId"); len(guid) <= maxGUID {
		found.GUID = guid
	}
	core, err := coreProperties(p)
	if core == nil || err != nil {
		return found, err
	}
	if e := elementOf(core, spaceElements, "title"); e != nil {
		found.Title = shortened(strings.TrimSpace(e.Text()), maxTitle)
	}
	if e := elementOf(core, spaceTerms, "created"); e != nil {
		found.Created = timeOf(strings.TrimSpace(e.Text()))
	}
	return found, nil
}

// coreProperties returns the root of the core properties, nil if there are none.
func coreProperties(p *docx.Package) (*etree.Element, error) {
	relationships, err := p.Relationships(nil)
	if err != nil {
		return nil, err
	}
	for _, rel := range relationships {
		part, ok := p.Part(rel.Target)
		if (rel.Type == corePropertiesType || rel.Type == corePropertiesTypeStrict) && !rel.External && ok {
			return readRoot(part)
		}
	}
	return nil, nil
}

// elementOf returns the child of e of the name, nil if there is none or e is nil.
func elementOf(e *etree.Element, space, tag string) *etree.Element {
	if e == nil {
		return nil
	}
	for _, c := range e.ChildElements() {
		if c.Tag == tag && c.NamespaceURI() == space {
			return c
		}
	}
	return nil
}

// valueOf returns the attribute val of the child of e of the name.
func valueOf(e *etree.Element, space, tag string) string {
	return strings.TrimSpace(val(elementOf(e, space, tag)))
}

// timeOf returns a time in a format of W3CDTF, the zero time for anything else.
// Times without a zone are in UTC.
func timeOf(s string) time.Time {
	for _, format := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04Z07:00", time.DateOnly, "2006-01", "2006"} {
		if t, err := time.Parse(format, s); err == nil {
			return t.UTC()
		}
	}
	return time.Time{}
}
