package docxtext

import (
	"context"
	"encoding/xml"
	"errors"
	"io"
	"strconv"

	"github.com/rectohq/recto/libs/formats/docx"
)

// space is a namespace, as far as it matters here. Those of strict documents are
// the same.
type space uint8

const (
	other space = iota
	word
	compatibility
	math
)

// spaceOf returns which namespace a URI is.
func spaceOf(uri string) space {
	switch uri {
	case "http://schemas.openxmlformats.org/wordprocessingml/2006/main", "http://purl.oclc.org/ooxml/wordprocessingml/main":
		return word
	case "http://schemas.openxmlformats.org/markup-compatibility/2006":
		return compatibility
	case "http://schemas.openxmlformats.org/officeDocument/2006/math", "http://purl.oclc.org/ooxml/officeDocument/math":
		return math
	}
	return other
}

// name is the name of an element.
type name struct {
	space space
	tag   string
	// shown is as paths show it: elements of WordprocessingML have the prefix w,
	// whatever the part calls it; others have that of the part.
	shown string
}

// is reports whether it is that of WordprocessingML called tag.
func (n name) is(tag string) bool { return n.space == word && n.tag == tag }

// element is an element whose end was not read yet.
type element struct {
	name
	xml.StartElement
	// index counts the siblings of the same name from 1.
	index int
	// counts are how many children of each name there were.
	counts map[string]int
	// path is that of the element, "" until it is asked for.
	path string
	// hides are the prefixes that it gives another meaning, with the earlier one.
	hides [][2]string
}

// attribute returns an attribute in the namespace of the element, or in none.
func (e *element) attribute(key string) (string, bool) {
	for _, a := range e.Attr {
		if a.Name.Local == key && a.Name.Space != "xmlns" && (a.Name.Space == "" || a.Name.Space == e.Name.Space || e.Name.Space == "") {
			return a.Value, true
		}
	}
	return "", false
}

// val returns the attribute w:val, "" if there is none.
func (e *element) val() string {
	v, _ := e.attribute("val")
	return v
}

// on reports whether an element that stands for a switch turns it on.
func (e *element) on() bool {
	v, given := e.attribute("val")
	return !given || v != "0" && v != "false" && v != "off"
}

// visitor is told of the elements of a part in their order. Open are those that
// have begun, the root first; it is not changed by the visitor, nor kept.
type visitor interface {
	// start is called when the last element of open begins. An error, which
	// completes "The file" to a sentence, ends the walk.
	start(open []element) error
	// characters is called for character data in the last one.
	characters(open []element, data []byte)
	// end is called when the last one ends.
	end(open []element)
}

// walker reads the elements of a part.
type walker struct {
	visitor visitor
	open    []element
	// uris are what prefixes mean, and names what they make of names.
	uris  map[string]string
	names map[xml.Name]name
	root  map[string]int
}

// everyTokens is after how many tokens the context is looked at.
const everyTokens = 4096

// walk lets v see the elements of the part. The error is as that of Read.
func walk(ctx context.Context, part *docx.Part, v visitor) error {
	body := part.OpenXML()
	defer body.Close()
	in := &source{Reader: body}
	d := xml.NewDecoder(in)
	d.CharsetReader = func(_ string, input io.Reader) (io.Reader, error) { return input, nil } // it is UTF-8 already
	w := &walker{visitor: v, uris: map[string]string{}, names: map[xml.Name]name{}, root: map[string]int{}}
	for n := 1; ; n++ {
		if n%everyTokens == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		token, err := d.RawToken()
		if errors.Is(err, io.EOF) && len(w.open) == 0 {
			return nil
		}
		if err == nil {
			err = w.token(token)
		}
		if err != nil {
			return in.errorFor(part, err)
		}
	}
}

// source reads a part, and keeps the error that reading ends with.
type source struct {
	io.Reader
	err error
}

// Read reads the next bytes.
func (s *source) Read(b []byte) (int, error) {
	n, err := s.Reader.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n, err
}

