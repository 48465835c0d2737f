package detect

import (
	"strings"
	"unicode"
)

// leaders returns the tabs of the paragraph whose leader is a fill-in line. Adjacent tabs
// are merged.
func leaders(p *Paragraph) []span {
	var found []span
	for _, m := range p.Marks {
		if m.Look != Ruled && m.Look != Led {
			continue
		}
		if n := len(found); n > 0 && found[n-1].end == m.Start {
			found[n-1].end = m.End
			continue
		}
		before := p.Text[max(0, m.Start-maxLookBehind):m.Start]
		after, _, _ := strings.Cut(p.Text[m.End:], "\n")
		after = strings.TrimLeft(after, "\t")
		if m.Look == Ruled && !leadsToValue(after) || m.Look == Led && leftToWrite(before, after) {
			found = append(found, span{m.Start, m.End})
		}
	}
	return found
}

// leadsToValue reports whether the text after a tab is the target of its leader: a page
// number or an amount.
func leadsToValue(after string) bool {
	value, _, _ := strings.Cut(after, "\t")
	value = strings.TrimSpace(value)
	if value == "" || strings.HasPrefix(value, ",") {
		return false
	}
	return leadsToPage(value) || !hasLetter(value) && strings.ContainsFunc(value, unicode.IsDigit)
}

// leftToWrite reports whether a dotted tab is a blank: a label for user input comes
// before it, and only further labels after it.
func leftToWrite(before, after string) bool {
	label := lastStretch(before)
	if !labelLike(label) || !strings.HasSuffix(label, ":") && !known(label) {
		return false
	}
	next, _, _ := strings.Cut(after, "\t")
	next = strings.TrimSpace(next)
	return next == "" || !leadsToPage(next) && labelLike(next) && (strings.HasSuffix(next, ":") || known(next))
}
