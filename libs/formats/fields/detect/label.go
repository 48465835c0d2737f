package detect

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rectohq/recto/libs/formats/fields"
)

// maxRunning is the maximum number of words of running text before a blank that are used
// as its label.
const maxRunning = 8

// lineLabel returns the label of a fill-in line, and its type.
func (d *document) lineLabel(i int, s span) (string, fields.Type) {
	text := d.paragraphs[i].Text
	taken := takenUntil(d.paragraphs[i].Marks, s.start)
	before := lastStretch(text[max(0, s.start-maxLookBehind, taken):s.start])
	typed := maskType(text[s.start:s.end])
	if yearStart(text[:s.start]) {
		return "Year", fields.Text
	}
	label, own := d.lineName(i, text, s, before)
	if taken > 0 && goesOn(before) {
		own = false
	}
	if typed == "" {
		typed = lineType(before, text[s.end:min(len(text), s.end+40)], label, own)
	}
	return label, typed
}

// goesOn reports whether s continues a sentence that began before it: its first letter is
// lower case, and it does not end with a colon.
func goesOn(s string) bool {
	at := strings.IndexFunc(s, unicode.IsLetter)
	if at < 0 || strings.HasSuffix(s, ":") {
		return false
	}
	r, _ := utf8.DecodeRuneInString(s[at:])
	return unicode.IsLower(r)
}

// takenUntil returns the end of the last taken range before the offset, or 0 if there is
// none nearby.
func takenUntil(marks []Mark, offset int) int {
	at, _ := slices.BinarySearchFunc(marks, offset, func(m Mark, offset int) int { return m.Start - offset })
	for n := at - 1; n >= max(0, at-2*maxRunning); n-- {
		if m := marks[n]; m.Look == Taken && m.End <= offset {
			return m.End
		}
	}
	return 0
}

// lineName returns the label of the line at s. own reports whether it is a real label
// rather than adjacent text.
func (d *document) lineName(i int, text string, s span, before string) (label string, own bool) {
	if strings.HasSuffix(before, ":") || strings.HasSuffix(before, "#") {
		if label := tidy(sentenceEnd(before)); label != "" {
			return label, true
		}
	}
	if label := captionAfter(text[s.end:]); label != "" {
		return label, true
	}
	if label := tidy(lastWords(sentenceEnd(before))); label != "" {
		return label, len(strings.Fields(before)) <= 4
	}
	if strings.TrimSpace(text) == strings.TrimSpace(text[s.start:s.end]) {
		return d.around(i), true
	}
	if label := d.rowLabel(i); label != "" {
		return label, true
	}
	if label = tidy(nextWords(text[s.end:])); !hasLetter(label) {
		return "", false
	}
	return label, before == "" && labelLike(label) && known(label)
}

// around returns the label of a line that is alone in its paragraph.
func (d *document) around(i int) string {
	for _, label := range []string{d.rowLabel(i), d.question(i), d.caption(i), d.cellCaption(i)} {
		if label != "" {
			return label
		}
	}
	return ""
}

// lineType returns the type of a line from the text around it.
func lineType(before, after, label string, own bool) fields.Type {
	switch {
	case strings.HasSuffix(before, "/s/"):
		return fields.Signature
	case strings.HasSuffix(before, "$"), strings.HasSuffix(before, "€"), strings.HasSuffix(before, "£"):
		return fields.Number
	case own:
		if t := TypeOf(label); t != fields.Date || !partOfLabelledDate(after) {
			return t
		}
		return fields.Text
	case partOfDate(after):
		return fields.Text
	}
	words := splitWords(before)
	if n := len(words); n > 0 && (words[n-1] == "dated" || n > 1 && words[n-1] == "of" && (words[n-2] == "as" || words[n-2] == "date")) {
		return fields.Date
	}
	return fields.Text
}

// partOfDate reports whether the text after a blank continues its date: "___ day of
// ____", "____, 20__", "____ 2026".
func partOfDate(after string) bool {
	after = strings.TrimLeft(after, " \t\u00a0")
	if strings.HasPrefix(strings.ToLower(after), "day") || strings.HasPrefix(after, "st ") {
		return true
	}
	rest := strings.TrimLeft(after, ", ")
	return strings.HasPrefix(rest, "20") || strings.HasPrefix(rest, "19") || strings.HasPrefix(rest, "_") || strings.HasPrefix(rest, "[")
}

// partOfLabelledDate reports whether a blank after the label of a date takes only the
// first part of the date, because the text after the blank has places for the others or
// prints the year: "Date: ___ day of ____", "Fecha: ____ de ____ de 20__", "Date: ____,
// 2026".
func partOfLabelledDate(after string) bool {
	rest := strings.TrimLeft(after, " \u00a0,")
	if strings.HasPrefix(strings.ToLower(rest), "day") {
		return true
	}
	for _, joint := range []string{"of ", "de ", "di ", ". "} {
		if next, ok := strings.CutPrefix(rest, joint); ok && strings.HasPrefix(next, "_") {
			return true
		}
	}
	if len(rest) < len("2006") || rest[:2] != "20" && rest[:2] != "19" {
		return false
	}
	year, end := rest[2:4], rest[4:]
	return year == "__" || strings.Trim(year, "0123456789") == "" && strings.Trim(end[:min(len(end), 1)], " ,.;)") == ""
}

