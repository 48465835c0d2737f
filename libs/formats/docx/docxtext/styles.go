package docxtext

import (
	"errors"
	"strings"

	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/docx"
)

const (
	// maxPart bounds the size, in bytes, of the parts that hold styles, numbering and
	// properties, and maxTags their markup. A part over a bound is ignored.
	maxPart = 8 << 20
	maxTags = 200_000
	// maxBased bounds the length of a chain of styles based on each other.
	maxBased = 32
	// bodyLevel is the w:outlineLvl of body text.
	bodyLevel = 9
)

// styles holds paragraph and numbering styles.
type styles struct {
	named map[string]style
	// usual is the ID of the default paragraph style.
	usual string
	known map[string]resolved
}

// style is a w:style as written.
type style struct {
	name, based string
	// heading is the heading level that the name implies, or 0.
	heading int
	properties
}

// resolved is the effective result of a paragraph's own properties and its styles.
type resolved struct {
	// shown is the name of the style, or "" for the default style.
	shown string
	// lister is the ID of the style that sets the numbering, or "".
	lister string
	// level is the heading level, from 1, or 0 for other paragraphs.
	level int
	// number is the w:numId, or 0 for none. indent is the w:ilvl, or -1 if it is not set.
	number, indent int
}

// related returns the root of the part to which the main part has a relationship of the
// kind. It is nil if there is no such part, or if the part is unreadable: documents are
// readable without it.
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

// readRoot returns the root of a part, or nil if the part is unreadable.
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

// headingNamed returns the level in a style name such as "heading 2", which Word uses in
// every language, or 0 for another name.
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

// of returns the effective properties of a paragraph.
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

// style returns the effective properties of a style. It follows at most depth basedOn
// links.
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

// with returns r overridden by p. heading is the level that the name of a style implies.
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
