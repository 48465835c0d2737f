package detect

import "strings"

// The empty and the ticked box of parentheses without room to spare.
const (
	emptyParentheses  = "( )"
	tickedParentheses = "(X)"
)

// nearBox is how many paragraphs away another box may be.
const nearBox = 3

// choosesInParentheses reports whether "(X)" in paragraph i is a ticked box. Usually it is
// the number of a paragraph, unless an empty box of the same shape is near.
func (d *document) choosesInParentheses(i int) bool {
	if !strings.Contains(d.paragraphs[i].Text, tickedParentheses) {
		return false
	}
	for _, p := range d.paragraphs[max(0, i-nearBox):min(len(d.paragraphs), i+nearBox+1)] {
		if strings.Contains(p.Text, emptyParentheses) {
			return true
		}
	}
	return false
}

// tickedAt returns the ticked box of parentheses at start, and whether there is one.
func tickedAt(text string, start int) (mark, bool) {
	return mark{start, start + len(tickedParentheses), true, '('}, strings.HasPrefix(text[start:], tickedParentheses)
}
