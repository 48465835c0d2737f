// Package parties finds the parties to a document, who signs for each of them and in
// which block, and which party is the caller.
package parties

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/rules/finding"
	"github.com/rectohq/recto/services/insight/internal/rules/passage"
	"github.com/rectohq/recto/services/insight/internal/structure"
	"github.com/rectohq/recto/services/insight/internal/structure/signature"
)

// Signers returns the signers in the order of their signature blocks. Indexes start at 0,
// ids at "signer-1". A block without a name represents the person who will sign for its
// party. A person who signs for the same party in several blocks, as in the exhibits, is one
// signer.
func Signers(d *structure.Document) []finding.Found[insightapi.Signer] {
	s := signingsOf(d)
	if len(s.signers) == 0 {
		return nil
	}
	known := namesOf(d)
	for i := range s.signers {
		s.signers[i].Item.SignerRole = role(s.said[i].title, known.complete(s.said[i].party))
	}
	return s.signers
}

// signings are the signature blocks of a document and their signers.
type signings struct {
	// blocks are the blocks that have a signer, each once for each person who signs in it. of has
	// the index of the signer of each.
	blocks  []structure.Signature
	of      []int
	signers []finding.Found[insightapi.Signer]
	// said has the capacity of each signer.
	said []capacity
	// named has the index of the last signer with a name, and of the one with a name and a party.
	named map[string]int
}

// capacity is for whom someone signs, and as what.
type capacity struct {
	party, title string
	end          int // of the first block
}

// apart is the minimum number of bytes between two blocks of the same signer if one of them or both
// name no party. Blocks that are closer may be for two parties.
const apart = 1500

// signingsOf returns the signature blocks of d.
func signingsOf(d *structure.Document) signings {
	s := signings{named: map[string]int{}}
	for _, signature := range d.Signatures {
		for _, block := range bySigner(d, signature) {
			if len(s.blocks) >= finding.MaxItems {
				return s
			}
			now := capacity{written(d, block.Party), titleOf(d, block), block.End}
			if f, ok := signer(d, block, now, len(s.signers)); ok {
				s.add(block, f, now)
			}
		}
	}
	return s
}

// add adds a block and its signer, who may be one of those before.
func (s *signings) add(block structure.Signature, f finding.Found[insightapi.Signer], now capacity) {
	s.blocks = append(s.blocks, block)
	name := personKey(f.Item)
	index, ok := s.again(name, block.Start, now)
	s.of = append(s.of, index)
	if !ok {
		s.signers, s.said = append(s.signers, f), append(s.said, now)
	} else {
		one, first := &s.signers[index], &s.said[index]
		first.party, first.title = cmp.Or(first.party, now.party), cmp.Or(first.title, now.title)
		one.Item.Email = cmp.Or(one.Item.Email, f.Item.Email)
		one.Confidence = max(one.Confidence, f.Confidence)
	}
	if name != "" {
		s.named[name], s.named[name+forParty+partyKey(s.said[index].party)] = index, index
	}
}

// forParty separates the keys of a person and a party.
const forParty = "\x00"

// again returns the index of the signer with a name who signed for the same party before. If there is
// none, it returns that of the next signer, and false.
func (s *signings) again(name string, start int, now capacity) (int, bool) {
	if name == "" {
		return len(s.signers), false
	}
	if index, ok := s.named[name+forParty+partyKey(now.party)]; ok && now.party != "" {
		return index, true
	}
	index, ok := s.named[name]
	if !ok || now.party != "" && s.said[index].party != "" || start-s.said[index].end <= apart {
		return len(s.signers), false
	}
	return index, true
}

// titleOf returns the signer's title in a block.
func titleOf(d *structure.Document, s structure.Signature) string {
	return strings.TrimSpace(written(d, s.Title) + " " + written(d, s.TitleRest))
}

// personKey returns a form of a signer's name that its spellings in one document share: the first
// and the last name. It is empty for a single name.
func personKey(s insightapi.Signer) string {
	if s.FirstName == "" || s.LastName == "" {
		return ""
	}
	return strings.Join(append(nameWords(s.FirstName), nameWords(s.LastName)...), " ")
}