// lastStretch returns the end of s that belongs to the text after it: without anything
// before a line break, a tab, a gap or another blank.
func lastStretch(s string) string {
	s = strings.TrimRight(s, " \t\u00a0\u2002\u2003")
	for _, gap := range []string{"\n", "\t", "   ", "__", "]", "}", "»", "☐", "☒", "..."} {
		if at := strings.LastIndex(s, gap); at >= 0 {
			s = s[at+len(gap):]
		}
	}
	return strings.ToValidUTF8(strings.TrimSpace(s), "")
}

// sentenceEnd returns the text of s after its last complete sentence or clause.
func sentenceEnd(s string) string {
	trimmed := strings.TrimRight(s, ": ")
	for _, stop := range []string{". ", "; ", "? ", "! "} {
		if at := strings.LastIndex(trimmed, stop); at >= 0 && at+len(stop) > 4 {
			trimmed = trimmed[at+len(stop):]
		}
	}
	return trimmed
}

// lastWords returns the last words of s.
func lastWords(s string) string {
	words := strings.Fields(s)
	return strings.Join(words[max(0, len(words)-maxRunning):], " ")
}

// nextWords returns the first words of s, up to the end of the clause.
func nextWords(s string) string {
	s = strings.TrimLeft(s[:min(len(s), maxLookBehind)], " \t,.;:)")
	if at := strings.IndexAny(s, "\n\t_.;:[{<☐"); at >= 0 {
		s = s[:at]
	}
	words := strings.Fields(strings.ToValidUTF8(s, ""))
	return strings.Join(words[:min(len(words), maxRunning)], " ")
}

// captionAfter returns the text in parentheses directly after a blank: "________ (name of
// the tenant)".
func captionAfter(after string) string {
	after = strings.TrimLeft(after[:min(len(after), maxLookBehind)], " \t\n\u00a0")
	if !strings.HasPrefix(after, "(") {
		return ""
	}
	inner, _, ok := strings.Cut(after[1:], ")")
	if !ok || len(inner) > 80 || !hasLetter(inner) {
		return ""
	}
	inner = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(inner), "the "))
	return tidy(strings.Trim(inner, `"“”'`))
}

// caption returns the caption below a line that makes up paragraph i: a short paragraph
// such as "Signature" or "(name of the tenant)".
func (d *document) caption(i int) string {
	if i+1 >= len(d.paragraphs) || !sameCell(d.paragraphs[i].Cell, d.paragraphs[i+1].Cell) {
		return ""
	}
	text := strings.TrimSpace(d.paragraphs[i+1].Text)
	if at := strings.IndexAny(text, "\n\t"); at >= 0 {
		text = text[:at]
	}
	return captionOf(text)
}

// captionOf returns the text below a line as its label, or "" if it is not one.
func captionOf(text string) string {
	bracketed := strings.HasPrefix(text, "(") && strings.HasSuffix(text, ")")
	if !labelLike(text) || len(strings.Fields(text)) > 6 || !bracketed && !known(text) && !nameLike(text) {
		return ""
	}
	return tidy(strings.Trim(text, "()"))
}

// nameLike reports whether s looks like the name or title of a person or party: a few
// capitalized words.
func nameLike(s string) bool {
	words := strings.Fields(s)
	for _, w := range words {
		if r, _ := utf8.DecodeRuneInString(w); !unicode.IsUpper(r) {
			return false
		}
	}
	return len(words) > 0 && len(words) <= 5
}

// question returns a paragraph before i that asks for the text after it: it ends with a
// colon or a question mark. Empty paragraphs and other lines may lie between.
func (d *document) question(i int) string {
	for n := i - 1; n >= max(0, i-6); n-- {
		if !sameCell(d.paragraphs[i].Cell, d.paragraphs[n].Cell) {
			return ""
		}
		text := strings.TrimSpace(d.paragraphs[n].Text)
		if strings.Trim(text, "_ \t") == "" || isBoxLine(text) {
			continue
		}
		if strings.HasSuffix(text, ":") || strings.HasSuffix(text, "?") {
			return tidy(sentenceEnd(text[max(0, len(text)-maxLookBehind):]))
		}
		return ""
	}
	return ""
}

// isBoxLine reports whether the text begins with a box.
func isBoxLine(text string) bool {
	_, ok := boxAt(text, 0)
	return ok || strings.HasPrefix(text, tickedParentheses)
}

func sameCell(a, b *CellPosition) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Table == b.Table && a.Row == b.Row && a.Column == b.Column
}

// tidy returns s as a label: without numbering, without colons and quotes at its ends,
// and cut to the maximum length.
func tidy(s string) string {
	s = collapseSpaces(strings.ToValidUTF8(s, ""))
	s = strings.Map(func(r rune) rune {
		if r == Object {
			return -1
		}
		return r
	}, s)
	s = strings.TrimRight(s, " :-–—,;$€£#(\"“")
	return short(strings.TrimSpace(strings.TrimLeft(withoutNumbering(s), " :-–—,.;)•")))
}

// withoutNumbering returns s without leading numbering such as "1.", "(a)" or "iv)".
func withoutNumbering(s string) string {
	first, rest, ok := strings.Cut(s, " ")
	core := strings.Trim(first, "().")
	if !ok || core == first || len(core) > 4 || core == "" {
		return s
	}
	if strings.Trim(core, "0123456789.") == "" || len(core) == 1 || strings.Trim(core, "ivx") == "" {
		return rest
	}
	return s
}

func hasLetter(s string) bool { return strings.IndexFunc(s, unicode.IsLetter) >= 0 }
