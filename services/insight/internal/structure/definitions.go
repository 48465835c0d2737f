package structure

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/space"
	"github.com/rectohq/recto/services/insight/internal/structure/wording"
)

const (
	maxTerm = 100 // bytes of a term
	maxLead = 160 // bytes in parentheses before or after a term
	// maxBehind is the number of bytes after a term that are examined.
	maxBehind = 400
)

var (
	// meaning matches the text after a defined term.
	meaning = space.Compile(`^[\s,]*(?:\([^()]{0,160}\)[\s,]*)?(?:(?:and|or|,|/)[\s,]*["“][^"“”]{1,80}["”]\)?[\s,]*){0,6}` +
		`(?:,?\s*(?:as used|when used|for purposes? of|with respect to|in relation to)[^.;]{0,120}?,?\s)?` +
		`(?:(?:shall|will|should|must)\s+)?(?:each\s+|also\s+|collectively\s+|only\s+){0,2}` +
		`(?:means?|meant|refers?\s+to|denotes?|(?:is|are|be)\s+defined|(?:has|have|having|bears?)\s+(?:the|such|that)\s+(?:\w+\s+)?meanings?|signif(?:y|ies)|includes?|(?:be\s+)?deemed)\b`)
	// bareTerm matches a definition that begins with a term without quotation marks.
	bareTerm = space.Compile(`^([A-Z][A-Za-z0-9&/’' -]{1,60}?)\s+(?:shall\s+mean|means?|shall\s+have\s+the\s+meaning|has\s+the\s+meaning|(?:is|are)\s+defined\s+as)\b`)
	// calls matches the text before a term that names the text before it.
	calls = space.Compile(`(?i:(?:hereinafter|hereafter|herein|sometimes|each\s+an?|collectively)[^.;()]{0,60}|(?:referred\s+to|known|defined)\s+(?:\w+\s+){0,3}as\s+(?:the\s+)?)$`)
	// leadWords matches the words and other terms before a term in parentheses.
	leadWords = space.Compile(`^(?i:(?:[\s,;:/&]|["“][^"“”]{1,80}["”]|\b(?:the|an?|each|every|any|such|this|these|those|its|collectively|individually|together|jointly|severally|hereinafter|hereafter|herein|hereby|hereto|hereof|referred|to|as|called|known|defined|being|also|sometimes|and|or|in|of|with|all|singly|both|either|respectively|is|are|be|shall|will|may|individual|singular|plural|by|for|short|solely|agreement|party|parties|company|term|collective|from|time|then|either|one|other|singularly|separately|simply|occasionally|now|on|after|amount|date|period|hereunder)\b)*)$`)
	// begun matches words after which the text begins that a term in parentheses stands
	// for.
	begun = space.Compile(`(?i:\b(?:by and (?:between|among)|between|among|as of|dated|effective|entered into on|with|commencing on|beginning on)\s)`)
)

// quoted is a term without and with its quotation marks.
type quoted struct{ inner, outer layout.Span }

// definitions finds the terms that are defined.
func definitions(text string, ss []Sentence) []Definition {
	var out []Definition
	for i, s := range ss {
		terms := quotedIn(text, s.Span)
		r := definer{text: text, sentence: s.Span, from: s.Start, open: -1, before: s.Start}
		if i > 0 && ss[i-1].Paragraph == s.Paragraph {
			r.before = ss[i-1].Start
		}
		for _, q := range terms {
			if def, ok := r.defined(q); ok {
				out = append(out, def)
			}
		}
		if len(terms) == 0 {
			out = appendBare(out, text, s.Span)
		}
	}
	return out
}

// appendBare appends the definition of a term without quotation marks.
func appendBare(out []Definition, text string, s layout.Span) []Definition {
	m := bareTerm.FindStringSubmatchIndex(text[s.Start:min(s.End, s.Start+maxBehind)])
	if m == nil {
		return out
	}
	span := layout.Span{Start: s.Start + m[2], End: s.Start + m[3]}
	c := wording.CaseOf(text[span.Start:span.End])
	if !c.Title() && !c.Capitals() || wording.BeginsSentence(wording.FirstLetters(text[span.Start:])) || c.Words > 7 || endsOpen(text[span.Start:span.End]) {
		return out
	}
	return append(out, Definition{Term: wording.OneLine(text[span.Start:span.End]), TermSpan: span, Span: s})
}

// definer finds the definitions of a sentence.
type definer struct {
	text     string
	sentence layout.Span
	// from is the end of the last definition in parentheses. The next one does not stand
	// for text before it.
	from int
	// before is the beginning of the sentence before, for a term in parentheses with which the
	// sentence begins: "Acme Inc. (the "Company")".
	before int
	// open is the offset of the last opening parenthesis, -1 for none, and stands the text
	// that its terms stand for.
	open   int
	stands layout.Span
}