// bySigner returns a block once for each person who signs in it, and for each party for which they
// sign.
func bySigner(d *structure.Document, s structure.Signature) []structure.Signature {
	all := []structure.Signature{s}
	if first, second, ok := signature.Joint(d.Text, s.Name); ok {
		all = append(all, s)
		all[0].Name, all[1].Name = first, second
	}
	if s.Name.Len() == 0 {
		return all
	}
	for _, one := range slices.Clone(all) {
		for _, party := range s.Others {
			one.Party, one.Parts, one.Line = party, []layout.Span{party}, layout.Span{}
			all = append(all, one)
		}
	}
	return all
}

// signer returns the signer of a block. index is the signer's index.
func signer(d *structure.Document, s structure.Signature, said capacity, index int) (finding.Found[insightapi.Signer], bool) {
	name, party, title := written(d, s.Name), said.party, said.title
	item := insightapi.Signer{SignerFullName: name, SignerRole: role(title, party)}
	item.SignerIndex, item.SignerID = Numbered(index)
	item.FirstName, item.LastName = splitName(name)
	if email := written(d, s.Email); strings.Contains(email, "@") {
		item.Email = &email
	}
	f := finding.Found[insightapi.Signer]{Item: item, Span: s.Span, Reasoning: "The document has a signature block here.", Confidence: 0.7}
	switch {
	case name != "":
		f.Span, f.Confidence = s.Name, 0.85
		if item.LastName == "" || party == "" && title == "" {
			f.Confidence = 0.75
		}
		f.Reasoning = "A signature block names this signer."
	case party != "":
		f.Span = s.Party
		f.Reasoning = "A signature block names this party, but not yet who signs for it."
	}
	return f, strings.TrimSpace(d.Quote(f.Span)) != ""
}

// Numbered returns the index and the id of the signer who comes after index others.
func Numbered(index int) (*int, string) { return &index, "signer-" + strconv.Itoa(index+1) }

// written returns the text of a span on one line, "" for a blank line to write on.
func written(d *structure.Document, s layout.Span) string {
	if s.Len() <= 0 {
		return ""
	}
	text := d.Plain(passage.Cut(d.Text, s))
	if strings.IndexFunc(text, unicode.IsLetter) < 0 {
		return ""
	}
	return strings.Trim(text, " ,:;-–—")
}

// role returns the capacity in which someone signs: "CEO, Acme Inc.".
func role(title, party string) string {
	if title != "" && party != "" {
		return title + ", " + party
	}
	return title + party
}

// Titles before and suffixes after a person's name, which are not part of the first or
// last name.
var (
	beforeNames = map[string]bool{"mr": true, "mrs": true, "ms": true, "dr": true, "prof": true, "professor": true, "sir": true, "hon": true}
	afterNames  = map[string]bool{"jr": true, "sr": true, "ii": true, "iii": true, "iv": true, "esq": true, "phd": true, "ph.d": true, "md": true, "m.d": true, "cpa": true, "mba": true}
)

// splitName returns a person's first and last name. A single name is the first name.
func splitName(name string) (first, last string) {
	if before, after, ok := strings.Cut(name, ","); ok && !afterNames[key(after)] && !strings.Contains(strings.TrimSpace(before), " ") {
		name = after + " " + before
	}
	words := strings.Fields(strings.ReplaceAll(name, ",", " "))
	for len(words) > 1 && beforeNames[key(words[0])] {
		words = words[1:]
	}
	for len(words) > 1 && afterNames[key(words[len(words)-1])] {
		words = words[:len(words)-1]
	}
	switch len(words) {
	case 0:
		return "", ""
	case 1:
		return words[0], ""
	}
	from := len(words) - 1
	for from > 1 && particles[strings.ToLower(words[from-1])] {
		from--
	}
	return words[0], strings.Join(words[from:], " ")
}

// particles are words that belong to the last name that follows them.
var particles = map[string]bool{"van": true, "von": true, "de": true, "der": true, "den": true, "da": true, "di": true, "del": true, "la": true, "le": true, "bin": true, "ter": true}

func key(word string) string { return strings.ToLower(strings.Trim(word, " .")) }
