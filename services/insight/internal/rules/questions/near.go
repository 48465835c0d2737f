package questions

import (
	"math"
	"slices"
	"sort"
	"strings"
	"unicode"

	"github.com/rectohq/recto/libs/formats/layout"
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/rules/passage"
	"github.com/rectohq/recto/services/insight/internal/rules/questions/vocabulary"
)

// Patterns for what a question asks and for what a sentence says, in lower case.
var (
	asksMay  = regexp.MustCompile(`^(?:can|could|may|am|are we allowed)\b|\ballowed\b`)
	saysMay  = regexp.MustCompile(`\b(?:may|shall not|must not|will not|cannot|can|free to|entitled|not permitted|neither|no)\b`)
	asksMust = regexp.MustCompile(`\b(?:have to|has to|must|need to|needs to|required|obliged)\b`)
	saysMust = regexp.MustCompile(`\b(?:shall|must|will|agrees?|required|undertakes?|obliged)\b`)
	payable  = regexp.MustCompile(`\b(?:pay\w*|paid|fees?|charges?|price|rent|cost\w*|amount|sum)\b`)
	defining = regexp.MustCompile(`[”"] (?:means|has the meaning|shall mean)\b`)
	opening  = regexp.MustCompile(`^\W*(?:\(?\w{1,3}[.)] )?(?:if|where|should|upon|in the event|unless)\b`)
)

// sums reports whether a question asks for an amount, a share or a measure.
func (a *asking) sums() bool { return a.kind == amount || a.kind == share || a.kind == measure }

// lack sets the features that say which kind of value a sentence lacks.
func (n *inquiry) lack(f *features) {
	switch {
	case n.a.kind == length || n.a.kind == rhythmic:
		f[fNoLength] = f[fMisfit]
	case n.a.sums():
		f[fNoSum] = f[fMisfit]
	case n.a.kind == place:
		f[fNoPlace] = f[fMisfit]
	case n.a.kind == day || n.a.kind == count:
		f[fNoDay] = f[fMisfit]
	}
}

// gather sets the features that say how the clues are distributed in a sentence.
func (n *inquiry) gather(c *candidate, text string) {
	f := &c.features
	f[fWindow] = n.window(n.tokensAt(c.sentence, text))
	raw := n.doc.Quote(passage.Cut(n.doc.Text, n.doc.Sentences[c.sentence].Span))
	if m := row.FindStringIndex(raw); m != nil && len(raw) < maxRow {
		f[fRow] = 1
		found := make([]float64, len(n.clues))
		n.has(found, n.knownWords(raw[:m[1]-1]))
		f[fLabel] = n.sum(found) / max(n.matched, 1e-9)
	}
	found := make([]float64, len(n.clues))
	n.has(found, n.words[c.sentence])
	strong, has := 0.0, 0.0
	for i, x := range n.clues {
		if x.worth < 1 || !x.present {
			continue
		}
		strong, has = strong+1, has+found[i]
		if found[i] == 1 && x.weight > rareWeight {
			f[fRare] += 0.5
		}
	}
	f[fStrong] = has / max(strong, 1)
}

const (
	// maxRow is the maximum length of a row in bytes.
	maxRow = 200
	// rareWeight is the weight of a clue that few sentences have.
	rareWeight = 2.5
	// windowWords is how far apart clues are that belong together, in words.
	windowWords = 12
)

// tokensAt returns the words of a sentence with a text, which are the same for each question.
func (q *Questions) tokensAt(sentence int, text string) []token {
	all, known := q.tokens[sentence]
	if !known {
		all = tokensOf(text)
		q.tokens[sentence] = all
	}
	return all
}

// line returns the row with the most clues of a sentence that is several rows of key terms, and the
// sentence itself if it is something else or if no row has the most.
func (n *inquiry) line(sentence layout.Span) layout.Span {
	text := n.doc.Quote(sentence)
	if len(text) > passage.MaxSentence || strings.Count(text, "\n") == 0 {
		return sentence
	}
	best, first, second, at := sentence, 0.0, 0.0, sentence.Start
	for line := range strings.Lines(text) {
		span := layout.Span{Start: at, End: at + len(strings.TrimRightFunc(line, unicode.IsSpace))}
		at += len(line)
		if !labelled.MatchString(line) {
			return sentence
		}
		found := make([]float64, len(n.clues))
		n.has(found, n.knownWords(line))
		switch sum := n.sum(found); {
		case sum > first:
			best, first, second = span, sum, first
		case sum > second:
			second = sum
		}
	}
	if first == second {
		return sentence
	}
	return best
}

