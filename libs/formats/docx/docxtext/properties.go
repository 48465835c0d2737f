package docxtext

import (
	"context"
	"strings"
	"time"

	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/docx"
)

// Properties holds metadata of a document.
type Properties struct {
	// Title is the title, or "" if there is none.
	Title string
	// Created is the creation time that the document claims, or the zero time if it
	// states none.
	Created time.Time
	// GUID is the ID assigned by Word, in braces as in the file: "{3C1A…}". It is "" if
	// there is none; Word before version 2013 assigns none.
	GUID string
}

const (
	// maxTitle bounds the title, in bytes; a longer one is cut off. maxGUID bounds the
	// GUID, which has 38 bytes; a longer one is ignored.
	maxTitle = 32 << 10
	maxGUID  = 64

	// corePropertiesType is the relationship type of the core properties. Strict
	// documents use the same type or the second one.
	corePropertiesType       = "http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties"
	corePropertiesTypeStrict = "http://purl.oclc.org/ooxml/officeDocument/relationships/metadata/core-properties"
	spaceWord15              = "http://schemas.microsoft.com/office/word/2012/wordml"
	spaceElements            = "http://purl.org/dc/elements/1.1/"
	spaceTerms               = "http://purl.org/dc/terms/"
)

// ReadProperties returns the document's properties. Unreadable parts count as empty. The
// error is as for Read.
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

// coreProperties returns the root of the core properties, or nil if there are none.
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

// elementOf returns the child of e with the given name, or nil if there is none or e is
// nil.
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

// valueOf returns the attribute val of the child of e with the given name.
func valueOf(e *etree.Element, space, tag string) string {
	return strings.TrimSpace(val(elementOf(e, space, tag)))
}

// timeOf parses a W3CDTF time, and returns the zero time for anything else. Times without
// a zone are in UTC.
func timeOf(s string) time.Time {
	for _, format := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04Z07:00", time.DateOnly, "2006-01", "2006"} {
		if t, err := time.Parse(format, s); err == nil {
			return t.UTC()
		}
	}
	return time.Time{}
}
