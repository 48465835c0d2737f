// Package docx reads Office Open XML word-processing files. It owns the
// admission of hostile bytes: what Open returns is a package whose directory,
// names and sizes were held against Limits before anything of it was unpacked,
// whose parts yield no more bytes than they declare, and whose XML, as OpenXML
// yields it, went through the scanner.
//
// Parts are found the way the Open Packaging Conventions (ISO/IEC 29500-2) say:
// by relationships and content types, never by what they happen to be called.
// Nothing is written to disk, and no external target is ever followed.
//
// The package reads the ZIP container itself. archive/zip reads the whole directory
// before anybody can count its entries, and accepts containers that two readers take
// for different files: what is checked here would not be what LibreOffice or Word
// opens. A fuzz target holds that archive/zip finds the same content in whatever is
// admitted. Libraries for Word documents drop content controls and what else they do
// not know when they write a file, so the parts are edited in place.
package docx

import (
	"io"
	"slices"
	"strings"
	"sync"
)

// Kind is which of the four kinds of WordprocessingML package a file is.
type Kind string

// The kinds. The content type of the main part decides; the file's name does not.
const (
	Document      Kind = "DOCX"
	Template      Kind = "DOTX"
	MacroDocument Kind = "DOCM"
	MacroTemplate Kind = "DOTM"
)

// Package is an opened file. It does not change, and several goroutines may use
// it at once if they may use its reader at once.
type Package struct {
	r       io.ReaderAt
	limits  Limits
	entries []*entry
	parts   []*Part
	byKey   map[string]*Part
	main    *Part
	kind    Kind
	// strict tells that relationships have the types of strict documents.
	strict    bool
	inflaters sync.Pool // of inflater
}

// Open reads the directory, the content types and the package relationships of
// the file that r holds the size bytes of. Everything else is read later, from
// r, which has to stay open.
//
// The error is an *Error if the file is damaged, exceeds a limit, or is no
// WordprocessingML package; any other error is of r. What Open admits can still
// hold damaged or forbidden XML: Check tells.
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

// addParts makes parts of the entries. Folders are none.
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

// checkDerived refuses parts whose names continue the name of another part, as
// "a.xml/b.png" does: such a name is a file and a folder, and which of the two
// it is depends on the reader.
func (p *Package) checkDerived() error {
	for _, part := range p.parts {
		key := part.entry.key
		for i, c := range key {
			if c != '/' {
				continue
			}
			if parent, ok := p.byKey[key[:i]]; ok {
				return refuse(part.Name, "holds the part %s below %s, which is a part as well", shown(part.Name), shown(parent.Name))
			}
		}
	}
	return nil
}

// checkIndexes checks the sizes that depend on what a part is for, which is
// known once the content types are.
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

// findMain finds the main part through the relationships of the package. Two
// different ones are refused: programs do not agree on which of them is shown.
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

// mainTarget returns the part that rel names as the main one.
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

// kindOf returns what a package with a main part of the content type is, "" if
// it is not WordprocessingML.
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

// Kind returns which kind of package it is.
func (p *Package) Kind() Kind { return p.kind }

// Main returns the main part, which holds the body of the document.
func (p *Package) Main() *Part { return p.main }

// Parts returns all parts in the order of the directory. [Content_Types].xml
// and the relationships are among them, since whoever copies a package has to
// copy these too.
func (p *Package) Parts() []*Part { return slices.Clone(p.parts) }

// Part returns the part of the name, for example "word/document.xml". Letter
// case, a leading slash and percent-encoding make no difference.
func (p *Package) Part(name string) (*Part, bool) {
	part, ok := p.byKey[keyOf(strings.TrimPrefix(name, "/"))]
	return part, ok
}

// TextParts returns the parts that hold text which readers of the document see:
// the main one, headers, footers, footnotes and endnotes, each once. They are
// found by relationships; those that are missing or empty are left out. The
// error is as that of Part.Open.
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
