package docxtext

import (
	"context"
	"encoding/xml"
	"errors"
	"io"
	"strconv"

	"github.com/rectohq/recto/libs/formats/docx"
)

// space is a namespace that the package distinguishes. Strict and transitional namespaces
// are the same.
type space uint8

const (
	other space = iota
	word
	compatibility
	math
)

// spaceOf returns the namespace with the URI.
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
	// shown is the name as written in paths. WordprocessingML elements always have the
	// prefix w; others have the prefix used in the part.
	shown string
}

// is reports whether n is the WordprocessingML element called tag.
func (n name) is(tag string) bool { return n.space == word && n.tag == tag }

// element is an element that has not ended yet.
type element struct {
	name
	xml.StartElement
	// index counts siblings of the same name, from 1.
	index int
	// counts holds the number of children so far, by name.
	counts map[string]int
	// path is the path of the element, or "" until it is needed.
	path string
	// hides holds the namespace prefixes that the element redeclares, with their earlier
	// URIs.
	hides [][2]string
}

// attribute returns an attribute without a namespace or in the namespace of the element.
func (e *element) attribute(key string) (string, bool) {
	for _, a := range e.Attr {
		if a.Name.Local == key && a.Name.Space != "xmlns" && (a.Name.Space == "" || a.Name.Space == e.Name.Space || e.Name.Space == "") {
			return a.Value, true
		}
	}
	return "", false
}

// val returns the attribute w:val, or "" if there is none.
func (e *element) val() string {
	v, _ := e.attribute("val")
	return v
}

// on reports whether an on/off element turns its property on.
func (e *element) on() bool {
	v, given := e.attribute("val")
	return !given || v != "0" && v != "false" && v != "off"
}

// visitor receives the elements of a part in document order. open holds the open
// elements, the root first; the visitor must not change or keep it.
type visitor interface {
	// start is called when the last element of open begins. An error ends the walk; its
	// text completes a sentence that begins with "The file".
	start(open []element) error
	// characters is called for character data in the last element.
	characters(open []element, data []byte)
	// end is called when the last element ends.
	end(open []element)
}

// walker reads the elements of a part.
type walker struct {
	visitor visitor
	open    []element
	// uris maps prefixes to namespaces, and names caches resolved names.
	uris  map[string]string
	names map[xml.Name]name
	root  map[string]int
}

// everyTokens is the number of tokens between checks of the context.
const everyTokens = 4096

// walk passes the elements of the part to v. The error is as for Read.
func walk(ctx context.Context, part *docx.Part, v visitor) error {
	body := part.OpenXML()
	defer body.Close()
	in := &source{Reader: body}
	d := xml.NewDecoder(in)
	d.CharsetReader = func(_ string, input io.Reader) (io.Reader, error) { return input, nil } // it is already UTF-8
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

// source reads a part and keeps any error other than io.EOF.
type source struct {
	io.Reader
	err error
}

func (s *source) Read(b []byte) (int, error) {
	n, err := s.Reader.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n, err
}

// errorFor returns the error to report when parsing the part returned err. An error of
// the reader is more specific, or is not the file's fault.
func (s *source) errorFor(part *docx.Part, err error) error {
	if s.err != nil {
		return s.err
	}
	if much := excess(""); errors.As(err, &much) {
		return &docx.Error{Part: part.Name, Reason: string(much)}
	}
	return &docx.Error{Part: part.Name, Reason: "has an XML part that is not well-formed", Err: err}
}

// errUnpaired is the cause when an end tag does not match its start tag.
var errUnpaired = errors.New("an end tag does not match its start tag")

// token handles a token.
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

// maxNames bounds the distinct names among an element's children. Word has a few hundred
// element names.
const maxNames = 10_000

// excess is a limit that a document exceeds. It completes a sentence that begins with
// "The file".
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
		return excess("has an element with too many different child elements")
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

// declares returns the namespace prefix that an attribute declares, "" for the default
// namespace.
func declares(a xml.Attr) (prefix string, ok bool) {
	if a.Name.Space == "xmlns" {
		return a.Name.Local, true
	}
	return "", a.Name.Space == "" && a.Name.Local == "xmlns"
}

// nameOf resolves a name in the current scope.
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
// "/w:document[1]/w:body[1]/w:p[3]". It caches the paths of paragraphs, because their
// content needs them again.
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
