package detect

import (
	"strings"
	"unicode/utf8"
)

// brackets returns the bracket pairs of paragraph i, outer ones before inner ones.
func (d *document) brackets(i int) []bracketed {
	text := d.paragraphs[i].Text
	spans := pairs(text)
	if len(spans) == 0 {
		return nil
	}
	whole := strings.TrimSpace(text)
	offset := strings.Index(text, whole)
	cellLabel := d.rowLabel(i) != ""
	all := make([]bracketed, 0, len(spans))
	for _, s := range spans {
		b := bracketed{span: s}
		b.open, _ = utf8.DecodeRuneInString(text[s.start:])
		b.inner, b.doubled = innerOf(text[s.start:s.end], b.open)
		b.before = strings.ToValidUTF8(text[max(0, s.start-maxLookBehind):s.start], "")
		b.after = strings.ToValidUTF8(text[s.end:min(len(text), s.end+40)], "")
		b.alone = s.start == offset && s.end == offset+len(whole)
		b.labelled = b.alone && cellLabel || strings.HasSuffix(strings.TrimSpace(b.before), ":")
		all = append(all, b)
	}
	return all
}

// pairs returns the bracket pairs in the text that are not longer than a prompt, sorted
// by their starts.
func pairs(text string) []span {
	var found []span
	open := make(map[rune][]int)
	for at, r := range text {
		switch r {
		case '[', '{', '<', '«':
			open[r] = append(open[r], at)
		case ']', '}', '>', '»':
			opening := opener(r)
			stack := open[opening]
			if len(stack) == 0 {
				continue
			}
			start, end := stack[len(stack)-1], at+utf8.RuneLen(r)
			open[opening] = stack[:len(stack)-1]
			if end-start <= maxPrompt {
				found = append(found, span{start, end})
			}
		}
	}
	sortSpans(found)
	return found
}

func opener(r rune) rune {
	switch r {
	case ']':
		return '['
	case '}':
		return '{'
	case '>':
		return '<'
	}
	return '«'
}

// innerOf returns the text between the brackets, and whether each bracket is doubled.
func innerOf(s string, open rune) (inner string, doubled bool) {
	size := utf8.RuneLen(open)
	s = s[size : len(s)-size]
	if trimmed, ok := strings.CutPrefix(s, string(open)); ok {
		last, lastSize := utf8.DecodeLastRuneInString(trimmed)
		if opener(last) == open && lastSize == size && !strings.ContainsRune(trimmed, open) {
			return strings.TrimSpace(trimmed[:len(trimmed)-size]), true
		}
	}
	return strings.TrimSpace(s), false
}
