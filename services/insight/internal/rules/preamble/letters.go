package preamble

import (
	"slices"
	"strings"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/space"
	"github.com/rectohq/recto/services/insight/internal/structure"
	"github.com/rectohq/recto/services/insight/internal/structure/signature"
	"github.com/rectohq/recto/services/insight/internal/structure/wording"
)

const (
	// letterReach is how much of the beginning of a letter is searched for its salutation, in
	// bytes.
	letterReach = 4000
	// maxAddressLines is the maximum number of lines of an address, with those between it and the
	// salutation.
	maxAddressLines = 12
)

var (
	// salutation matches the beginning of the salutation of a letter.
	salutation = space.Compile(`\n[ \t]*(?i:dear\s|gentlemen\b|ladies\s+and\s+gentlemen\b|dear\s+sirs?\b)`)
	// besideAddress matches lines between an address and the salutation.
	besideAddress = space.Compile(`^(?i:(?:re|sub|subject|(?:our\s+|your\s+)?ref|reference|attn|attention)\b|(?:by|via)\s+(?:hand|courier|post|mail|e-?mail|fax|facsimile|overnight|federal)\b|(?:strictly\s+)?(?:private|personal|confidential)(?:\s+(?:and|&)\s+\w+)?$)`)
)

// Addressee returns the addressee of a letter: the organization in the address above the
// salutation, or the person named in the salutation if there is no organization.
func Addressee(d *structure.Document) []Party {
	at := salutation.FindStringIndex(d.Text[:cut(d.Text, letterReach)])
	if at == nil {
		return nil
	}
	greeting, _, _ := strings.Cut(strings.TrimSpace(d.Text[at[0]:min(len(d.Text), at[0]+maxLead)]), "\n")
	address := addressAbove(d.Text, at[0])
	if len(address) == 1 { // the subject
		if above := addressAbove(d.Text, address[0].Start); len(above) > 1 {
			address = above
		}
	}
	for _, line := range address {
		if p, ok := Named(d, line); ok && p.Sure && !foreign.MatchString(d.Plain(p.Name)) && !startsDigit(d.Text[line.Start:line.End]) {
			return []Party{p}
		}
	}
	if len(address) == 0 {
		return nil
	}
	name := address[0]
	title := courtesy.FindString(d.Text[name.Start:name.End])
	name.Start += len(title)
	t := d.Plain(name)
	if first, _, _ := strings.Cut(t, " "); !fullName(t) || title == "" && !strings.Contains(greeting, wording.LastLetters(t)) && !strings.Contains(greeting, first) {
		return nil
	}
	return []Party{{Name: name, Whole: name, Titled: title != "", Sure: true}}
}

// Sender returns who sends a letter: the first line of its letterhead, if it is a name with an address, a
// number or the like below it.
func Sender(d *structure.Document) []Party {
	at := salutation.FindStringIndex(d.Text[:cut(d.Text, letterReach)])
	if at == nil {
		return nil
	}
	head := strings.TrimLeftFunc(d.Text[:at[0]], space.Is)
	line, below, _ := strings.Cut(head, "\n")
	start := at[0] - len(head)
	p, ok := Named(d, layout.Span{Start: start, End: start + len(line)})
	if !ok || p.Name.Len() < len(strings.TrimSpace(line)) || len(strings.Fields(line)) < 2 || strings.ContainsAny(line, "0123456789:") || ofDocument(line, len(line)) {
		return nil
	}
	below = below[:cut(below, maxLead)]
	if block, _, _ := strings.Cut(below, "\n\n"); !strings.ContainsAny(block, "0123456789@") {
		return nil
	}
	return []Party{p}
}

// addressAbove returns the lines of the address above an offset, in text order.
func addressAbove(text string, end int) (lines []layout.Span) {
	for range maxAddressLines {
		start := strings.LastIndexByte(text[:end], '\n') + 1
		line := wording.Trimmed(text, layout.Span{Start: start, End: end})
		t := text[line.Start:line.End]
		switch {
		case t == "" && len(lines) > 0:
			slices.Reverse(lines)
			return lines
		case t != "" && !besideAddress.MatchString(t) && (len(lines) > 0 || !signature.Labelled(t)):
			lines = append(lines, line)
		}
		if start == 0 {
			break
		}
		end = start - 1
	}
	slices.Reverse(lines)
	return lines
}
