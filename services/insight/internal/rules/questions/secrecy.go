package questions

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/learn"
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/rules/clauses"
	"github.com/rectohq/recto/services/insight/internal/rules/finding"
	"github.com/rectohq/recto/services/insight/internal/rules/passage"
	"github.com/rectohq/recto/services/insight/internal/rules/period"
	"github.com/rectohq/recto/services/insight/internal/rules/questions/reviewed"
	"github.com/rectohq/recto/services/insight/internal/rules/title"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// Patterns for sentences about a duty to keep information confidential, on one line in lower
// case.
var (
	secret = regexp.MustCompile(`\b(?:confiden\w+|secre\w+|non-?disclos\w+|proprietary|disclos\w+|divulg\w+)\b`)
	// dutyLasts matches a duty with the verb that says how long it lasts.
	dutyLasts = regexp.MustCompile(`\b(?:obligations?|obliged|dut(?:y|ies)|commitments?|undertakings?|covenants?|restrictions?|provisions?|terms|confidentiality|non-?disclosure|sections?|clauses?|articles?|paragraphs?|agreement)\b[^.;]{0,240}?\b(?:surviv\w+|continu\w+|remains?|extends?|lasts?|expires?|ceases?|terminates?|lapses?|ends?|endures?|appl(?:y|ies)|binding|in (?:full )?(?:force|effect)|effective|be for)\b|\b(?:period|term) (?:of|for)\b[^.;]{0,40}\b(?:confidentiality|secrecy|non-?disclosure)\b|\b(?:confidentiality|secrecy|non-?disclosure) (?:period|term)\b`)
	// keeps matches an act of confidence, and hides what must not be done.
	keeps = regexp.MustCompile(`\b(?:keeps?|kept|holds?|held|maintain\w*|treat\w*|retain\w*|preserve\w*|safeguard|protect\w*|remains?|be)\b[^.;]{0,160}?\b(?:confidential(?:ly|ity)?|confidence|secret|secrecy)\b`)
	hides = regexp.MustCompile(`\b(?:not|neither|nor|never|refrain)\b[^.;]{0,120}?\b(?:disclos(?:e|es|ed|ing)|divulg\w+|reveal\w*|communicat(?:e|es|ed|ing)|publish\w*|disseminat(?:e|es|ed|ing))\b|\b(?:prevent|avoid)\b[^.;]{0,60}?\bdisclos\w+`)
	// lastsUntil matches the text before the length of a duty.
	lastsUntil = regexp.MustCompile(`(?:\bfor(?: \w+){0,3}|\buntil [^.;]{0,80}|\b(?:expires?|terminates?|ceases?|lapses?|ends?|effective|lasts?|surviv\w+|continues?|extends?)(?: \w+){0,3}|\b(?:period|term) (?:of|is|(?:shall|will) be)(?: \w+){0,3})\W*$`)
	// adverbial matches the words before a period that says how long the act after it lasts.
	adverbial = regexp.MustCompile(`\b(?:for|during)\b[^.;,]{0,40}$`)
	// otherDuty matches the words for a duty that has a period of its own.
	otherDuty = regexp.MustCompile(`\b(?:solicit\w*|compet(?:e|es|ing|ition)|non-?compet\w+|hire|employ|records|audit(?:s|ed|ing)?|insurance|(?:means?|includes?) (?:any|all|the|that|those|such|information|without))\b`)
	// always matches a time without an end, and then one that ends on an anniversary or when
	// the information is no longer secret.
	always = regexp.MustCompile(`\b(?:indefinitely|perpetually|in perpetuity|for ?ever|without (?:any )?(?:limit(?:ation)?|restriction) (?:of|in|as to|on) (?:time|duration)|for an (?:indefinite|unlimited) (?:period|term|time)(?: of time)?)\b`)
	then   = regexp.MustCompile(`\b(?:until|on|upon) the [^.;]{0,30}?\banniversary\b|\b(?:until|(?:for )?(?:as|so) long as)\b[^.;]{0,160}?\b(?:public(?:ly)?|generally (?:known|available)|confidential|secret|trade secrets?|falls? within|proprietary)\b`)
	// outlives matches a duty that does not end with the contract.
	outlives = regexp.MustCompile(`\b(?:surviv\w+|continu\w+ after|remains? [^.;]{0,60}after)\b[^.;]{0,120}?\b(?:terminat\w+|expir\w+|end)\b`)
)

