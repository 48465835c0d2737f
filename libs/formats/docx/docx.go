// Package docx reads Office Open XML word-processing files. It decides which untrusted
// files are admitted. Open checks a package's directory, names and sizes against Limits
// before it unpacks anything; parts never yield more bytes than they declare; and XML
// read through OpenXML has passed the scanner.
//
// Parts are found as the Open Packaging Conventions (ISO/IEC 29500-2) require: by
// relationships and content types, never by their names. Nothing is written to disk, and
// external targets are never followed.
//
// The package reads the ZIP container itself. archive/zip reads the whole directory
// before its entries can be counted, and accepts containers that two readers interpret as
// different files, so the content checked here might not be the content that LibreOffice
// or Word opens. A fuzz test verifies that archive/zip finds the same content in every
// admitted file. Parts are edited in place, because libraries for Word documents drop
// content controls and everything else they do not know when they write a file.
package docx

import (
	"io"
	"slices"
	"strings"
	"sync"
)

// Kind is one of the four kinds of WordprocessingML package.
type Kind string

// The kinds of package. The content type of the main part decides, not the file's name.
const (
	Document      Kind = "DOCX"
	Template      Kind = "DOTX"
	MacroDocument Kind = "DOCM"
	MacroTemplate Kind = "DOTM"
)

// Package is an opened file. It is immutable, and safe for concurrent use if its reader
// is.
type Package struct {
	r       io.ReaderAt
	limits  Limits
	entries []*entry
	parts   []*Part
	byKey   map[string]*Part
	main    *Part
	kind    Kind
	// strict reports whether relationships have the types of strict documents.
	strict    bool
	inflaters sync.Pool // of inflater
}

// Open reads the directory, the content types and the package relationships of the file
// of size bytes in r. Everything else is read from r later, so r must stay open.
//
// The error is an *Error if the file is damaged, exceeds a limit, or is not a
// WordprocessingML package; any other error is from r. An admitted file can still hold
// damaged or forbidden XML, which Check detects.
func Open(r io.ReaderAt, size int64, limits Limits) (*Package, error) {
	p := &Package{r: source{r}, limits: limits}
	entries, err := readEntries(p.r, size, limits)
	if err != nil {
		return nil, err
	}
	if err := p.addParts(entries); err != nil {
		return nil, err
	}
	if err := p.readContentTypes(); err != nil {
		return nil, err
	}
	if err := p.checkIndexes(); err != nil {
		return nil, err
	}
	if err := p.findMain(); err != nil {
		return nil, err
	}
	return p, nil
}

// addParts creates the parts from the entries. Folders are not parts.
func (p *Package) addParts(entries []*entry) error {
	p.entries = entries
	p.byKey = make(map[string]*Part, len(entries))
	for _, e := range entries {
		if e.folder {
			continue
		}
		if twin, ok := p.byKey[e.key]; ok {
			return refuse(e.name, "holds the part %s twice (the other one is called %s)", shown(e.name), shown(twin.Name))
		}
		part := &Part{Name: e.name, Size: e.size, entry: e, pkg: p}
		p.parts = append(p.parts, part)
		p.byKey[e.key] = part
	}
	return p.checkDerived()
}

// checkDerived refuses parts whose names continue the name of another part, such as
// "a.xml/b.png". That makes "a.xml" both a file and a folder, and readers disagree on
// which one it is.
func (p *Package) checkDerived() error {
	for _, part := range p.parts {
		key := part.entry.key
		for i, c := range key {
			if c != '/' {
				continue
			}
			if parent, ok := p.byKey[key[:i]]; ok {
				return refuse(part.Name, "holds the part %s below %s, which is also a part", shown(part.Name), shown(parent.Name))
			}
		}
	}
	return nil
}

// checkIndexes checks the sizes that depend on the purpose of a part, which is known only
// after the content types have been read.
func (p *Package) checkIndexes() error {
	for _, part := range p.parts {
		switch {
		case isRelationships(part.entry.key) && part.Size > p.limits.IndexBytes:
			return refuse(part.Name, "has a list of relationships (%s) of more than %s", shown(part.Name), amount(p.limits.IndexBytes))
		case part.XML && part.Size > p.limits.XMLBytes:
			return refuse(part.Name, "has an XML part (%s) of more than %s", shown(part.Name), amount(p.limits.XMLBytes))
		}
	}
	return nil
}

// findMain finds the main part through the package relationships. It refuses two
// different main parts, because programs disagree on which one to show.
func (p *Package) findMain() error {
	relationships, err := p.Relationships(nil)
	if err != nil {
		return err
	}
	for _, rel := range relationships {
		if !rel.IsOf("officeDocument") {
			continue
		}
		part, err := p.mainTarget(rel)
		if err != nil {
			return err
		}
		if p.main != nil && p.main != part {
			return refuse(part.Name, "names two main parts, %s and %s", shown(p.main.Name), shown(part.Name))
		}
		p.main = part
		p.strict = strings.HasPrefix(rel.Type, strictRelationships)
	}
	if p.main == nil {
		return refuse("", "is not a Word document: its relationships name no main part")
	}
	p.kind = kindOf(p.main.ContentType)
	if p.kind == "" {
		return refuse(p.main.Name, "is not a Word document: its main part, %s, has the content type %q", shown(p.main.Name), shown(p.main.ContentType))
	}
	return nil
}

// mainTarget returns the part that rel names as the main part.
func (p *Package) mainTarget(rel Relationship) (*Part, error) {
	if rel.External {
		return nil, refuse("", "has a main part outside of the file")
	}
	part, ok := p.Part(rel.Target)
	if !ok {
		return nil, refuse(rel.Target, "lacks its main part, %s", shown(rel.Target))
	}
	return part, nil
}

// kindOf returns the kind of a package whose main part has the content type, or "" if it
// is not WordprocessingML.
func kindOf(contentType string) Kind {
	switch mediaType(contentType) {
	case "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml":
		return Document
	case "application/vnd.openxmlformats-officedocument.wordprocessingml.template.main+xml":
		return Template
	case "application/vnd.ms-word.document.macroenabled.main+xml":
		return MacroDocument
	case "application/vnd.ms-word.template.macroenabledtemplate.main+xml":
		return MacroTemplate
	}
	return ""
}

// Kind returns the kind of the package.
func (p *Package) Kind() Kind { return p.kind }

// Main returns the main part, which holds the body of the document.
func (p *Package) Main() *Part { return p.main }

// Parts returns all parts in directory order. They include [Content_Types].xml and the
// relationship parts, which a copy of the package needs too.
func (p *Package) Parts() []*Part { return slices.Clone(p.parts) }

// Part returns the part with the name, for example "word/document.xml". Letter case, a
// leading slash and percent-encoding make no difference.
func (p *Package) Part(name string) (*Part, bool) {
	part, ok := p.byKey[keyOf(strings.TrimPrefix(name, "/"))]
	return part, ok
}

// TextParts returns the parts with text that readers see: the main part, headers,
// footers, footnotes and endnotes, each once. They are found through relationships;
// missing and empty ones are left out. The error is as for Part.Open.
func (p *Package) TextParts() ([]*Part, error) {
	relationships, err := p.Relationships(p.main)
	if err != nil {
		return nil, err
	}
	parts := []*Part{p.main}
	for _, kind := range []string{"header", "footer", "footnotes", "endnotes"} {
		for _, rel := range relationships {
			if rel.External || !rel.IsOf(kind) {
				continue
			}
			if part, ok := p.Part(rel.Target); ok && part.Size > 0 && !slices.Contains(parts, part) {
				parts = append(parts, part)
			}
		}
	}
	return parts, nil
}
