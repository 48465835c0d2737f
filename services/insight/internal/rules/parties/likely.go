package parties

import (
	"slices"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/services/insight/internal/rules/finding"
	"github.com/rectohq/recto/services/insight/internal/rules/naming"
	"github.com/rectohq/recto/services/insight/internal/rules/preamble"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// withLikely adds the names that are probably those of parties to the parties that the rules found.
func withLikely(d *structure.Document, found []finding.Found[insightapi.Party], judged []naming.Judged) []finding.Found[insightapi.Party] {
	for _, j := range judged {
		key := partyKey(d.Plain(j.Span))
		if !j.Party || slices.ContainsFunc(found, func(f finding.Found[insightapi.Party]) bool { return partyKey(f.Item.PartyName) == key }) {
			continue
		}
		p := preamble.At(d, j.Span)
		f := finding.Found[insightapi.Party]{Item: item(d, p), Span: p.Whole, Reasoning: "The document uses this name like that of a party.", Confidence: j.Probability}
		if j.Reason != "" {
			f.Reasoning = "The document uses this name like that of a party: " + j.Reason + "."
		}
		found = append(found, f)
	}
	return found
}

// weakSources are the sources that look only at where a name stands. The first line of a note may be its
// title, not the name of a firm.
var weakSources = map[string]bool{"letterhead": true, "addressee": true, "signer": true}

// withoutUnlikely removes the parties that only a weak source names, and that the document does not use like a
// party.
func withoutUnlikely(d *structure.Document, found []finding.Found[insightapi.Party], votes map[string]string, judged []naming.Judged) []finding.Found[insightapi.Party] {
	unlikely := map[string]bool{}
	for _, j := range judged {
		unlikely[partyKey(d.Plain(j.Span))] = !j.Party
	}
	return slices.DeleteFunc(found, func(f finding.Found[insightapi.Party]) bool {
		return weakSources[votes[naming.Key(f.Item.PartyName)]] && unlikely[partyKey(f.Item.PartyName)]
	})
}

// markPersons marks parties that the rules take for organizations, and that are people.
func markPersons(d *structure.Document, found []finding.Found[insightapi.Party], judged []naming.Judged) {
	persons := map[string]bool{}
	for _, j := range judged {
		persons[partyKey(d.Plain(j.Span))] = j.Person
	}
	for i := range found {
		if p := &found[i].Item; mayBePerson(found[i]) && persons[partyKey(p.PartyName)] {
			p.PartyKind, p.Jurisdiction = insightapi.PartyPerson, nil
		}
	}
}

// mayBePerson reports whether the rules take a party for an organization only because nothing says that it is
// a person.
func mayBePerson(f finding.Found[insightapi.Party]) bool {
	return f.Item.PartyKind == insightapi.PartyOrganization && !preamble.HasForm(f.Item.PartyName)
}