// secrecy returns how long information must be kept confidential. A contract about
// confidentiality that does not say so for the duty says so with its term.
func secrecy(d *source) []evidence {
	about := keepsSecrets(d.Document)
	all := dutiesIn(d.Document, about)
	if len(all) == 0 && about {
		for _, e := range lasting(d) {
			e.confidence *= 0.75
			e.why = "The document does not say how long the duty lasts. This is how long the contract lasts."
			all = append(all, e)
		}
	}
	return all
}

// dutyAsTerm returns how long the duty to keep information confidential lasts in a contract
// about it, unless that is counted from the end of the contract.
func dutyAsTerm(d *structure.Document) []evidence {
	var all []evidence
	for _, e := range dutiesIn(d, true) {
		if e.label == outlivesContract {
			continue
		}
		e.confidence *= 0.9
		e.why = "The document states no term of the contract. This is how long the duty to keep information confidential lasts."
		all = append(all, e)
	}
	return all
}

// outlivesContract labels evidence for a duty that is counted from the end of the contract.
const outlivesContract = "after the end of the contract"

// dutiesIn returns the sentences that say how long information must be kept confidential. A
// contract about confidentiality, or a section about it, need not say what its duties are.
func dutiesIn(d *structure.Document, about bool) []evidence {
	var all []evidence
	for i, s := range statements(d) {
		if len(all) >= finding.MaxItems {
			break
		}
		text := plainly(d, s)
		if !secret.MatchString(text) && (!dutyLasts.MatchString(text) || !about && !titledSecret(d, d.Sentences[i].Paragraph)) {
			continue
		}
		e := evidence{Span: s, value: passage.Text(d, s), why: "The sentence says how long information must be kept confidential."}
		if e.timed(d, text) || e.endless(text) {
			all = append(all, e)
		}
	}
	return all
}

// titledSecret reports whether the title of a paragraph's section names confidentiality.
func titledSecret(d *structure.Document, paragraph int) bool {
	return secret.MatchString(passage.Lower(passage.SectionTitle(d, paragraph)))
}

// timed reports whether the sentence of e says for how many months or years a duty lasts, and
// completes e if so.
func (e *evidence) timed(d *structure.Document, text string) bool {
	term := clauses.TermIn(text).Length
	for _, p := range period.Find(text, maxPeriods) {
		if _, ok := p.Months(); !ok || p == term || !isDuty(text, p) {
			continue
		}
		e.value, e.confidence = cmp.Or(written(d, e.Span, p), e.value), 0.68
		if clauses.SinceEnd(text, p) || survives(text[:p.Start]) {
			e.label = outlivesContract
		}
		return true
	}
	return false
}

// endless reports whether the sentence of e says that a duty has no end, ends with an event, or
// outlives the contract, and completes e if so.
func (e *evidence) endless(text string) bool {
	e.confidence = 0.55
	if m := always.FindStringIndex(text); m != nil && (isHeld(text[:m[0]]) || isActed(text[m[1]:])) {
		if clauses.SinceEnd(text, period.Period{Span: layout.Span{Start: m[0], End: m[1]}}) {
			e.label = outlivesContract
		}
		return true
	}
	if m := then.FindStringIndex(text); m != nil && dutyLasts.MatchString(text[:m[0]]) && !otherDuty.MatchString(text[:m[0]]) {
		return true
	}
	e.confidence, e.label = 0.5, outlivesContract
	m := outlives.FindStringIndex(text)
	return m != nil && secret.MatchString(text[:m[0]]) && dutyLasts.MatchString(text[:m[1]]) && !otherDuty.MatchString(text[:m[0]])
}

// survives reports whether a text says that a duty outlives the contract, rather than talks or
// services.
func survives(text string) bool {
	m := outlives.FindStringIndex(text)
	return m != nil && (!strings.HasPrefix(text[m[1]:], " of ") || ofContract.MatchString(text[m[1]:]))
}

var ofContract = regexp.MustCompile(`^ of (?:this|the|such) (?:[\w-]+ ){0,3}(?:agreement|contract)\b`)

// How many bytes before and after a period its duty is looked for. The act that a sentence
// forbids for a period may begin with the "not" just before it.
const (
	reach  = 400
	within = 80
)

