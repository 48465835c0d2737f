package evaluation

import (
	"strings"

	"github.com/rectohq/recto/libs/contract/insightapi"
)

// signerGold is a labelled signer. Party and title are "" if there is none.
type signerGold struct{ name, party, title string }

// signers scores signers three times: the names of the people, and each person with the party and with
// the title. The names are compared as sets. With the party, a person who signs for several parties
// counts once for each. The role that an answer gives must contain the label. A person's own name is
// no party.
func (r *Report) signers(found []insightapi.Signer, gold []signerGold) {
	addSet(r.score("signers"), found, func(s insightapi.Signer) string { return personName(s.SignerFullName) }, gold, func(s signerGold) string { return personName(s.name) })
	r.signerRoles("signers with their parties", found, gold, func(g signerGold) string {
		if personName(g.party) == personName(g.name) {
			return ""
		}
		return g.party
	})
	r.signerRoles("signers with their titles", found, gold, func(g signerGold) string { return g.title })
}

// signerRoles scores signers with a part of their role, "" for none.
func (r *Report) signerRoles(row string, found []insightapi.Signer, gold []signerGold, part func(signerGold) string) {
	s := r.score(row)
	used := make([]bool, len(found))
	for _, given := range []bool{true, false} { // a signer without the part must not take the place of one with it
		for _, g := range gold {
			if (part(g) != "") == given {
				s.addGold(take(found, used, g.name, part(g)))
			}
		}
	}
	for i, f := range found {
		if f.SignerFullName != "" {
			s.addFound(used[i])
		}
	}
}

// take marks the first signer with a name and a part of a role as used. It reports false if there is
// none.
func take(found []insightapi.Signer, used []bool, name, part string) bool {
	for i, f := range found {
		if !used[i] && personName(f.SignerFullName) == personName(name) && strings.Contains(partyKey(f.SignerRole), partyKey(part)) {
			used[i] = true
			return true
		}
	}
	return false
}
