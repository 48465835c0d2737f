package detect

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rectohq/recto/libs/formats/fields"
)

// Limits of fill-in lines, in characters.
const (
	minUnderscores = 3
	minDots        = 8
	// minUnderlined is the minimum number of underlined spaces in a line; a single
	// underlined tab is enough.
	minUnderlined = 3
	// ruleLength is the length from which a line alone in its paragraph may be an
	// ornament.
	ruleLength = 12
)

// lines returns the blanks of paragraph i that are fill-in lines.
func (d *document) lines(i int) []Blank {
	p := &d.paragraphs[i]
	spans := append(underscores(p.Text), dots(p.Text)...)
	spans = append(spans, underlinedSpaces(p)...)
	spans = append(spans, leaders(p)...)
	var found []Blank
	for _, s := range spans {
		if d.ornament(i, s) || signed(p.Text, s) || inAddress(p.Text, s) {
			continue
		}
		b := Blank{Kind: Line, Paragraph: i, Start: s.start, End: s.end}
		b.Label, b.Type = d.lineLabel(i, s)
		found = append(found, b)
	}
	return found
}

// span is a range of text in bytes.
type span struct{ start, end int }

// underscores returns the runs of underscores in the text. Runs joined by a mask
// ("__/__/____", "(___) ___-____") count as one.
func underscores(text string) []span {
	var found []span
	for at := 0; at < len(text); {
		next := strings.IndexByte(text[at:], '_')
		if next < 0 {
			break
		}
		s, count := underscoreRun(text, at+next)
		if at = s.end; count >= minUnderscores || yearBlank(text, s) {
			found = append(found, s)
		}
	}
	return found
}

// underscoreRun returns the mask that begins with the underscore at start, and its number
// of underscores.
func underscoreRun(text string, start int) (span, int) {
	end, count := start, 0
	for end < len(text) {
		if text[end] == '_' {
			end, count = end+1, count+1
			continue
		}
		joint := maskJoint(text[end:])
		if joint == 0 {
			break
		}
		end += joint
	}
	if start > 0 && text[start-1] == '(' && strings.IndexByte(text[start:end], ')') > 0 {
		start--
	}
	return span{start, end}, count
}

// maskJoint returns the length of the joint between two groups of underscores at the
// beginning of s: a single character, or ") " after the area code of a telephone number.
func maskJoint(s string) int {
	for _, joint := range []string{"/20", "/19", ".20", "-20", " / 20", " / 19", "@", "/", "-", "–", ".", " ", "\u00a0", " / ", " - ", ") ", ")"} {
		if len(s) > len(joint) && strings.HasPrefix(s, joint) && s[len(joint)] == '_' {
			return len(joint)
		}
	}
	return 0
}

// yearBlank reports whether s is the rest of a year: "20__".
func yearBlank(text string, s span) bool {
	return s.end-s.start == 2 && yearStart(text[:s.start])
}

// yearStart reports whether a blank after the text is the rest of a year.
func yearStart(before string) bool {
	for _, century := range []string{"20", "19", "200", "201", "202", "199"} {
		if rest, ok := strings.CutSuffix(before, century); ok {
			r, _ := utf8.DecodeLastRuneInString(rest)
			return rest == "" || unicode.IsSpace(r) || r == ',' || r == '/'
		}
	}
	return false
}

// dots returns the rows of dots that are fill-in lines. Rows that lead to a page number
// are not.
func dots(text string) []span {
	var found []span
	for at := 0; at < len(text); {
		next := indexAny(text[at:], ".", "…")
		if next < 0 {
			break
		}
		start := at + next
		end, weight := start, 0
		for r, size := utf8.DecodeRuneInString(text[start:]); r == '.' || r == '…'; r, size = utf8.DecodeRuneInString(text[end:]) {
			if end += size; r == '…' {
				weight += 3
			} else {
				weight++
			}
		}
		if at = end; weight >= minDots && !leadsToPage(text[end:]) {
			found = append(found, span{start, end})
		}
	}
	return found
}

// leadsToPage reports whether a page number, or the number of an annex, follows, as in a
// table of contents.
func leadsToPage(after string) bool {
	words := strings.Fields(after[:min(len(after), 40)])
	if len(words) == 0 {
		return false
	}
	word := strings.ToLower(strings.Trim(words[0], ".,;:()-"))
	switch word {
	case "page", "pages", "pg", "p", "schedule", "exhibit", "annex", "appendix", "attachment", "seite", "pagina", "página":
		return true
	}
	return strings.Trim(word, "0123456789") == "" || strings.Trim(word, "ivxlc") == ""
}

