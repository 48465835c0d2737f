package docxtext

import (
	"errors"
	"strings"

	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/docx"
)

const (
	// maxPart bounds the parts of styles, of numbers and of properties that are
	// read, in bytes, and maxTags their markup; a larger one is as if it were not
	// there.
	maxPart = 8 << 20
	maxTags = 200_000
	// maxBased is how many styles can be based on each other.
	maxBased = 32
	// bodyLevel is the w:outlineLvl of what is no heading.
	bodyLevel = 9
)

// styles are those of paragraphs and of lists.
type styles struct {
	named map[string]style
	// usual is the id of the one of paragraphs that name none.
	usual string
	known map[string]resolved
}

// style is a w:style as it is written.
type style struct {
	name, based string
	// heading is the level that its name says, 0 for none.
	heading int
	properties
}

// resolved is what holds for a paragraph, from its own properties and its styles.
type resolved struct {
	// shown is the name of its style, "" for the usual one.
	shown string
	// lister is the id of the style that says the number, "" for none.
	lister string
	// level is that of a heading, from 1, 0 for none.
	level int
	// number is the w:numId, 0 for none, and indent the w:ilvl, -1 if nothing says.
	number, indent int
}

// related returns the root of the part that the main one has a relationship of the
// kind to. It is nil if there is none, or none that can be read: documents are
// readable without.
func related(p *docx.Package, kind string) (*etree.Element, error) {
	relationships, err := p.Relationships(p.Main())
	if err != nil {
		return nil, err
	}
	for _, rel := range relationships {
		if part, ok := p.Part(rel.Target); rel.IsOf(kind) && !rel.External && ok {
			return readRoot(part)
		}
	}
	return nil, nil
}

// readRoot returns the root of a part, nil if it cannot be read.
func readRoot(part *docx.Part) (*etree.Element, error) {
	if part.Size > maxPart {
		return nil, nil
	}
	tree, _, err := docx.ReadTree(part, maxTags)
	if refusal := new(docx.Error); errors.As(err, &refusal) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return tree.Root(), nil
}

// readStyles reads the styles of the document.
func readStyles(p *docx.Package) (*styles, error) {
	s := &styles{named: map[string]style{}, known: map[string]resolved{}}
	root, err := related(p, "styles")
	if root == nil {
		return s, err
	}
	for _, e := range root.ChildElements() {
		id := value(e, "styleId")
		if kind := value(e, "type"); !isWord(e, "style") || id == "" || kind != "paragraph" && kind != "numbering" {
			continue
		}
		made := style{name: val(child(e, "name")), based: val(child(e, "basedOn")), properties: propertiesOf(child(e, "pPr"))}
		made.heading = headingNamed(made.name)
		s.named[id] = made
		if d := value(e, "default"); value(e, "type") == "paragraph" && (d == "1" || d == "true" || d == "on") {
			s.usual = id
		}
	}
	return s, nil
}

// headingNamed returns the level of "heading 2", as Word names these styles in
// every language, 0 for another name.
func headingNamed(name string) int {
	rest, ok := strings.CutPrefix(strings.ToLower(name), "heading ")
	if !ok || len(rest) != 1 || rest < "1" || rest > "9" {
		return 0
	}
	return int(rest[0] - '0')
}

// propertiesOf reads a w:pPr, which may be nil.
func propertiesOf(e *etree.Element) properties {
	var p properties
	numPr := child(e, "numPr")
	for _, to := range []struct {
		at **int
		e  *etree.Element
	}{{&p.outline, child(e, "outlineLvl")}, {&p.number, child(numPr, "numId")}, {&p.indent, child(numPr, "ilvl")}} {
		if to.e != nil {
			*to.at = number(val(to.e))
		}
	}
	return p
}

// of returns what holds for a paragraph.
func (s *styles) of(p *paragraph) resolved {
	id := p.style
	if _, ok := s.named[id]; !ok {
		id = s.usual
	}
	r := s.style(id, maxBased).with(p.properties, 0)
	if id != s.usual {
		r.shown = s.named[id].name
	}
	return r
}

// style returns what a style says, which is based on at most depth others.
func (s *styles) style(id string, depth int) resolved {
	if r, ok := s.known[id]; ok {
		return r
	}
	r := resolved{indent: -1}
	own, ok := s.named[id]
	if !ok || depth == 0 {
		return r
	}
	r = s.style(own.based, depth-1).with(own.properties, own.heading)
	if own.number != nil {
		r.lister = id
	}
	s.known[id] = r
	return r
}

// with returns what holds with further properties. Heading is the level that the
// name of a style says.
func (r resolved) with(p properties, heading int) resolved {
	switch {
	case p.outline != nil && *p.outline >= 0 && *p.outline < bodyLevel:
		r.level = *p.outline + 1
	case p.outline != nil:
		r.level = 0
	case heading > 0:
		r.level = heading
	}
	if p.number != nil {
		r.number = *p.number
	}
	if p.indent != nil {
		r.indent = *p.indent
	}
	return r
}
