package parties

import (
	"slices"
	"strings"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/learn"
	"github.com/rectohq/recto/services/insight/internal/learn/names"
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/rules/finding"
	"github.com/rectohq/recto/services/insight/internal/rules/naming"
	"github.com/rectohq/recto/services/insight/internal/rules/preamble"
	"github.com/rectohq/recto/services/insight/internal/space"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// enough is the number of parties after which weaker signs are not used.
const enough = 2

// source is a way to find parties.
type source struct {
	// name identifies the source to the weights for names.
	name       string
	find       func(*structure.Document) []preamble.Party
	reasoning  string
	confidence float64
	// letter says that the source is for letters.
	letter bool
}

// sources returns the ways to find parties, the most reliable first.
func sources() []source {
	return []source{
		{"preamble", preamble.Find, "The beginning of the document names this party.", 0.95, false},
		{"label", preamble.Labelled, "A label near the beginning of the document names this party.", 0.85, false},
		{"definition", preamble.Defined, "The beginning of the document defines a term for this party.", 0.85, false},
		{"term", preamble.Called, "The beginning of the document says what it calls this party.", 0.8, false},
		{"signature", signing, "A signature block names this party.", 0.82, false},
		{"addressee", addressee, "The letter is addressed to this party.", 0.7, true},
		{"letterhead", preamble.Letterhead, "The letterhead names this party.", 0.65, false},
	}
}

// addressee returns the addressee of a letter, unless the address is that of the letterhead.
func addressee(d *structure.Document) []preamble.Party {
	heads := preamble.Letterhead(d)
	return slices.DeleteFunc(preamble.Addressee(d), func(p preamble.Party) bool {
		return slices.ContainsFunc(heads, func(head preamble.Party) bool { return head.Name.Overlaps(p.Name) })
	})
}

// Find returns the parties to the document in text order.
func Find(d *structure.Document) []finding.Found[insightapi.Party] {
	return FindWith(d, learn.Parties())
}

// FindWith is Find with other weights for names. nil leaves parties to the rules alone.
func FindWith(d *structure.Document, weights *names.Model) []finding.Found[insightapi.Party] {
	found, votes := byRules(d)
	if weights != nil && (len(found) < enough || slices.ContainsFunc(found, mayBePerson)) {
		judged := naming.Read(d).Judge(weights, votes)
		if len(found) < enough {
			found = withLikely(d, withoutUnlikely(d, found, votes, judged), judged)
		}
		markPersons(d, found, judged)
	}
	found = finding.ByPlace(found)
	for i := range found {
		found[i].Item.PartyIndex = i
	}
	return found
}

// Votes says which source of the rules finds a party, by the naming.Key of its name.
func Votes(d *structure.Document) map[string]string {
	_, votes := byRules(d)
	return votes
}

// byRules returns the parties that the rules find, and the source of each by the naming.Key of its name.
// Each source adds parties only if those before it found fewer than two. The addressee of a letter is one
// more party, unless the letter lists the parties.
func byRules(d *structure.Document) (found []finding.Found[insightapi.Party], votes map[string]string) {
	seen, listed := map[string]bool{}, false
	votes = map[string]string{}
	for i, s := range sources() {
		if len(found) >= enough && !(s.letter && !listed) {
			continue
		}
		for _, p := range s.find(d) {
			f := finding.Found[insightapi.Party]{Item: item(d, p), Span: p.Whole, Reasoning: s.reasoning, Confidence: s.confidence}
			if key := partyKey(f.Item.PartyName); key != "" && !seen[key] {
				seen[key], votes[naming.Key(f.Item.PartyName)] = true, s.name
				found = append(found, f)
			}
		}
		listed = listed || i == 0 && len(found) > 0
	}
	if len(found) == 0 && !namesOthers.MatchString(d.Text) {
		found = signers(d)
	}
	found = withOthers(d, found)
	for _, f := range found {
		if key := naming.Key(f.Item.PartyName); votes[key] == "" {
			votes[key] = "signer"
		}
	}
	return found, votes
}

// withOthers adds the people who sign together with the only party that was found, who signs for itself.
func withOthers(d *structure.Document, found []finding.Found[insightapi.Party]) []finding.Found[insightapi.Party] {
	if len(found) != 1 || found[0].Item.PartyKind != insightapi.PartyPerson {
		return found
	}
	key := partyKey(found[0].Item.PartyName)
	all := signers(d)
	own := slices.IndexFunc(all, func(f finding.Found[insightapi.Party]) bool { return partyKey(f.Item.PartyName) == key })
	if own < 0 {
		return found
	}
	return append(found, slices.Delete(all, own, own+1)...)
}

// namesOthers matches a list of parties that could not be read, and the legal form of a company, for which
// people may sign.
var namesOthers = regexp.MustCompile(`\b(?:[Bb]etween|BETWEEN|Inc|INC|LLC|Ltd|LTD|Limited|LIMITED|Corp|Corporation|CORPORATION|Company|COMPANY|GmbH|AG|plc|PLC|Partnership|Bank|Trust|Association)\b`)

// signers returns the people who sign a document that names no party otherwise, each for themselves.
func signers(d *structure.Document) (found []finding.Found[insightapi.Party]) {
	seen := map[string]bool{}
	for _, block := range d.Signatures[:min(len(d.Signatures), finding.MaxItems)] {
		for _, s := range bySigner(d, block) {
			name := ""
			if s.Name.Len() > 0 && s.Name.Len() <= maxName {
				name = written(d, s.Name)
			}
			if len(strings.Fields(name)) < 2 {
				continue
			}
			if s.Title.Len() > 0 || s.Party.Len() > 0 && !preamble.IsBareRole(d.Plain(s.Party)) {
				return nil
			}
			if key := partyKey(name); !seen[key] {
				seen[key] = true
				found = append(found, finding.Found[insightapi.Party]{
					Item: insightapi.Party{PartyName: name, PartyKind: insightapi.PartyPerson}, Span: s.Name,
					Reasoning: "This person signs the document, which names no other party.", Confidence: 0.5,
				})
			}
		}
	}
	if len(found) < enough {
		return nil
	}
	return found
}

// item returns a party as an item.
func item(d *structure.Document, p preamble.Party) insightapi.Party {
	name := nameOf(d, p)
	i := insightapi.Party{
		PartyName: name, ReferenceName: stated(p.Reference()), PartyRole: stated(p.PartyRole()), PartyKind: insightapi.PartyOrganization,
		Address: stated(p.Address()),
	}
	if p.IsPerson(name) || signs(d, name) {
		i.PartyKind = insightapi.PartyPerson
	} else {
		i.Jurisdiction = stated(p.Jurisdiction())
	}
	return i
}

// nameOf returns the name of a party on one line.
func nameOf(d *structure.Document, p preamble.Party) string {
	return strings.Trim(underline.ReplaceAllString(d.Plain(p.Name), " "), " ,;")
}

// signs reports whether a signature block has a name as that of a person who signs for no
// other party.
func signs(d *structure.Document, name string) bool {
	for _, s := range d.Signatures[:min(len(d.Signatures), finding.MaxItems)] {
		if s.Name.Len() > 0 && s.Name.Len() <= maxName && strings.EqualFold(written(d, s.Name), name) {
			return true
		}
	}
	return false
}

// underline matches hyphens that underline a name, with the white space around them.
var underline = regexp.MustCompile(` ?-{3,} ?`)

// stated returns nil for what a document does not state.
func stated(value string) *string {
	if value == "" {
		return nil
	}
	return &value
}

// signing returns the organizations in signature blocks.
func signing(d *structure.Document) (found []preamble.Party) {
	for _, s := range d.Signatures {
		if s.Party.Len() == 0 || s.Party.Len() > maxName {
			continue
		}
		at := s.Party
		if m := onBehalf.FindStringIndex(d.Text[at.Start:at.End]); m != nil {
			at.Start += m[1] // the one who signs acts for another
		}
		if p, ok := preamble.Named(d, at); ok && p.Sure {
			found = append(found, p)
		}
	}
	return append(found, behalves(d)...)
}

const (
	// signingTail is how many bytes at the end of a document are searched for those on whose
	// behalf it is signed.
	signingTail = 40_000
	// maxBehalves is the maximum number of these.
	maxBehalves = 200
)

// onBehalf matches the text before the name of the party for which a firm signs.
var onBehalf = space.Compile(`(?i)\bon\s+behalf\s+of\s+(?:the\s+)?`)

// behalf matches the text before the name of a party on whose behalf a document is signed.
var behalf = space.Compile(`(?i)\bfor\s+and\s+on\s+behalf\s+of:?\s+`)

// behalves returns the organizations on whose behalf the document is signed, where its end
// says so.
func behalves(d *structure.Document) (found []preamble.Party) {
	from := max(0, len(d.Text)-signingTail)
	for _, m := range behalf.FindAllStringIndex(d.Text[from:], maxBehalves) {
		s := layout.Span{Start: from + m[1], End: min(len(d.Text), from+m[1]+maxName)}
		if p, ok := preamble.Named(d, s); ok && (p.Sure || fillsLine(d, from+m[0], p) && !isTerm(d, p)) {
			found = append(found, p)
		}
	}
	return found
}

// fillsLine reports whether a name is the rest of the line on which an offset is. After "on
// behalf of", nothing else needs to show that it is one.
func fillsLine(d *structure.Document, at int, p preamble.Party) bool {
	behind, _, ended := strings.Cut(d.Text[p.Name.End:min(len(d.Text), p.Name.End+maxName)], "\n")
	return ended && strings.TrimSpace(behind) == "" && !strings.Contains(d.Text[at:p.Name.End], "\n")
}

// isTerm reports whether the name of a party is a term that the document defines.
func isTerm(d *structure.Document, p preamble.Party) bool {
	name := d.Plain(p.Name)
	return slices.ContainsFunc(d.Definitions, func(def structure.Definition) bool { return strings.EqualFold(def.Term, name) })
}

// spellings are the spellings of legal forms that count as the same.
var spellings = map[string]string{"incorporated": "inc", "corporation": "corp", "limited": "ltd", "company": "co"}

// partyKey returns a form of a name that its spellings in one document share: its words
// without case, accents and punctuation, without "the" at the beginning, and with the same
// spelling of its legal form.
func partyKey(name string) string {
	words := nameWords(name)
	if len(words) > 1 && words[0] == "the" {
		words = words[1:]
	}
	words = slices.Clone(words)
	for i, w := range words {
		if same, ok := spellings[w]; ok {
			words[i] = same
		}
	}
	return strings.Join(words, " ")
}
