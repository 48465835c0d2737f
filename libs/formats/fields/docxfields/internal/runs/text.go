package runs

import (
	"strings"

	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/fields/detect"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// Object stands for anything that is not text.
const Object = string(detect.Object)

// Content creates the child elements for a run.
type Content func(run *etree.Element) []*etree.Element

// Text returns the character data of e.
func Text(e *etree.Element) string {
	if len(e.Child) == 1 {
		return e.Text()
	}
	var text strings.Builder
	for _, token := range e.Child {
		if data, ok := token.(*etree.CharData); ok {
			text.WriteString(data.Data)
		}
	}
	return text.String()
}

// SetText makes text the only content of the w:t and preserves white space.
func SetText(t *etree.Element, text string) {
	t.Child = nil
	t.SetText(text)
	t.CreateAttr("xml:space", "preserve")
}

// Append appends text to a run.
func Append(run *etree.Element, text string) {
	for _, e := range elements(run, text) {
		run.AddChild(e)
	}
}

// Written returns the content for the text: lines are separated by w:br, and tabs are
// w:tab. Characters that XML does not allow are dropped.
func Written(text string) Content {
	text = Clean(text)
	return func(run *etree.Element) []*etree.Element { return elements(run, text) }
}

// elements returns the elements for the text in a run. As in Word, line breaks and tabs
// are elements.
func elements(run *etree.Element, text string) []*etree.Element {
	var made []*etree.Element
	for text != "" {
		at := strings.IndexAny(text, "\n\t")
		if at < 0 {
			at = len(text)
		}
		if at > 0 {
			t := wml.New(run, "t")
			SetText(t, text[:at])
			made = append(made, t)
		}
		if at == len(text) {
			break
		}
		tag := "br"
		if text[at] == '\t' {
			tag = "tab"
		}
		made = append(made, wml.New(run, tag))
		text = text[at+1:]
	}
	return made
}

// Clean returns the text with "\n" as line break and without characters that XML does not
// allow.
func Clean(s string) string {
	s = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u2028", "\n", "\u2029", "\n").Replace(s)
	return strings.Map(func(c rune) rune {
		if c < ' ' && c != '\n' && c != '\t' || c == 0xFFFE || c == 0xFFFF {
			return -1
		}
		return c
	}, strings.ToValidUTF8(s, "\uFFFD"))
}