// isDuty reports whether a period is how long a duty lasts that the text around it states.
func isDuty(text string, p period.Period) bool {
	before := text[max(0, p.Start-reach):p.Start]
	if otherDuty.MatchString(before) || !lastsUntil.MatchString(before) || period.OfNotice(text, p) {
		return false
	}
	return isHeld(before) || adverbial.MatchString(before) && isActed(text[max(0, p.Start-within):min(len(text), p.End+reach)])
}

// isHeld reports whether a text before a time states a duty that lasts until then.
func isHeld(before string) bool {
	return !otherDuty.MatchString(before) && (dutyLasts.MatchString(before) || keeps.MatchString(before) || hides.MatchString(before))
}

// isActed reports whether a text after a time states a duty that lasts until then.
func isActed(after string) bool {
	return !otherDuty.MatchString(after) && (keeps.MatchString(after) || hides.MatchString(after))
}

// ofSecrecy matches the title of a contract about confidentiality.
var ofSecrecy = regexp.MustCompile(`\b(?:confidential\w*|non-? ?disclosure|secrecy|nda|cda)\b`)

// keepsSecrets reports whether the contract is about confidentiality: its title says so, or
// most of its sentences do.
func keepsSecrets(d *structure.Document) bool {
	for _, f := range title.Find(d, "") {
		if ofSecrecy.MatchString(passage.Lower(f.Item.Title)) {
			return true
		}
	}
	about := 0
	for _, s := range d.Sentences {
		if secret.MatchString(s.Lower) {
			about++
		}
	}
	return 2*about > len(d.Sentences)
}

// VotesOn returns the votes of the rules on the sentences of a confidentiality agreement: those that
// answer the usual statement on a matter.
func VotesOn(d *structure.Document) []learn.Votes {
	votes, q := make([]learn.Votes, len(d.Sentences)), New(d, "")
	for k, m := range reviewed.Matters {
		for _, f := range q.Answers(m.Statement) {
			for i := passage.SentenceAt(d, f.Span.Start); i >= 0 && i < len(votes) && d.Sentences[i].Overlaps(f.Span); i++ {
				votes[i] |= 1 << k
			}
		}
	}
	return votes
}

// VotesOf returns the votes on the matter with a name.
func VotesOf(name string) learn.Votes {
	i := slices.IndexFunc(reviewed.Matters, func(m reviewed.Matter) bool { return m.Name == name })
	if i < 0 {
		return 0
	}
	return 1 << i
}

// SetSecrecy sets the weights that find what reviewers of confidentiality agreements look for. nil
// leaves it to the words that sentences share with a statement.
func (q *Questions) SetSecrecy(weights *learn.Model) { q.weights = weights }

// matterOf returns the matter that a statement or a yes-or-no question is about. It returns false
// if there is none, or the document is no confidentiality agreement.
func (q *Questions) matterOf(a *asking) (reviewed.Matter, bool) {
	if q.weights == nil || plain(a.text) && kindIn(a.text) != verdict {
		return reviewed.Matter{}, false
	}
	m, ok := reviewed.Of(a.text)
	return m, ok && q.secretive()
}

// secretive reports whether the document is a confidentiality agreement. It finds the passages of
// one when it is first called.
func (q *Questions) secretive() bool {
	if q.passages == nil {
		q.passages = map[string][]learn.Passage{}
		if q.secret = keepsSecrets(q.doc); q.secret {
			q.passages = q.weights.Likeliest(learn.ReadWords(q.doc), VotesOn(q.doc))
		}
	}
	return q.secret
}

// passagesOn returns the passages that settle a matter as answers.
func (q *Questions) passagesOn(m reviewed.Matter, question string, a *asking) []finding.Found[insightapi.PromptAnswer] {
	var found []finding.Found[insightapi.PromptAnswer]
	q.readWords()
	for _, p := range q.passages[m.Name] {
		span := q.doc.Sentences[p.Sentence].Span
		f := finding.Found[insightapi.PromptAnswer]{
			Item: insightapi.PromptAnswer{Message: question}, Span: span, Confidence: math.Round(100*p.Probability) / 100,
			Reasoning: finding.Weighed("what reviewers compare with such a statement", q.doc, p),
		}
		a.fill(q.doc, &f, span, p.Probability >= likely)
		if q.introduce(a, &f, p.Sentence, found); !overlaps(found, f.Span) {
			found = append(found, f)
		}
	}
	return found
}

// likely is the least probability of a passage that shows that an agreement has such a provision.
const likely = 0.5
