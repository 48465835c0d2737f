package questions

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/rules/date"
	"github.com/rectohq/recto/services/insight/internal/rules/finding"
	"github.com/rectohq/recto/services/insight/internal/rules/parties"
	"github.com/rectohq/recto/services/insight/internal/rules/passage"
	"github.com/rectohq/recto/services/insight/internal/rules/questions/vocabulary"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// subject is a topic of questions that another rule can answer.
type subject struct {
	// asks matches the question, on one line in lower case.
	asks *regexp.Regexp
	// own are the words that only phrase the question, in the form that Terms returns.
	// Any other word says which of several findings is meant.
	own map[string]bool
	// find returns the possible answers.
	find func(*source) []evidence
	// exact requires an answer to share one of the other words: of the amounts in a
	// contract, only one is the rent.
	exact bool
	// clause means that the findings are clauses of one kind, so that one proves that the
	// document has such a clause.
	clause bool
	// only means that nothing else answers the question: no later subject, and no sentence
	// that has its words. "Term" is also a provision.
	only bool
	// fixed means that the findings are not sentences: that a question is about the subject
	// is enough.
	fixed bool
	// alone means that no sentence with the words of the question answers it if the document
	// has no finding: only a clause on the courts says which courts decide.
	alone bool
}

// evidence is a rule's finding as an answer.
type evidence struct {
	layout.Span
	// value is the answer if it is not the whole sentence. label is further text to match
	// the question against.
	value, label string
	why          string
	confidence   float64
}

// question matches a question or a request, as opposed to a statement to look for.
var question = regexp.MustCompile(`\?\s*$|^(?:what|which|who|whose|whom|when|where|why|how|is|are|was|were|does|do|did|can|could|may|must|shall|should|will|has|have|whether|until|by when|on what|on which|under (?:what|which)|in (?:what|which)|to (?:what|whom)|for how|at what|list|find|give|tell|name|state|identify|extract|show|return|get|provide|highlight|please|summari[sz]e|describe)\b`)

// assertion matches a statement, which is only looked up by its words.
var assertion = regexp.MustCompile(`\b(?:shall|must|may|will|should|can|is|are|survives?|has|have)\b`)

// asked reports whether s, on one line and in lower case, asks for something: as a
// question, as a request, or as a few words such as "governing law".
func asked(s string) bool {
	return question.MatchString(s) || !assertion.MatchString(s) && len(strings.Fields(s)) <= 6
}

// baseWorth scales the confidence of an answer that shares none of the question's
// specific words.
const baseWorth = 0.6

// Limits for bare values of findings.
const (
	// enoughShared is the fraction of the specific words of a question that a sentence must
	// exceed for a bare amount: the only fee in a sentence need not be the parking fee.
	enoughShared = 0.5
	// enoughSure is the minimum confidence that the finding answers the question.
	enoughSure = 0.45
)

// knowledge is what other rules answer.
type knowledge struct {
	// found are the answers, the best first. There are none if no rule covers the question.
	found []finding.Found[insightapi.PromptAnswer]
	// only means that nothing else can answer the question.
	only bool
	// sure means that the answers have all words of the question that say which finding is
	// meant.
	sure bool
	// whole means that only the whole sentences answer, as the value in them may be that of
	// something else.
	whole bool
}

// known returns what other rules answer.
func (q *Questions) known(message string, a *asking) knowledge {
	text := a.text
	if !asked(text) {
		return knowledge{}
	}
	role := subject{own: wordsOf(text)}
	if found := role.answers(q.doc, message, a, roles(q.doc, text)); len(found) > 0 {
		return knowledge{found: found, only: true, sure: true}
	}
	for i, s := range subjects {
		if !s.asks.MatchString(text) {
			continue
		}
		if found := s.answers(q.doc, message, a, q.evidenceOf(i)); len(found) > 0 {
			return knowledge{found: found, only: true, sure: s.sure(q.doc, a, found[0].Span), whole: s.only}
		}
		if (s.only || s.alone) && len(s.specific(a)) == 0 {
			return knowledge{only: true}
		}
		if s.only {
			return knowledge{}
		}
	}
	return knowledge{}
}

