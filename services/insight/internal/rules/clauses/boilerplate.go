package clauses

import (
	"fmt"
	"strings"
	"sync"

	"github.com/rectohq/recto/libs/contract/insightapi"
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/rules/finding"
	"github.com/rectohq/recto/services/insight/internal/rules/passage"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// boilerplate describes a kind of clause that most contracts have, mostly below a heading
// that names it. What these rules find is returned for texts of every length. In longer ones,
// the learned weights add sentences with other wordings. The rules are no votes for them.
type boilerplate struct {
	kind, says string
	// words lists words. Every sentence that clear accepts contains one of them.
	words []string
	// titles matches a part of a heading that names the kind.
	titles *regexp.Regexp
	// clear is the wording of a sentence that states the clause without any heading, and
	// under the wording that is enough below a heading that names the kind.
	clear, under wording
}

// The confidence in a clause that is found by its heading, by its wording, or by both: how
// often each was right on the contracts in tests/bench/gold/tune.jsonl.
const (
	byHeading = 0.75
	byWording = 0.8
	byBoth    = 0.9
)

// bits holds one bit for each kind of boilerplate.
type bits uint32

// boilerplateFinder finds boilerplate. It reads the sentences of a document in order.
type boilerplateFinder struct {
	d *structure.Document
	// only holds the kinds that are looked for.
	only bits
	// own holds the kinds that the nearest title of each section names, and above those
	// that any title around it names. stated holds the kinds whose wording was found in a
	// section, and hinted those that were found there by the heading alone.
	own, above, stated, hinted []bits
	// clear are findings by wording, and weak those by a heading alone. A weak one counts
	// only if the wording of its kind is nowhere in the section.
	clear, weak []statement
}

// statement is a sentence that states a clause of a kind.
type statement struct {
	kind     int
	sentence structure.Sentence
	// section is the section whose title names the kind, -1 for none.
	section    int
	confidence float64
}

// newBoilerplate returns a finder for a kind, or for all kinds for "".
func newBoilerplate(d *structure.Document, kind string) *boilerplateFinder {
	f := &boilerplateFinder{d: d}
	for k := range boilerplates {
		if kind == "" || kind == boilerplates[k].kind {
			f.only |= 1 << k
		}
	}
	if f.only == 0 {
		return f
	}
	n := len(d.Sections)
	f.own, f.above, f.stated, f.hinted = make([]bits, n), make([]bits, n), make([]bits, n), make([]bits, n)
	for i, s := range d.Sections {
		title := passage.Lower(s.Title)
		f.own[i] = titled(title)
		if s.Parent < 0 {
			f.above[i] = f.own[i]
			continue
		}
		if title == "" {
			f.own[i] = f.own[s.Parent]
		}
		f.above[i] = f.own[i] | f.above[s.Parent]
	}
	return f
}

// between matches what joins the parts of a heading, such as "Amendment; Waiver".
var between = regexp.MustCompile(`\s*(?:[;,/&–—:.]|\s-\s|\band\b|\bor\b)\s*`)

// titled returns the kinds that a title names.
func titled(title string) bits {
	if title == "" {
		return 0
	}
	named := bits(0)
	for _, part := range append(between.Split(title, 8), title) {
		part = strings.TrimPrefix(strings.TrimPrefix(part, "the "), "no ")
		for k := range boilerplates {
			if named>>k&1 == 0 && boilerplates[k].titles.MatchString(part) {
				named |= 1 << k
			}
		}
	}
	return named
}

// read reads the next sentence.
func (f *boilerplateFinder) read(s structure.Sentence) {
	if f.only == 0 {
		return
	}
	section := f.d.Paragraphs[s.Paragraph].Section
	var e evidence
	if section >= 0 {
		if s.End <= f.d.Sections[section].TitleSpan.End+len(".") {
			return
		}
		e.own, e.above = f.own[section]&^f.hinted[section], f.above[section]
	}
	e.worded = bits(boilerplateWords().In(s.Lower))
	candidates := (e.own | e.worded) & f.only
	if candidates == 0 || !isTerm(s.Lower) {
		return
	}
	in := ofBoilerplate.In(readable(s.Lower))
	if !passage.IsClause(f.d, s) {
		e.worded &= e.above
	}
	for k := range boilerplates {
		if candidates>>k&1 == 1 {
			f.judge(k, s, &in, e)
		}
	}
}

// evidence holds the kinds that a sentence may be of: those of which it has a word, those
// that the nearest title names, unless an earlier sentence was taken for what it announces,
// and those that any title around it names.
type evidence struct{ worded, own, above bits }

// judge adds a sentence if it states a clause of a kind.
func (f *boilerplateFinder) judge(k int, s structure.Sentence, in *regexp.Text, e evidence) {
	b, text := &boilerplates[k], in.String()
	section := f.d.Paragraphs[s.Paragraph].Section
	switch {
	case e.worded>>k&1 == 1 && b.clear(in) && !Refused(b.kind, text):
		x := statement{k, s, -1, byWording}
		if e.above>>k&1 == 1 {
			for i := section; i >= 0; i = f.d.Sections[i].Parent {
				f.stated[i] |= 1 << k
			}
			x.section, x.confidence = f.titleOf(k, section), byBoth
		}
		f.clear = append(f.clear, x)
	case e.own>>k&1 == 1 && isSentence(text) && b.under(in) && !Refused(b.kind, text):
		f.hinted[section] |= 1 << k
		f.weak = append(f.weak, statement{k, s, f.titleOf(k, section), byHeading})
	}
}

// titleOf returns the innermost section around a section whose title names a kind, -1 for
// none.
func (f *boilerplateFinder) titleOf(k, section int) int {
	for ; section >= 0; section = f.d.Sections[section].Parent {
		if f.own[section]>>k&1 == 1 && f.d.Sections[section].Title != "" {
			return section
		}
	}
	return -1
}

// found returns the clauses that were found.
func (f *boilerplateFinder) found() []finding.Found[insightapi.Clause] {
	all := f.clear
	for _, x := range f.weak {
		if f.stated[x.section]>>x.kind&1 == 0 {
			f.stated[x.section] |= 1 << x.kind
			all = append(all, x)
		}
	}
	found := make([]finding.Found[insightapi.Clause], 0, len(all))
	for _, x := range all {
		b := &boilerplates[x.kind]
		found = append(found, clause(x.sentence, b.kind, b.describe(x.sentence.Lower), f.why(x), x.confidence))
	}
	return found
}

// describe summarizes a sentence of the kind, which is in lower case.
func (b *boilerplate) describe(text string) string {
	if b.kind == termKind {
		if t := TermIn(text); t.Length.Count > 0 && !earliest.MatchString(text[:t.Length.Start]) {
			return "The contract runs for " + t.Length.String() + "."
		}
	}
	return b.says
}

// why says how a clause was found.
func (f *boilerplateFinder) why(x statement) string {
	if x.section < 0 {
		return "The wording is typical of this kind of clause."
	}
	title := passage.OneLine(f.d.Sections[x.section].Title)
	if x.confidence == byHeading {
		return fmt.Sprintf("The heading %q names this kind of clause.", title)
	}
	return fmt.Sprintf("The heading %q names this kind of clause, and the wording is typical of it.", title)
}

// boilerplateWords finds which kinds of boilerplate have one of their words in a text.
var boilerplateWords = sync.OnceValue(func() *regexp.Groups {
	var words [][]string
	for k := range boilerplates {
		words = append(words, boilerplates[k].words)
	}
	return regexp.NewGroups(words...)
})

var (
	// definition matches sentences that say what a term means, and recital those that say
	// why the contract is made.
	definition = regexp.MustCompile(`^[^.;]{0,80}\b(?:means (?:any|all|an?|the|this|that|those|each|either|with|information|and includes)|shall mean|is defined as|ha(?:s|ve) the (?:\w+ )?meanings?|shall have the (?:\w+ )?meanings?)\b|^\W{0,3}"[^"]{1,80}"\W[^.;]{0,20}\b(?:includes?|refers? to|shall (?:refer to|include))\b`)
	recital    = regexp.MustCompile(`^(?:\(?\w{1,3}[.)] )?whereas\b|^the parties (?:hereto )?(?:desire|wish) (?:to|that)\b`)
	// modal matches the verb of a sentence.
	modal = regexp.MustCompile(`\b(?:shall|will|must|may|can|cannot|agrees?|undertakes?|is|are)\b`)
)

// isTerm reports whether a text can be a term of the contract. Definitions, recitals and
// lines of a table of contents are none.
func isTerm(text string) bool {
	switch {
	case strings.Contains(text, "...."):
		return false
	case (strings.Contains(text, "mean") || strings.Contains(text, "defined") || strings.HasPrefix(text, `"`)) && definition.MatchString(text):
		return false
	}
	return !recital.MatchString(text)
}

// isSentence reports whether a text is a sentence rather than a heading or a label.
func isSentence(text string) bool {
	return strings.HasSuffix(text, ".") && strings.Count(text, " ") >= 3 || modal.MatchString(text)
}

// reference matches the title in a reference to another section: "9 (Confidentiality)".
var reference = regexp.MustCompile(`\b(?:[ivx]+|\d[\d.]*)(?:\(\w{1,3}\))*,?\s*(?:\([^()]{4,}\)|"[^"]{4,}")`)

// underline matches the line below a heading, which is often in the middle of the text.
var underline = regexp.MustCompile(`\s*[-_]{3,}\s*`)

// readable returns a text without the titles in references to other sections, and without
// underlines.
func readable(text string) string {
	if strings.ContainsAny(text, `("`) {
		text = reference.ReplaceAllString(text, "")
	}
	if strings.Contains(text, "---") || strings.Contains(text, "___") {
		text = underline.ReplaceAllString(text, " ")
	}
	return text
}
