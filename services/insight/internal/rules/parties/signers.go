// Package parties finds the parties to a document, who signs for each of them and in
// which block, and which party is the caller.
package parties

import (
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
// party.
func Signers(d *structure.Document) []finding.Found[insightapi.Signer] {
	var found []finding.Found[insightapi.Signer]
	eachSigner(d, func(_ structure.Signature, f finding.Found[insightapi.Signer]) { found = append(found, f) })
	return found
}

// eachSigner calls do with each signature block that has a signer, and with that signer. Two
// people who sign in the same block are two signers.
func eachSigner(d *structure.Document, do func(structure.Signature, finding.Found[insightapi.Signer])) {
	count := 0
	for _, block := range d.Signatures {
		for _, s := range bySigner(d, block) {
			if count >= finding.MaxItems {
				return
			}
			if f, ok := signer(d, s, count); ok {
				do(s, f)
				count++
			}
		}
	}
}

// bySigner returns a block once for each person who signs in it.
func bySigner(d *structure.Document, s structure.Signature) []structure.Signature {
	first, second, ok := signature.Joint(d.Text, s.Name)
	if !ok {
		return []structure.Signature{s}
	}
	one, other := s, s
	one.Name, other.Name = first, second
	return []structure.Signature{one, other}
}

// signer returns the signer of a block. index is the signer's index.
func signer(d *structure.Document, s structure.Signature, index int) (finding.Found[insightapi.Signer], bool) {
	name, party, title := written(d, s.Name), written(d, s.Party), written(d, s.Title)
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
