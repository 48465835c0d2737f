package tabstop

import (
	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/docx"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

const (
	// maxStyles bounds the size of the styles part, in bytes, and maxStyleTags its
	// markup. A part over a bound is ignored.
	maxStyles    = 8 << 20
	maxStyleTags = 200_000
	// maxBased bounds the length of a chain of styles based on each other.
	maxBased = 32
)

// Styles holds the paragraph styles. A nil *Styles has none.
type Styles struct {
	pkg *docx.Package
	// usual is the document default, on which all styles are based.
	usual Layout
	// language is the language of text that has none of its own.
	language string
	// named maps IDs to style elements, and usualID is the ID of the default paragraph
	// style.
	named   map[string]*etree.Element
	usualID string
	// known caches the layouts of styles.
	known map[string]Layout
}

// NewStyles returns the styles of the package. They are read when the first one is
// needed, because few documents need them.
func NewStyles(pkg *docx.Package) *Styles { return &Styles{pkg: pkg} }

// find finds the styles of the document. If there are none, or they are unreadable, only
// the paragraphs' own tab stops count.
func (s *Styles) find() {
	s.usual, s.named, s.known = Layout{Size: defaultSize}, map[string]*etree.Element{}, map[string]Layout{}
	relations, err := s.pkg.Relationships(s.pkg.Main())
	if err != nil {
		return
	}
	for _, r := range relations {
		if !r.IsOf("styles") || r.External {
			continue
		}
		if p, ok := s.pkg.Part(r.Target); ok && p.Size <= maxStyles {
			if tree, _, err := docx.ReadTree(p, maxStyleTags); err == nil {
				s.read(tree.Root())
			}
		}
		return
	}
}

// read reads the root of the part.
func (s *Styles) read(root *etree.Element) {
	for _, e := range root.ChildElements() {
		switch {
		case wml.Is(e, "docDefaults"):
			run := wml.Child(wml.Child(e, "rPrDefault"), "rPr")
			s.usual = s.usual.with(wml.Child(wml.Child(e, "pPrDefault"), "pPr")).Sized(run)
			s.language = wml.Val(wml.Child(run, "lang"))
		case wml.Is(e, "style"):
			id, _ := wml.Attr(e, "styleId")
			if kind, _ := wml.Attr(e, "type"); kind != "paragraph" || id == "" {
				continue
			}
			s.named[id] = e
			if v, _ := wml.Attr(e, "default"); v == "1" || v == "true" || v == "on" {
				s.usualID = id
			}
		}
	}
}

// Language returns the language of text that has none of its own, such as "de-DE", or "" if
// the document sets none.
func (s *Styles) Language() string {
	if s == nil {
		return ""
	}
	if s.known == nil {
		s.find()
	}
	return s.language
}

// Of returns the layout of a paragraph with the properties, which may be nil.
func (s *Styles) Of(properties *etree.Element) Layout {
	if s == nil {
		return Layout{Size: defaultSize}.with(properties)
	}
	if s.known == nil {
		s.find()
	}
	id := wml.Val(wml.Child(properties, "pStyle"))
	if s.named[id] == nil {
		id = s.usualID
	}
	return s.style(id, maxBased).with(properties)
}

// style returns the layout of a style. It follows at most depth basedOn links.
func (s *Styles) style(id string, depth int) Layout {
	if l, ok := s.known[id]; ok {
		return l
	}
	e := s.named[id]
	if e == nil || depth == 0 {
		return s.usual
	}
	l := s.style(wml.Val(wml.Child(e, "basedOn")), depth-1)
	l = l.with(wml.Child(e, "pPr")).Sized(wml.Child(e, "rPr"))
	s.known[id] = l
	return l
}
