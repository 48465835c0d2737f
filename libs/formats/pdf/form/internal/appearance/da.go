package appearance

import (
	"strconv"
	"strings"

	"github.com/rectohq/recto/libs/formats/pdf/typeset"
)

const (
	// maxDA bounds how much of a default appearance string is read, in bytes.
	maxDA = 4 << 10
	// maxOperands bounds the operands of one of its operators.
	maxOperands = 8
)

// ParseDA reads a default appearance string, such as "/Helv 12 Tf 0 g". font is the name of
// the font without the slash. The size is 0 for automatic size. The color has 1, 3 or 4
// components, or none if the string sets none. What cannot be understood is ignored.
func ParseDA(da string) (font string, size float64, color []float64) {
	var operands []string
	for token := range tokens(da[:min(len(da), maxDA)]) {
		switch token {
		case "Tf":
			if n := len(operands); n >= 2 && operands[n-2][0] == '/' {
				font, size = unescaped(operands[n-2][1:]), bounded(number(operands[n-1]), 0, maxSize)
			}
		case "g":
			color = components(operands, 1, color)
		case "rg":
			color = components(operands, 3, color)
		case "k":
			color = components(operands, 4, color)
		default:
			if isOperand(token) && len(operands) < maxOperands {
				operands = append(operands, token)
				continue
			}
		}
		operands = nil
	}
	return font, size, color
}

// tokens yields names (with the slash), numbers and operators. Brackets and the delimiters
// of strings are yielded alone, so that they end a list of operands.
func tokens(s string) func(yield func(string) bool) {
	const space, delimiters = "\x00\t\n\f\r ", "()<>[]{}/%"
	return func(yield func(string) bool) {
		for s = strings.TrimLeft(s, space); s != ""; s = strings.TrimLeft(s, space) {
			end := strings.IndexAny(s[1:], space+delimiters) + 1
			switch {
			case s[0] != '/' && strings.IndexByte(delimiters, s[0]) >= 0:
				end = 1
			case end == 0:
				end = len(s)
			}
			if !yield(s[:end]) {
				return
			}
			s = s[end:]
		}
	}
}

// isOperand reports whether a token is a name or a number.
func isOperand(token string) bool {
	return token[0] == '/' || strings.IndexByte("+-.0123456789", token[0]) >= 0
}

// number returns the value of a number, or 0.
func number(token string) float64 {
	v, err := strconv.ParseFloat(token, 64)
	if err != nil {
		return 0
	}
	return v
}

// components returns the color that the last n operands are, or the current one if there
// are fewer.
func components(operands []string, n int, current []float64) []float64 {
	if len(operands) < n {
		return current
	}
	color := make([]float64, n)
	for i, o := range operands[len(operands)-n:] {
		color[i] = bounded(number(o), 0, 1)
	}
	return color
}

// unescaped replaces #xx in a name by the byte.
func unescaped(name string) string {
	head, tail, found := strings.Cut(name, "#")
	if !found {
		return name
	}
	var b strings.Builder
	b.WriteString(head)
	for found {
		var v uint64
		err := strconv.ErrSyntax
		if len(tail) >= 2 {
			v, err = strconv.ParseUint(tail[:2], 16, 8)
		}
		if err == nil {
			b.WriteByte(byte(v))
			tail = tail[2:]
		} else {
			b.WriteByte('#')
		}
		head, tail, found = strings.Cut(tail, "#")
		b.WriteString(head)
	}
	return b.String()
}

// StyleOf returns the style for the PostScript name or resource name of a font, such as
// "ABCDEF+TimesNewRomanPS-BoldMT" or "HeBo".
func StyleOf(name string) typeset.Style {
	if len(name) > 7 && name[6] == '+' {
		name = name[7:]
	}
	switch name { // the names that Acrobat gives in /DR
	case "Helv":
		return typeset.Style{}
	case "HeBo", "HeOb", "HeBO":
		return typeset.Style{Bold: name != "HeOb", Italic: name != "HeBo"}
	case "TiRo", "TiBo", "TiIt", "TiBI":
		return typeset.Style{Serif: true, Bold: name[2] == 'B', Italic: name[3] == 'I' || name[2] == 'I'}
	case "Cour", "CoBo", "CoOb", "CoBO":
		return typeset.Style{Mono: true, Bold: name[2] == 'B', Italic: name[3] == 'O' || name[2] == 'O'}
	}
	name = strings.ToLower(name)
	mono := contains(name, "courier", "mono", "consolas", "menlo", "typewriter", "fixed")
	return typeset.Style{
		Mono:   mono,
		Serif:  !mono && !strings.Contains(name, "sans") && contains(name, "times", "serif", "roman", "georgia", "garamond", "cambria", "minion", "palatino", "bookman", "century", "schoolbook", "baskerville", "caslon"),
		Bold:   contains(name, "bold", "black", "heavy", "demi"),
		Italic: contains(name, "italic", "oblique"),
	}
}

// contains reports whether s contains one of the words.
func contains(s string, words ...string) bool {
	for _, w := range words {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}
