package structure

import (
	"strings"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/structure/numbering"
	"github.com/rectohq/recto/services/insight/internal/structure/wording"
)

// sentences splits the paragraphs into sentences. A number that counts one is not
// part of it; a title is one of its own.
func sentences(text string, ps []Paragraph, sections []Section) []Sentence {
	var out []Sentence
	next := 0
	for i, p := range ps {
		title := 0
		for next < len(sections) && sections[next].Start <= p.Start {
			if s := sections[next]; s.Start == p.Start && s.TitleSpan.Len() > 0 && p.Contains(s.TitleSpan) {
				title = s.TitleSpan.End
			}
			next++
		}
		for start := p.Start; start < p.End; {
			start = skipNumber(text, layout.Span{Start: start, End: p.End}, start == p.Start && p.Number != "")
			end := start + wording.SentenceEnd(text[start:p.End])
			if title > start && title < end {
				end = title + titleStop(text[title:end])
			}
			if s := wording.Trimmed(text, layout.Span{Start: start, End: end}); s.Len() > 0 {
				out = append(out, Sentence{Span: s, Paragraph: i})
			}
			start = end
		}
	}
	return out
}

// titleStop returns how much behind a title still belongs to it.
func titleStop(rest string) int {
	return len(rest) - len(strings.TrimLeft(rest, " .:–—-_"))
}

// skipNumber returns where the text goes on behind the number that it may begin
// with: a letter with a stop is one only where the paragraph is numbered. A number that nothing follows is not skipped.
func skipNumber(text string, s layout.Span, numbered bool) int {
	s = wording.Trimmed(text, s)
	e, ok := numbering.Parse(text[s.Start:s.End])
	if !ok || e.Weak && !numbered || e.End >= s.Len() {
		return s.Start
	}
	return s.Start + e.End
}