// sure reports whether an answer has all words of the question that say which finding is meant.
func (s *subject) sure(d *structure.Document, a *asking, answer layout.Span) bool {
	specific := slices.DeleteFunc(s.specific(a), func(t string) bool { return lightWords[t] })
	return s.fixed || shareOf(specific, passage.Text(d, sentenceOf(d, answer))) == 1
}

// evidenceOf returns the findings of the subject with index i. They are computed once.
func (q *Questions) evidenceOf(i int) []evidence {
	all, found := q.evidence[i]
	if !found {
		all = subjects[i].find(q.source())
		q.evidence[i] = all
	}
	return all
}

// specific returns the words of a question that say which finding is meant.
func (s *subject) specific(a *asking) []string {
	return slices.DeleteFunc(slices.Clone(a.narrow), func(t string) bool { return s.own[t] })
}

// answers returns the evidence that best matches the other words of a question.
func (s *subject) answers(d *structure.Document, message string, a *asking, all []evidence) []finding.Found[insightapi.PromptAnswer] {
	narrow := s.specific(a)
	var found []reply
	most := 0.0
	for _, e := range all {
		span := sentenceOf(d, e.Span)
		part := shareOf(narrow, passage.Text(d, span)+" "+e.label)
		if part < most || s.exact && part == 0 {
			continue
		}
		if part > most {
			// The earlier ones share fewer of the specific words.
			most, found = part, nil
		}
		if e.value != "" {
			span = e.Span
		}
		found = append(found, reply{finding.Found[insightapi.PromptAnswer]{
			Item: insightapi.PromptAnswer{Message: message, Value: &e.value}, Span: span, Reasoning: e.why,
			Confidence: e.confidence * (baseWorth + (1-baseWorth)*part),
		}, s.within(e.Span, span)})
	}
	return s.valued(d, a, bestOf(found), most)
}

// valued returns the replies with their values, given the share of the specific words of the
// question that they have.
func (s *subject) valued(d *structure.Document, a *asking, replies []reply, shared float64) []finding.Found[insightapi.PromptAnswer] {
	var all []finding.Found[insightapi.PromptAnswer]
	for _, r := range replies {
		switch {
		case s.only && r.Confidence < enoughSure:
			r.Item.Value = new(passage.Text(d, r.Span))
		case *r.Item.Value != "":
		case s.exact && shared <= enoughShared, r.Confidence < enoughSure:
			r.Item.Value = new(passage.Text(d, r.Span))
		default:
			a.fill(d, &r.Found, r.within, s.clause && shared == 1)
		}
		all = append(all, r.Found)
	}
	return all
}

// reply is a finding as an answer to a question.
type reply struct {
	finding.Found[insightapi.PromptAnswer]
	// within is the part of Span in which the value is.
	within layout.Span
}

// within returns the part of a sentence in which the value of a finding is: the finding, or
// the sentence if its words must tell apart several findings.
func (s *subject) within(found, sentence layout.Span) layout.Span {
	if s.exact {
		return sentence
	}
	return found
}

// bestOf returns the best few answers, best first, without overlapping ones.
func bestOf(found []reply) []reply {
	slices.SortStableFunc(found, func(a, b reply) int { return cmp.Compare(b.Confidence, a.Confidence) })
	var best []reply
	for _, f := range found {
		if len(best) == MaxAnswers || f.Confidence < nextBest*found[0].Confidence {
			break
		}
		if !slices.ContainsFunc(best, func(b reply) bool { return b.Span.Overlaps(f.Span) }) {
			f.Confidence = math.Round(f.Confidence*100) / 100
			best = append(best, f)
		}
	}
	return best
}

// sentenceOf returns the sentence that contains the start of a span, or the span itself
// if there is none.
func sentenceOf(d *structure.Document, s layout.Span) layout.Span {
	if i := passage.SentenceAt(d, s.Start); i >= 0 && d.Sentences[i].Len() <= passage.MaxSentence {
		return d.Sentences[i].Span
	}
	return s
}