// errorFor returns the error to report where parsing the part gave err: what reading
// it gave says more, or is no fault of the file.
func (s *source) errorFor(part *docx.Part, err error) error {
	if s.err != nil {
		return s.err
	}
	if much := excess(""); errors.As(err, &much) {
		return &docx.Error{Part: part.Name, Reason: string(much)}
	}
	return &docx.Error{Part: part.Name, Reason: "has an XML part that is not well-formed", Err: err}
}

// errUnpaired is the fault of an end tag that ends something else.
var errUnpaired = errors.New("an end tag does not match its start tag")

// token passes a token on.
func (w *walker) token(t xml.Token) error {
	switch t := t.(type) {
	case xml.StartElement:
		return w.start(t)
	case xml.CharData:
		if len(w.open) > 0 {
			w.visitor.characters(w.open, t)
		}
	case xml.EndElement:
		if len(w.open) == 0 || w.open[len(w.open)-1].Name != t.Name {
			return errUnpaired
		}
		w.end()
	}
	return nil
}

// maxNames bounds how many names the children of an element have: Word knows some
// hundred.
const maxNames = 10_000

// excess is what a document has too much of. It completes "The file" to a sentence.
type excess string

func (e excess) Error() string { return string(e) }

// start begins an element.
func (w *walker) start(t xml.StartElement) error {
	e := element{StartElement: t}
	for _, a := range t.Attr {
		if prefix, ok := declares(a); ok {
			e.hides = append(e.hides, [2]string{prefix, w.uris[prefix]})
			w.uris[prefix] = a.Value
		}
	}
	if len(e.hides) > 0 || len(w.names) > maxNames {
		clear(w.names)
	}
	e.name = w.nameOf(t.Name)
	counts := w.root
	if n := len(w.open); n > 0 {
		parent := &w.open[n-1]
		if parent.counts == nil {
			parent.counts = map[string]int{}
		}
		counts = parent.counts
	}
	counts[e.shown]++
	if len(counts) > maxNames {
		return excess("has an element with too many kinds of elements in it")
	}
	e.index = counts[e.shown]
	w.open = append(w.open, e)
	return w.visitor.start(w.open)
}

// end ends the last element.
func (w *walker) end() {
	w.visitor.end(w.open)
	n := len(w.open) - 1
	for _, h := range w.open[n].hides {
		w.uris[h[0]] = h[1]
	}
	if len(w.open[n].hides) > 0 {
		clear(w.names)
	}
	w.open[n] = element{}
	w.open = w.open[:n]
}

// declares returns the prefix that an attribute declares, "" for the default.
func declares(a xml.Attr) (prefix string, ok bool) {
	if a.Name.Space == "xmlns" {
		return a.Name.Local, true
	}
	return "", a.Name.Space == "" && a.Name.Local == "xmlns"
}

// nameOf returns what a name means where it stands.
func (w *walker) nameOf(n xml.Name) name {
	if known, ok := w.names[n]; ok {
		return known
	}
	made := name{space: spaceOf(w.uris[n.Space]), tag: n.Local, shown: n.Local}
	switch {
	case made.space == word:
		made.shown = "w:" + n.Local
	case n.Space != "":
		made.shown = n.Space + ":" + n.Local
	}
	w.names[n] = made
	return made
}

// pathOf returns the path of the last element, for example
// "/w:document[1]/w:body[1]/w:p[3]". Those of paragraphs are kept: what is in them
// needs them again.
func pathOf(open []element) string {
	var buf [512]byte
	path := buf[:0]
	from := 0
	for i := len(open) - 1; i >= 0; i-- {
		if open[i].path != "" {
			path, from = append(path, open[i].path...), i+1
			break
		}
	}
	for i := from; i < len(open); i++ {
		e := &open[i]
		path = append(append(append(path, '/'), e.shown...), '[')
		path = append(strconv.AppendInt(path, int64(e.index), 10), ']')
		if e.is("p") {
			e.path = string(path)
		}
	}
	return string(path)
}
