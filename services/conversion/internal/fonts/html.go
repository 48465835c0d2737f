package fonts

import (
	"io"
	"strings"
)

// maxDeclaration is the maximum length of a property and its value in CSS, in bytes.
const maxDeclaration = 1000

// scanHTML finds the fonts of HTML and SVG: those of style attributes, style elements, font
// elements and font-family attributes. Of a list, only the first font is asked for.
func scanHTML(r io.Reader, found *names) {
	m := newMarkup(r)
	for {
		tag, ok := m.next()
		if !ok {
			return
		}
		element := strings.ToLower(string(tagName(tag)))
		eachAttribute(tag, func(_, name, value string) {
			switch name = strings.ToLower(name); {
			case name == "style":
				scanCSS(value, found)
			case name == "font-family", name == "face" && element == "font":
				found.add(firstFamily(value))
			}
		})
		switch {
		case element == "style" && !strings.HasSuffix(string(tag), "/"):
			scanCSS(string(m.raw("style")), found)
		case element == "script" && !strings.HasSuffix(string(tag), "/"):
			m.raw("script")
		}
	}
}

// scanCSS finds the fonts of font-family and font. It looks for these properties only, and
// accepts any other text.
func scanCSS(css string, found *names) {
	for len(css) > 0 {
		at := indexFold(css, "font")
		if at < 0 {
			return
		}
		start := at == 0 || strings.ContainsRune(" \t\r\n;{\"'/", rune(css[at-1]))
		css = css[at+len("font"):]
		// The bounds keep the time in proportion to the length of the text.
		property, value, ok := strings.Cut(css[:min(len(css), maxDeclaration)], ":")
		if !ok || !start {
			continue
		}
		if end := strings.IndexAny(value, ";}!"); end >= 0 {
			value = value[:end]
		}
		switch strings.ToLower(strings.TrimSpace(property)) {
		case "-family":
			found.add(firstFamily(value))
		case "":
			found.add(shorthandFamily(value))
		}
	}
}

// indexFold returns the index of the first word in text, in any letter case. The word is in
// lower case.
func indexFold(text, word string) int {
	for i := 0; i+len(word) <= len(text); i++ {
		if text[i]|0x20 == word[0] && strings.EqualFold(text[i:i+len(word)], word) {
			return i
		}
	}
	return -1
}

// shorthandFamily returns the first font in a value such as "bold 12pt/1.5 Arial, serif",
// or "". The font follows the size, which begins with a digit.
func shorthandFamily(value string) string {
	fields := strings.Fields(value)
	for i, field := range fields {
		if c := field[0]; (c == '.' || '0' <= c && c <= '9') && strings.ContainsAny(field, "abcdefghijklmnopqrstuvwxyz%") {
			rest := fields[i+1:]
			if len(rest) > 1 && rest[0] == "/" {
				rest = rest[2:]
			}
			return firstFamily(strings.Join(rest, " "))
		}
	}
	return ""
}