// defined reports whether a quoted term is defined, and returns the definition.
func (r *definer) defined(q quoted) (Definition, bool) {
	text, s := r.text, r.sentence
	d := Definition{TermSpan: wording.Trimmed(text, q.inner), Span: s}
	d.TermSpan.End = d.TermSpan.Start + len(strings.TrimRight(text[d.TermSpan.Start:d.TermSpan.End], ",.; "))
	if strings.HasPrefix(text[d.TermSpan.Start:d.TermSpan.End], "the ") {
		d.TermSpan.Start += len("the ")
	}
	d.Term = wording.OneLine(text[d.TermSpan.Start:d.TermSpan.End])
	if d.Term == "" {
		return d, false
	}
	if open, end, ok := parentheses(text, s, q); ok && leadWords.MatchString(text[open+1:q.outer.Start]) {
		if open == s.Start {
			r.from = r.before
		}
		if open != r.open {
			r.stands = standsFor(text, layout.Span{Start: min(r.from, open), End: open}, s)
			r.open, r.from = open, end
		}
		d.Span = r.stands
		return d, true
	}
	behind := text[q.outer.End:min(s.End, q.outer.End+maxBehind)]
	if meaning.MatchString(behind) {
		return d, true
	}
	ahead := text[max(s.Start, q.outer.Start-maxLead):q.outer.Start]
	return d, calls.MatchString(ahead)
}

// parentheses returns the offsets where the parentheses around a term begin and end.
func parentheses(text string, s layout.Span, q quoted) (open, end int, ok bool) {
	ahead := text[max(s.Start, q.outer.Start-maxLead):q.outer.Start]
	at := strings.LastIndexAny(ahead, "()")
	if at < 0 || ahead[at] != '(' {
		return 0, 0, false
	}
	behind := text[q.outer.End:min(s.End, q.outer.End+maxLead)]
	closing := strings.IndexAny(behind, "()")
	if closing < 0 || behind[closing] != ')' {
		return 0, 0, false
	}
	return q.outer.Start - len(ahead) + at, q.outer.End + closing + 1, true
}

// standsFor returns the text that a term in parentheses stands for: the text before the
// parentheses, from the last beginning of a name, a date or a clause on. Several terms in
// the same parentheses stand for the same text.
func standsFor(text string, before, s layout.Span) layout.Span {
	part := text[before.Start:before.End]
	from := 0
	for _, m := range begun.FindAllStringIndex(part, -1) {
		if rest := strings.TrimLeft(part[m[1]:], " \n"); rest != "" && !wording.StartsLower(rest) {
			from = m[1]
		}
	}
	if at := strings.LastIndexAny(part, ";:"); at >= from {
		from = at + 1
	}
	part = part[from:]
	start := before.Start + from + len(part) - len(strings.TrimLeftFunc(part, func(r rune) bool { return space.Is(r) || strings.ContainsRune(",;:.)", r) }))
	for _, word := range []string{"and ", "or "} {
		if strings.HasPrefix(text[start:before.End], word) {
			start += len(word)
		}
	}
	span := wording.Trimmed(text, layout.Span{Start: min(start, before.End), End: before.End})
	if span.Len() == 0 {
		return s
	}
	return span
}

// indexQuote returns the offset of the first quotation mark of a text, -1 for none.
func indexQuote(text string) int {
	for i := range len(text) {
		switch text[i] {
		case '"', '`', '\'':
			return i
		case "“"[0]:
			if rest := text[i:]; strings.HasPrefix(rest, "“") || strings.HasPrefix(rest, "”") || strings.HasPrefix(rest, "‘") {
				return i
			}
		}
	}
	return -1
}

// quotedIn finds the quoted terms of a sentence. Quotation marks may be straight, curly or
// doubled.
func quotedIn(text string, s layout.Span) []quoted {
	var out []quoted
	for at := s.Start; at < s.End; {
		i := indexQuote(text[at:s.End])
		if i < 0 {
			break
		}
		q, ok := quotedAt(text, layout.Span{Start: at + i, End: s.End}, s.Start)
		if !ok {
			_, size := utf8.DecodeRuneInString(text[at+i:])
			at += i + size
			continue
		}
		out = append(out, q)
		at = q.outer.End
	}
	return out
}

// quotedAt reads the quoted term at the beginning of a span.
func quotedAt(text string, s layout.Span, sentence int) (quoted, bool) {
	rest := text[s.Start:s.End]
	opening, closing := "", ""
	for _, pair := range [][2]string{{"\"\"", "\"\""}, {"``", "''"}, {"''", "''"}, {"“", "”"}, {"”", "”"}, {"\"", "\""}, {"‘", "’"}, {"'", "'"}} {
		if strings.HasPrefix(rest, pair[0]) {
			opening, closing = pair[0], pair[1]
			break
		}
	}
	if opening == "" {
		return quoted{}, false
	}
	if last, _ := utf8.DecodeLastRuneInString(text[sentence:s.Start]); unicode.IsLetter(last) || unicode.IsDigit(last) {
		return quoted{}, false // an apostrophe, or a closing mark
	}
	inner := rest[len(opening):min(len(rest), len(opening)+maxTerm+8)]
	end := strings.Index(inner, closing)
	if end <= 0 && opening == "“" {
		end, closing = strings.Index(inner, "\""), "\""
	}
	if end <= 0 || end > maxTerm {
		return quoted{}, false
	}
	if !strings.ContainsFunc(inner[:end], unicode.IsUpper) || strings.Contains(inner[:end], "\n\n") {
		return quoted{}, false
	}
	from := s.Start + len(opening)
	return quoted{
		inner: layout.Span{Start: from, End: from + end},
		outer: layout.Span{Start: s.Start, End: from + end + len(closing)},
	}, true
}
