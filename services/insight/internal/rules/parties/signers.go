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
	all := signingsOf(d)
	if len(all.signers) == 0 {
		return nil
	}
	known := namesOf(d)
	for i, as := range all.as {
		before := d.Text[max(0, as.at.Start-maxName):as.at.Start]
		all.signers[i].Item.SignerRole = role(as.title, known.complete(as.party, before))
	}
	return all.signers
}

// signings are the signature blocks of a document and their signers.
type signings struct {
	// blocks are the blocks that have a signer, each once for each person who signs in it and each
	// party for which they sign. of has the index of the signer of each.
	blocks  []structure.Signature
	of      []int
	signers []finding.Found[insightapi.Signer]
	// as has the capacity of each signer.
	as []capacity
	// named has the index of the last signer with a name, and of the one with a name and a party.
	named map[string]int
}

// capacity is the party that someone signs for, and their title.
type capacity struct {
	party, title string
	at           layout.Span // the place of the party
	middle       string      // the names between the first and the last
	end          int         // of the first block
}

// apart is the minimum number of bytes between two blocks of an officer if one of them or both name no
// party. Blocks that are closer may be for two parties.
const apart = 1500

// maxBlocks is the maximum number of blocks that are read. Several may have the same signer.
const maxBlocks = 4 * finding.MaxItems

// signingsOf returns the signature blocks of d.
func signingsOf(d *structure.Document) signings {
	all := signings{named: map[string]int{}}
	for _, s := range d.Signatures {
		for _, block := range bySigner(d, s) {
			if len(all.signers) >= finding.MaxItems || len(all.blocks) >= maxBlocks {
				return all
			}
			as := capacity{party: written(d, block.Party), title: titleOf(d, block), at: block.Party, end: block.End}
			if f, ok := signer(d, block, as, len(all.signers)); ok {
				all.add(block, f, as)
			}
		}
	}
	return all
}

// add adds a block and its signer, unless an earlier signer signs it.
func (s *signings) add(block structure.Signature, f finding.Found[insightapi.Signer], as capacity) {
	var name string
	name, as.middle = personKey(f.Item)
	index, ok := s.again(name, block.Start, as)
	s.blocks, s.of = append(s.blocks, block), append(s.of, index)
	if !ok {
		s.signers, s.as = append(s.signers, f), append(s.as, as)
	} else {
		one, first := &s.signers[index], &s.as[index]
		if first.party == "" {
			first.party, first.at = as.party, as.at
		}
		first.title = cmp.Or(first.title, as.title)
		one.Item.Email = cmp.Or(one.Item.Email, f.Item.Email)
		one.Confidence = max(one.Confidence, f.Confidence)
	}
	if name != "" {
		s.named[name], s.named[name+forParty+partyKey(s.as[index].party)] = index, index
	}
}

// forParty separates the keys of a person and a party.
const forParty = "\x00"

// again returns the index of the earlier signer who also signs the next block. Either both name the same
// party, or a party is missing, both give a title, and they are far apart. If there is no such signer, again
// returns the index for a new signer, and false.
func (s *signings) again(name string, start int, as capacity) (int, bool) {
	index, ok := s.named[name+forParty+partyKey(as.party)]
	if !ok || as.party == "" {
		if index, ok = s.named[name]; ok {
			one := s.as[index]
			ok = (as.party == "" || one.party == "") && as.title != "" && one.title != "" && start-one.end > apart
		}
	}
	if !ok || name == "" || !mayBe(s.as[index].middle, as.middle) {
		return len(s.signers), false
	}
	return index, true
}

// mayBe reports whether two middle names may belong to the same person: they are the same, or one is
// missing or an initial of the other.
func mayBe(x, y string) bool {
	if len(x) > len(y) {
		x, y = y, x
	}
	return strings.HasPrefix(y, x)
}

// titleOf returns the signer's title in a block.
func titleOf(d *structure.Document, s structure.Signature) string {
	title, rest := written(d, s.Title), written(d, s.TitleRest)
	if rest == "" {
		return title
	}
	if strings.HasPrefix(d.Text[s.Title.End:], ",") {
		title += ","
	}
	return title + " " + rest
}

// personKey returns a form of a signer's name that its spellings in one document share: the first and
// the last name, and a suffix such as "Jr." It is empty for a single name. middle holds the names in between.
func personKey(s insightapi.Signer) (name, middle string) {
	if s.FirstName == "" || s.LastName == "" {
		return "", ""
	}
	words := nameWords(s.SignerFullName)
	first, last := nameWords(s.FirstName), nameWords(s.LastName)
	key := strings.Join(slices.Concat(first, last), " ")
	for _, w := range words {
		if generations[w] {
			key += " " + w
		} else if !slices.Contains(first, w) && !slices.Contains(last, w) && !beforeNames[w] && !afterNames[w] {
			middle += w
		}
	}
	return key, middle
}

// generations are the suffixes that tell people of the same family apart.
var generations = map[string]bool{"jr": true, "sr": true, "ii": true, "iii": true, "iv": true}

// bySigner returns a block once for each person who signs in it, and for each party for which they
// sign.
func bySigner(d *structure.Document, s structure.Signature) []structure.Signature {
	people := []layout.Span{s.Name}
	if first, second, ok := signature.Joint(d.Text, s.Name); ok {
		people = []layout.Span{first, second}
	}
	var all []structure.Signature
	for _, name := range people {
		one := s
		one.Name = name
		if name.Len() > 0 {
			for _, party := range s.Others {
				other := one
				other.Party, other.Parts, other.Line = party, []layout.Span{party}, layout.Span{}
				all = append(all, other)
			}
		}
		all = append(all, one)
	}
	return all
}

// signer returns the signer of a block, without the role. index is the signer's index.
func signer(d *structure.Document, s structure.Signature, as capacity, index int) (finding.Found[insightapi.Signer], bool) {
	name, party, title := written(d, s.Name), as.party, as.title
	item := insightapi.Signer{SignerFullName: name}
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
	beforeNames = map[string]bool{"mr": true, "mrs": true, "ms": true, "dr": true, "prof": true, "professor": true, "sir": true, "hon": true, "ing": true, "dipl-ing": true, "dipl.-ing": true, "mag": true, "eng": true, "miss": true, "mx": true}
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