// labelled matches a line that is a label and what it stands for.
var labelled = regexp.MustCompile(`^[ \t]*\p{Lu}[^\n.;]{1,60}?(?::[ \t]|[ \t]*\||\t| {2,})[ \t|]*\S`)

// knownWords returns the words of a text that the document has.
func (n *inquiry) knownWords(text string) (all []word) {
	for _, t := range vocabulary.TermsBesideRoles(text) {
		if w, ok := n.ids[t]; ok {
			all = append(all, w)
		}
	}
	return all
}

// window returns the greatest share of the clues within a few words.
func (n *inquiry) window(tokens []token) float64 {
	all, best := n.occurrences(tokens), 0.0
	for i := range all {
		found := make([]float64, len(n.clues))
		for _, o := range all[i:] {
			if o.at > all[i].at+windowWords {
				break
			}
			found[o.clue] = max(found[o.clue], o.worth)
		}
		best = max(best, n.sum(found))
	}
	return best / max(n.matched, 1e-9)
}

// occurrence is a clue in a text, at the token with index at.
type occurrence struct {
	at, clue int
	worth    float64
}

// occurrences returns the clues in a text.
func (n *inquiry) occurrences(tokens []token) []occurrence {
	var all []occurrence
	for i, t := range tokens {
		for _, m := range n.cluesAt(t) {
			all = append(all, occurrence{i, m.term, m.worth})
		}
	}
	return all
}

// closeness returns how near a value is to the clues in its sentence: 1 if all clues that the
// document has are next to it.
func (n *inquiry) closeness(tokens []token, clues []occurrence, s layout.Span) float64 {
	before := sort.Search(len(tokens), func(i int) bool { return tokens[i].End > s.Start })
	after := sort.Search(len(tokens), func(i int) bool { return tokens[i].Start >= s.End })
	near := make([]float64, len(n.clues))
	for _, o := range clues {
		far := max(before-o.at, o.at-after+1, 0)
		near[o.clue] = max(near[o.clue], o.worth/(1+float64(far)/nearWords))
	}
	return n.sum(near) / math.Max(n.matched, 1e-9)
}

// nearWords is the distance in words at which a clue counts half.
const nearWords = 5

// Patterns for the period of several to which a value belongs: "the first year", "each later year".
var (
	ordinal  = regexp.MustCompile(`\b(first|second|third|fourth|fifth|sixth|initial|last|final|later|following|subsequent) (?:\w+ )?(year|month|quarter|week|term|season|period|phase|stage|half|instal?lment|order|delivery)s?\b`)
	periodic = regexp.MustCompile(`(?i)\b(?:years?|months?|quarters?|weeks?|terms?|seasons?|periods?|phases?|stages?|half|instal?lments?|orders?|deliver(?:y|ies)|thereafter)\b`)
)

// ofPeriod returns the value of several that a text gives for the period that the question names, such as
// the first year. It reports false if the question names none, or if it is unclear which value that is.
func (n *inquiry) ofPeriod(text string) (layout.Span, bool) {
	m := ordinal.FindStringSubmatch(n.a.text)
	if m == nil || n.a.kind == day || n.a.kind == agent || n.a.kind == place {
		return layout.Span{}, false
	}
	var all []layout.Span
	for _, tier := range n.a.tiers(text) {
		if all = slices.DeleteFunc(tier, func(s layout.Span) bool { return n.names(text, s) }); len(all) > 0 {
			break
		}
	}
	var own []layout.Span
	for i, s := range all {
		end := len(text)
		if i+1 < len(all) {
			end = all[i+1].Start
		}
		after := passage.Lower(text[s.End:end])
		if at := ordinal.FindStringSubmatchIndex(after); at != nil && after[at[2]:at[3]] == m[1] && after[at[4]:at[5]] == m[2] && !periodic.MatchString(after[:at[0]]) {
			own = append(own, s)
		}
	}
	if len(all) < 2 || len(own) != 1 {
		return layout.Span{}, false
	}
	return own[0], true
}

// names reports whether a value is itself the period that the question names: "the first 12 months".
func (n *inquiry) names(text string, s layout.Span) bool {
	return strings.Contains(n.a.text, strings.ToLower(text[s.Start:s.End]))
}
