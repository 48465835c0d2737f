// Package parties owns who agrees: the parties, who signs for each and in which block,
// and which of them is the one who asks.
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
)

// Signers returns who signs the document, in the order of the blocks in which they
// do. They are counted from 0, and their ids from "signer-1". A block that names
// nobody is that of whoever signs for its party.
func Signers(d *structure.Document) []finding.Found[insightapi.Signer] {
	var found []finding.Found[insightapi.Signer]
	eachSigner(d, func(_ structure.Signature, f finding.Found[insightapi.Signer]) { found = append(found, f) })
	return found
}

// eachSigner calls do with each block in which somebody signs, and who does.
func eachSigner(d *structure.Document, do func(structure.Signature, finding.Found[insightapi.Signer])) {
	count := 0
	for _, s := range d.Signatures {
		if count >= finding.MaxItems {
			return
		}
		if f, ok := signer(d, s, count); ok {
			do(s, f)
			count++
		}
	}
}

// signer returns who signs in a block, as the one with the index.
func signer(d *structure.Document, s structure.Signature, index int) (finding.Found[insightapi.Signer], bool) {
	name, party, title := written(d, s.Name), written(d, s.Party), written(d, s.Title)
	item := insightapi.Signer{SignerIndex: &index, SignerID: "signer-" + strconv.Itoa(index+1), SignerFullName: name, SignerRole: role(title, party)}
	item.FirstName, item.LastName = splitName(name)
	if email := written(d, s.Email); strings.Contains(email, "@") {
		item.Email = &email
	}
	f := finding.Found[insightapi.Signer]{Item: item, Span: s.Span, Reasoning: "The document has a block for this signature.", Confidence: 0.7}
	switch {
	case name != "":
		f.Span, f.Confidence = s.Name, 0.85
		if item.LastName == "" || party == "" && title == "" {
			f.Confidence = 0.75
		}
		f.Reasoning = "A block for signatures names who signs."
	case party != "":
		f.Span = s.Party
		f.Reasoning = "A block for signatures names for whom is signed, and not yet who does."
	}
	return f, strings.TrimSpace(d.Quote(f.Span)) != ""
}

// written returns the text of a span on one line, "" for a line to write on.
func written(d *structure.Document, s layout.Span) string {
	if s.Len() <= 0 {
		return ""
	}
	text := d.Plain(passage.Cut(d.Text, s))
	if strings.IndexFunc(text, unicode.IsLetter) < 0 {
		return ""
	}
	return strings.Trim(text, " ,:;")
}

// role returns what somebody signs as: "CEO, Acme Inc.".
func role(title, party string) string {
	if title != "" && party != "" {
		return title + ", " + party
	}
	return title + party
}

// titles of persons and what follows their names are no part of a first or a last
// name.
var (
	beforeNames = map[string]bool{"mr": true, "mrs": true, "ms": true, "dr": true, "prof": true, "professor": true, "sir": true, "hon": true}
	afterNames  = map[string]bool{"jr": true, "sr": true, "ii": true, "iii": true, "iv": true, "esq": true, "phd": true, "ph.d": true, "md": true, "m.d": true, "cpa": true, "mba": true}
)

// splitName returns the first and the last name of a person. A single name is the
// first one.
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

// particles are words that belong to the last name after them.
var particles = map[string]bool{"van": true, "von": true, "de": true, "der": true, "den": true, "da": true, "di": true, "del": true, "la": true, "le": true, "bin": true, "ter": true}

func key(word string) string { return strings.ToLower(strings.Trim(word, " .")) }