// underlinedSpaces returns the runs of underlined white space.
func underlinedSpaces(p *Paragraph) []span {
	var found []span
	end := 0
	for _, m := range p.Marks {
		if m.Look != Underlined {
			continue
		}
		if n := len(found); n > 0 && end == m.Start && spaces(p.Text[m.Start:m.End]) {
			found[n-1].end, end = m.End, m.End
			continue
		}
		if s := (span{m.Start, m.End}); spaces(p.Text[s.start:s.end]) {
			found, end = append(found, s), m.End
		}
	}
	wide := found[:0]
	for _, s := range found {
		text := p.Text[s.start:s.end]
		if strings.Contains(text, "\t") || utf8.RuneCountInString(text) >= minUnderlined {
			wide = append(wide, s)
		}
	}
	return wide
}

// spaces reports whether s is white space without line breaks.
func spaces(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool { return !unicode.IsSpace(r) || r == '\n' }) < 0
}

// signed reports whether the line at s has been signed: "/s/ Jane Doe ______".
func signed(text string, s span) bool {
	from := max(0, s.start-maxLookBehind)
	before := strings.TrimRight(text[from:s.start], " \t")
	if at := strings.LastIndex(before, "/s/"); at >= 0 && strings.TrimSpace(before[at+3:]) != "" && !strings.ContainsAny(before[at:], "_:\n") {
		return true
	}
	return strings.HasPrefix(strings.TrimLeft(text[s.end:min(len(text), s.end+20)], " \t"), "/s/")
}

// inAddress reports whether the line at s is part of a web address.
func inAddress(text string, s span) bool {
	before := text[max(0, s.start-maxLookBehind):s.start]
	if at := strings.LastIndexAny(before, " \t\n\u00a0"); at >= 0 {
		before = before[at:]
	}
	return strings.Contains(before, "://") || strings.Contains(before, "www.")
}

// ornament reports whether the line at s is decoration: either it stands alone and no
// surrounding text says what to write there, or it frames words.
func (d *document) ornament(i int, s span) bool {
	p := &d.paragraphs[i]
	text := strings.TrimSpace(p.Text)
	if strings.HasPrefix(text, "_____") && strings.HasSuffix(text, "_____") && framed(p.Text, s) {
		return true
	}
	led := text == "" && marked(p.Marks, Ruled).overlaps(s.start, s.end)
	if !led && (len(text) != s.end-s.start || s.end-s.start < ruleLength) {
		return false
	}
	if p.Cell != nil {
		return false
	}
	return d.caption(i) == "" && d.question(i) == ""
}

// framed reports whether the line at s begins or ends the paragraph and touches a letter.
func framed(text string, s span) bool {
	after, _ := utf8.DecodeRuneInString(text[s.end:])
	before, _ := utf8.DecodeLastRuneInString(text[:s.start])
	return unicode.IsLetter(after) && strings.TrimSpace(text[:s.start]) == "" ||
		unicode.IsLetter(before) && strings.TrimSpace(text[s.end:]) == ""
}

// maskType returns the type implied by the mask of a line: a date, a telephone number or
// a social security number.
func maskType(line string) fields.Type {
	line = strings.ReplaceAll(line, " ", "")
	groups := strings.FieldsFunc(line, func(r rune) bool { return r != '_' })
	switch {
	case strings.Count(line, "@") == 1:
		return fields.Email
	case len(groups) != 3:
		return ""
	case strings.Count(line, "/") == 2 || strings.Count(line, ".") == 2:
		return fields.Date
	case strings.HasPrefix(line, "("):
		return fields.Phone
	case strings.Count(line, "-") == 2 && lengths(groups, 3, 2, 4):
		return fields.SSN
	case strings.Count(line, "-") == 2 && lengths(groups, 3, 3, 4):
		return fields.Phone
	case strings.Count(line, "-") == 2 && (lengths(groups, 4, 2, 2) || lengths(groups, 2, 2, 4)):
		return fields.Date
	}
	return ""
}

func lengths(groups []string, want ...int) bool {
	for i, g := range groups {
		if len(g) != want[i] {
			return false
		}
	}
	return true
}
