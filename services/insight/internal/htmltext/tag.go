package htmltext

import (
	"strings"

	"golang.org/x/net/html"
)

// tag is a start tag.
type tag struct {
	name string
	// attributes holds the attributes that matter here.
	attributes map[string]string
}

// maxAttributes is the maximum number of attributes of a tag. The tokenizer's time for a
// tag grows with the largest number of attributes of any tag before it.
const maxAttributes = 1000

// readTag reads the current start tag of tags. The error is ErrTooLong.
func readTag(tags *html.Tokenizer) (tag, error) {
	name, more := tags.TagName()
	t := tag{name: string(name)}
	for n := 0; more; n++ {
		if n == maxAttributes {
			return tag{}, ErrTooLong
		}
		var key, value []byte
		key, value, more = tags.TagAttr()
		switch string(key) {
		case "hidden", "style", "type", "start", "value", "reversed", "open":
			t.add(string(key), string(value))
		}
	}
	return t, nil
}

// add adds an attribute. The first attribute with a name counts.
func (t *tag) add(key, value string) {
	if t.attributes == nil {
		t.attributes = map[string]string{}
	}
	if _, again := t.attributes[key]; !again {
		t.attributes[key] = value
	}
}

// hidden reports whether the element is not shown.
func (t tag) hidden() bool {
	if t.name == "html" || t.name == "body" { // scripts often show these later
		return false
	}
	_, hidden := t.attributes["hidden"]
	_, open := t.attributes["open"]
	return hidden || isUnshown(t.name) || t.name == "dialog" && !open ||
		t.style("display") == "none" || t.style("visibility") == "hidden"
}

// style returns a property from the style attribute, "" if it is not set. The last
// declaration counts.
func (t tag) style(property string) string {
	found := ""
	for declaration := range strings.SplitSeq(t.attributes["style"], ";") {
		name, value, _ := strings.Cut(declaration, ":")
		if strings.EqualFold(strings.TrimSpace(name), property) {
			value, _, _ = strings.Cut(value, "!")
			found = strings.ToLower(strings.TrimSpace(value))
		}
	}
	return found
}

// isVoid reports whether an element has no end tag
// (https://html.spec.whatwg.org/#void-elements).
func isVoid(name string) bool {
	switch name {
	case "area", "base", "br", "col", "embed", "frame", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr":
		return true
	}
	return false
}

// isUnshown reports whether the content of an element is not shown as text.
func isUnshown(name string) bool {
	switch name {
	case "annotation", "annotation-xml", "audio", "canvas", "datalist", "iframe", "map", "noembed", "noframes", "noscript", "object", "rp",
		"script", "select", "style", "svg", "template", "video":
		return true
	}
	return false
}

// breaks returns the number of line ends before and after an element, 0 for inline elements
// (https://html.spec.whatwg.org/#flow-content-3).
func breaks(name string) int {
	switch name {
	case "blockquote", "dl", "fieldset", "figure", "h1", "h2", "h3", "h4", "h5", "h6", "menu", "ol", "p", "pre", "table", "ul":
		return paragraph
	case "address", "article", "aside", "body", "caption", "center", "dd", "details", "dialog", "dir", "div", "dt", "figcaption", "footer",
		"form", "header", "hgroup", "html", "legend", "li", "listing", "main", "nav", "plaintext", "search", "section", "summary",
		"tbody", "td", "tfoot", "th", "thead", "tr", "xmp":
		return 1
	}
	return 0
}

// The element names that the stack is searched for.
var (
	lists      = []string{"ol", "ul", "menu"}
	tables     = []string{"table"}
	cells      = []string{"caption", "table", "td", "th"}
	tableParts = []string{"body", "caption", "html", "table", "tbody", "td", "tfoot", "th", "thead", "tr"}
)

// implied lists the elements that a start tag closes implicitly, unless an element named in
// until is between them.
var implied = map[string]struct{ closes, until []string }{
	"li":    {[]string{"li"}, append([]string{"ol", "ul", "menu"}, cells...)},
	"dt":    {[]string{"dt", "dd"}, append([]string{"dl"}, cells...)},
	"dd":    {[]string{"dt", "dd"}, append([]string{"dl"}, cells...)},
	"td":    {[]string{"td", "th", "caption"}, tables},
	"th":    {[]string{"td", "th", "caption"}, tables},
	"tr":    {[]string{"tr", "caption"}, tables},
	"tbody": {[]string{"tbody", "thead", "tfoot", "tr", "caption"}, tables},
	"thead": {[]string{"tbody", "thead", "tfoot", "tr", "caption"}, tables},
	"tfoot": {[]string{"tbody", "thead", "tfoot", "tr", "caption"}, tables},

	"option":   {[]string{"option"}, []string{"select", "datalist"}},
	"optgroup": {[]string{"option", "optgroup"}, []string{"select"}},
}
