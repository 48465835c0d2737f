package structure

import (
	"strings"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/structure/numbering"
	"github.com/rectohq/recto/services/insight/internal/structure/wording"
)

// sentences splits the paragraphs into sentences. The number of a paragraph is not part of
// a sentence, and a title is a separate sentence.
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
	addLower(text, out)
	return out
}

// MaxSentence is the maximum number of bytes that rules read of a sentence. A longer sentence
// is usually a list or a table that was not recognized as one.
const MaxSentence = 4000

// Cut truncates a span to MaxSentence bytes without splitting a character.
func Cut(text string, s layout.Span) layout.Span {
	if s.Len() > MaxSentence {
		s.End = s.Start + MaxSentence
		for s.End > s.Start && text[s.End]&0xC0 == 0x80 {
			s.End--
		}
	}
	return s
}

// addLower adds to sentences their text in lower case.
func addLower(text string, all []Sentence) {
	lower, ends := make([]byte, 0, len(text)), make([]int, len(all))
	for i, s := range all {
		cut := Cut(text, s.Span)
		lower = wording.AppendLower(lower, text[cut.Start:cut.End])
		ends[i] = len(lower)
	}
	joined, start := string(lower), 0
	for i, end := range ends {
		all[i].Lower, start = joined[start:end], end
	}
}

// titleStop returns the length of the punctuation after a title.
func titleStop(rest string) int {
	return len(rest) - len(strings.TrimLeft(rest, " .:–—-_"))
}

// skipNumber returns the offset after the number that a text may begin with. A letter with
// a period counts as a number only if the paragraph is numbered. A number without any text
// after it is not skipped.
func skipNumber(text string, s layout.Span, numbered bool) int {
	s = wording.Trimmed(text, s)
	e, ok := numbering.Parse(text[s.Start:s.End])
	if !ok || e.Weak && !numbered || e.End >= s.Len() {
		return s.Start
	}
	return s.Start + e.End
}
