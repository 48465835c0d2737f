package preamble

import (
	"slices"
	"strings"

	"github.com/rectohq/recto/libs/formats/layout"
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/space"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// Defined returns the parties that the first sentence with such definitions defines terms
// for, without saying that it lists the parties: "Acme Inc. (the "Company") confirms its
// agreement with Jane Doe (the "Consultant")".
func Defined(d *structure.Document) (found []Party) {
	for _, def := range d.Definitions {
		if def.TermSpan.Start > labelReach || len(found) > 0 && def.Start > found[0].Name.Start+maxDefining {
			break
		}
		if def.Overlaps(def.TermSpan) || def.Len() > maxAbout {
			continue
		}
		if p, ok := defined(d, def); ok {
			found = append(found, p)
		}
	}
	return found
}

// defined returns the party that a definition in parentheses defines a term for: its name
// begins the text that the term stands for, or ends it.
func defined(d *structure.Document, def structure.Definition) (Party, bool) {
	l := lister{text: d.Text, end: def.TermSpan.End + cut(d.Text[def.TermSpan.End:], maxLead)}
	p, ok := l.party(def.Start + len(article.FindString(d.Text[def.Start:def.End])))
	if !ok || p.Name.End > def.End || !HasForm(d.Plain(p.Name)) {
		start := lastName(d.Text, def.Span)
		if last, found := l.party(start); found && !onWhich.MatchString(d.Text[def.Start:start]) && (!ok || p.Name.End > def.End || HasForm(d.Plain(last.Name))) {
			p, ok = last, true
		}
	}
	name := d.Plain(p.Name)
	if !ok || p.Name.End > def.End || !slices.Contains(p.Terms, def.Term) || foreign.MatchString(name) || !HasForm(name) && (!isRole(def.Term) || isRole(name)) {
		return p, false
	}
	p.Sure = true
	return p, true
}

// onWhich matches the text before the name of something on which a party does business: "on the
// Alder Tour".
var onWhich = space.Compile(`\bon\s+(?:the\s+|The\s+)?$`)

// described matches the description of a party that ends a text.
var described = space.Compile(`^,?\s+an?\s[^,;]{0,120}$`)

// lastName returns the offset of the name with which a span ends, perhaps with a description, or
// of its end if there is none.
func lastName(text string, s layout.Span) int {
	for _, at := range wordStart.FindAllStringIndex(text[s.Start:s.End], maxNameStarts) {
		start := s.Start + at[1]
		if n := Name(text[start:s.End]); n > 0 && (strings.Trim(text[start+n:s.End], " ,\n") == "" || described.MatchString(text[start+n:s.End])) && !kind.MatchString(text[start:start+n]) {
			return start
		}
	}
	return s.End
}

// kind matches a description that is not a name, such as "Nevada corporation".
var kind = space.Compile(`\s(?:corporation|company|partnership|bank|trust|association)$`)

// maxNameStarts is the maximum number of words at which the name is looked for.
const maxNameStarts = 200

// wordStart matches the white space before a word with a capital letter, after a word
// without one.
var wordStart = space.Compile(`\b(?:\p{Ll}[\pL]*|\d{4},|I,)\s+(?:(?:the|The)\s+)?`)

// maxDefining is the maximum distance between parties that are defined together, in bytes.
const maxDefining = 2500

var (
	article = space.Compile(`^(?:(?i:the|and|that|whereas,?|I,|we,|you,)\s+)*`)
	// foreign matches institutions for which contracts define terms, but which are not
	// parties to them.
	foreign = regexp.MustCompile(`(?i)\b(?:exchange commission|drug administration|stock exchange|deposit insurance|internal revenue|nasdaq|patent|arbitration association|securities dealers|act|directors)\b`)
)
