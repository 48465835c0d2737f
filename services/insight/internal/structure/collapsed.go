package structure

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rectohq/recto/libs/formats/layout"
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/space"
	"github.com/rectohq/recto/services/insight/internal/structure/numbering"
	"github.com/rectohq/recto/services/insight/internal/structure/wording"
)

// Plain texts extracted from pages often have a whole page, or a column of a table, on one
// line. Their paragraphs are found by consecutive numbers within the line, and by wide gaps.

const (
	// minCollapsed is the minimum length of a paragraph that is split, in bytes.
	minCollapsed = 80
	// wideGap is the number of spaces that count as the end of a line.
	wideGap = 3
)

// splitter splits paragraphs at the numbers within them.
type splitter struct {
	text    string
	numbers numbering.Counter
	out     []piece
}

// splitCollapsed splits the paragraphs of a plain text that contain several.
func splitCollapsed(text string, ps []piece) []piece {
	s := &splitter{text: text}
	for _, p := range ps {
		if p.margin {
			s.out = append(s.out, p)
			continue
		}
		s.split(p)
	}
	return s.out
}

// split appends the parts of a paragraph.
func (s *splitter) split(p piece) {
	body := s.text[p.Start:p.End]
	if len(body) < minCollapsed || contentsText(body) {
		s.take(p)
		return
	}
	gaps := gapsEnd(body)
	from := 0
	s.count(body)
	if label := filedLabel(body); label > 0 {
		s.out = append(s.out, part(p, 0, label, s.text))
		from = label
	}
	for at := wording.NextGap(body, from); at < len(body); at = wording.NextGap(body, at) {
		if at == from {
			continue
		}
		if s.begins(body, from, at, gaps) {
			s.out = append(s.out, part(p, from, at, s.text))
			s.count(body[at:])
			from = at
		}
	}
	s.out = append(s.out, part(p, from, len(body), s.text))
}

// filedLabel returns the length of the filing label at the beginning of a text, including
// the gap after it, 0 if there is none.
func filedLabel(body string) int {
	m := filed.FindStringIndex(body)
	if m == nil || !isSpaceAt(body, m[1]) || wording.StartsLower(body[m[1]:]) {
		return 0
	}
	return wording.NextGap(body, m[1])
}

// isSpaceAt reports whether there is white space at an offset of a text.
func isSpaceAt(text string, at int) bool {
	r, _ := utf8.DecodeRuneInString(text[at:])
	return space.Is(r)
}

// take appends a paragraph unchanged, and counts its number.
func (s *splitter) take(p piece) {
	s.count(s.text[p.Start:p.End])
	s.out = append(s.out, p)
}

// count counts the number that a text begins with.
func (s *splitter) count(text string) {
	if _, ok := exhibitOf(text); ok || operative.MatchString(text) {
		s.numbers.Restart(0)
	}
	if e, ok := numbering.Parse(text); ok {
		s.numbers.Count(e)
	}
}

// begins reports whether a new paragraph begins at offset at of body. The paragraph before
// it begins at from.
func (s *splitter) begins(body string, from, at int, gaps bool) bool {
	if !gaps && numbering.IsWord(body[at:]) {
		return false // most gaps are between words
	}
	before := strings.TrimRightFunc(body[from:at], space.Is)
	wide := gaps && len(body[from:at])-len(before) >= wideGap
	after := body[at:]
	if wide && s.beginsPlain(before, after) {
		return true
	}
	e, ok := numbering.Parse(after)
	if !ok || e.End >= len(after) {
		return false
	}
	stopped := wording.EndsSentence(before) && !strings.HasSuffix(before, ";")
	if titled := (stopped || wide) && wording.RealStop(before) && titleFollows(after[e.End:]); titled {
		return true
	}
	if !s.numbers.Expects(e) && !(stopped && s.numbers.Continues(e)) {
		return false
	}
	first, _ := utf8.DecodeRuneInString(strings.TrimLeft(after[e.End:], "\"“‘'[("))
	if !unicode.IsUpper(first) {
		return false
	}
	if e.Rank() == 0 {
		return s.beginsLetter(e, stopped, wide)
	}
	return wide || stopped && !strings.HasSuffix(before, ":") && wording.RealStop(before) || s.afterTitle(before)
}

// titleFollows reports whether a text begins with the title of a numbered paragraph.
func titleFollows(text string) bool {
	_, ok := runInTitle(text, true)
	return ok
}

// beginsPlain reports whether a paragraph without a number begins after a wide gap.
func (s *splitter) beginsPlain(before, after string) bool {
	first, _ := utf8.DecodeRuneInString(strings.TrimLeft(after, "\"“‘'[("))
	if !unicode.IsUpper(first) {
		return false
	}
	if wording.EndsSentence(before) {
		return true
	}
	_, whole := wholeTitle(before, false)
	return whole && wording.CaseOf(before).Capitals()
}

// beginsLetter reports whether "(a)" or "A." begins a paragraph. It does not within a
// sentence.
func (s *splitter) beginsLetter(e numbering.Enumerator, stopped, wide bool) bool {
	if e.Weak {
		return wide && stopped || stopped && s.numbers.Succeeds(e)
	}
	return stopped || wide
}

// afterTitle reports whether the paragraph before consists of a numbered title only.
func (s *splitter) afterTitle(before string) bool {
	e, ok := numbering.Parse(before)
	if !ok || e.Rank() == 0 || e.End >= len(before) {
		return false
	}
	_, whole := wholeTitle(before[e.End:], true)
	return whole
}

// part returns a part of a piece without surrounding white space.
func part(p piece, from, to int, text string) piece {
	p.Span = wording.Trimmed(text, layout.Span{Start: p.Start + from, End: p.Start + to})
	p.alone = true
	return p
}

// inlineContents matches the title of a table of contents within a text.
var inlineContents = regexp.MustCompile(`(?i)` + contentsWords)

// contentsText reports whether a text is a table of contents on one line.
func contentsText(body string) bool {
	return inlineContents.MatchString(body[:min(len(body), 4*maxTitle)]) || strings.Count(body, "....") > 3 || strings.Count(body, ". . . .") > 3
}

// gapsEnd reports whether wide gaps in a text mark the ends of paragraphs rather than of
// lines: at most a fifth of them are within sentences.
func gapsEnd(body string) bool {
	if !strings.Contains(body, "   ") {
		return false // most texts
	}
	within, all := 0, 0
	for at := wording.NextGap(body, 0); at < len(body); at = wording.NextGap(body, at) {
		if at < wideGap || strings.TrimLeft(body[at-wideGap:at], " ") != "" {
			continue
		}
		all++
		if wording.StartsLower(body[at:]) {
			within++
		}
	}
	return all > 0 && within*5 <= all
}
