package htmltext

import (
	"strconv"
	"strings"
)

// list holds the state of an ordered or unordered list.
type list struct {
	// style is the marker style: a CSS list-style-type.
	style string
	next  int
	step  int
}

// styles maps the values of the type attribute of lists.
var styles = map[string]string{"1": "decimal", "a": "lower-alpha", "A": "upper-alpha", "i": "lower-roman", "I": "upper-roman"}

// newList returns the list of a start tag.
func newList(t tag) *list {
	l := &list{style: "disc", next: 1, step: 1}
	if t.name == "ol" {
		l.style = "decimal"
		if style, ok := styles[t.attributes["type"]]; ok {
			l.style = style
		}
		if n, err := strconv.Atoi(t.attributes["start"]); err == nil {
			l.next = n
		}
		if _, reversed := t.attributes["reversed"]; reversed {
			l.step = -1
		}
	}
	for _, property := range []string{"list-style-type", "list-style"} {
		if style := t.style(property); style != "" {
			l.style = strings.ReplaceAll(style, "-latin", "-alpha")
		}
	}
	return l
}

// marker returns the marker of an item.
func (l *list) marker(t tag) string {
	if n, err := strconv.Atoi(t.attributes["value"]); err == nil {
		l.next = n
	}
	n := l.next
	l.next += l.step
	switch l.style {
	case "none":
		return ""
	case "decimal":
		return strconv.Itoa(n) + ". "
	case "lower-alpha":
		return alphabetic(n) + ". "
	case "upper-alpha":
		return strings.ToUpper(alphabetic(n)) + ". "
	case "lower-roman":
		return strings.ToLower(roman(n)) + ". "
	case "upper-roman":
		return roman(n) + ". "
	}
	return "• "
}

// alphabetic returns n as a, b, …, z, aa, …, or in digits if n has no such form.
func alphabetic(n int) string {
	if n < 1 {
		return strconv.Itoa(n)
	}
	const letters = 26
	var b []byte
	for ; n > 0; n = (n - 1) / letters {
		b = append([]byte{byte('a' + (n-1)%letters)}, b...)
	}
	return string(b)
}

// roman returns n as a Roman numeral, or in digits if n has no such form.
func roman(n int) string {
	if n < 1 || n > 3999 {
		return strconv.Itoa(n)
	}
	var b strings.Builder
	for _, sign := range []struct {
		value int
		text  string
	}{
		{1000, "M"}, {900, "CM"}, {500, "D"}, {400, "CD"}, {100, "C"}, {90, "XC"}, {50, "L"}, {40, "XL"}, {10, "X"}, {9, "IX"}, {5, "V"}, {4, "IV"}, {1, "I"},
	} {
		for ; n >= sign.value; n -= sign.value {
			b.WriteString(sign.text)
		}
	}
	return b.String()
}