// shareOf returns the fraction of the terms that text contains, 1 if there are no terms.
func shareOf(terms []string, text string) float64 {
	if len(terms) == 0 {
		return 1
	}
	has := map[string]bool{}
	for _, t := range vocabulary.Terms(text) {
		has[t] = true
	}
	n := 0
	for _, t := range terms {
		if has[t] {
			n++
		}
	}
	return float64(n) / float64(len(terms))
}

// generic are words of questions that do not say which finding is meant.
var generic = wordsOf(`need needed needs require required exist exists apply applies applied current currently clause clauses provision
	provisions section sections possible allowed allow mentioned mention contain contains include includes included specified stated
	deal long far much many date dates day days amount amounts value there name full exact exactly specify defined details related
	parts part reviewed lawyer highlight any happen happens automatically without consent permitted written`)

// wordsOf returns the terms of s as a set.
func wordsOf(s string) map[string]bool {
	set := map[string]bool{}
	for _, t := range vocabulary.Terms(s) {
		set[t] = true
	}
	return set
}

// whoIs matches a question about who has a role, such as "who is the landlord".
var whoIs = regexp.MustCompile(`\b(?:who(?:'s| is| are)|names? of|identity of|which (?:company|entity|person|party) is) (?:the )?([a-z][a-z -]{2,40}?)(?: (?:in|of|under|to|for) (?:the|this)\b.*)?\s*\??$`)

// roles returns the parties that the document defines for the role in a question in lower
// case: "Alder Works, Inc." for "who is the landlord". It returns none for other
// questions.
func roles(d *structure.Document, text string) []evidence {
	m := whoIs.FindStringSubmatch(text)
	if m == nil {
		return nil
	}
	var all []evidence
	for _, def := range d.Definitions {
		if !strings.EqualFold(def.Term, m[1]) || !parties.IsName(def) {
			continue
		}
		if value := strings.Trim(passage.Text(d, def.Span), " ,"); value != "" {
			all = append(all, evidence{Span: sentenceOf(d, def.Span), value: value, why: "The document calls this “" + def.Term + "”.", confidence: 0.85})
		}
	}
	return all
}

// Patterns for the texts before definitions, on one line.
var (
	// described matches where a name ends and a description of the party begins.
	described = regexp.MustCompile(`,?\s+(?:\(|(?:an?|with|having|whose|organi[sz]ed|incorporated|duly|located|of \d|acting|registered|company)\b).*|,\s+(?:An?|With|Having)\s.*`)
	leading   = regexp.MustCompile(`^(?i:by and between|between|among|and)\s+`)
	// unnamed matches a text that is no name.
	unnamed = regexp.MustCompile(`^[^\p{Lu}\d]|(?i)\b(?:agreement|contract|lease|parties|party|persons?|hereby|whereas|effective)\b|\[`)
)

// maxNames is the maximum number of parties in an answer.
const maxNames = 8

// namesIn returns the names of the parties that a sentence defines terms for: "A, B and
// C". It returns "" if there are not at least two, or one is unclear.
func namesIn(d *structure.Document, s layout.Span) string {
	var names []string
	for _, def := range d.Definitions {
		if !s.Overlaps(def.Span) || !parties.IsName(def) || notParty.MatchString(def.Term) {
			continue
		}
		name := leading.ReplaceAllString(strings.Trim(passage.Text(d, def.Span), " ,"), "")
		name = strings.Trim(described.ReplaceAllString(name, ""), " ,")
		if name == "" || unnamed.MatchString(name) || len(date.Find(name, 1)) > 0 || len(names) == maxNames {
			return ""
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) < 2 {
		return ""
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// notParty matches a defined term that no party has.
var notParty = regexp.MustCompile(`(?i)\b(?:agreement|contract|lease|date|part(?:y|ies)|purpose|term|property|premises|services|products?)\b`)
