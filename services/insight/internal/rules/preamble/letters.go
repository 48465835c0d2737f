package preamble

import (
	"slices"
	"strings"

	"github.com/rectohq/recto/libs/formats/layout"
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
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
	salutation = space.Compile(`\n[ \t]*(?i:dear\s|(?:hi|hello)\s+\p{Lu}|gentlemen\b|ladies\s+and\s+gentlemen\b|dear\s+sirs?\b)`)
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
		line.Start += len(messrs.FindString(d.Text[line.Start:line.End]))
		if p, ok := Named(d, line); ok && p.Sure && !foreign.MatchString(d.Plain(p.Name)) && !office.MatchString(d.Plain(p.Name)) && !startsDigit(d.Text[line.Start:line.End]) {
			return []Party{p}
		}
	}
	if len(address) == 0 {
		return nil
	}
	name := address[0]
	name.Start += len(toLabel.FindString(d.Text[name.Start:name.End]))
	title := courtesy.FindString(d.Text[name.Start:name.End])
	name.Start += len(title)
	t := d.Plain(name)
	first, _, _ := strings.Cut(t, " ")
	greeted := title != "" || strings.Contains(greeting, wording.LastLetters(t)) || strings.Contains(greeting, first)
	if p, ok := Named(d, name); ok && !greeted && len(address) > 1 && p.Name.Len() == name.Len() && isBareName(t) && !office.MatchString(t) {
		return []Party{p} // an organization, whose officer is greeted
	}
	if !fullName(t) || !greeted {
		return nil
	}
	return []Party{{Name: name, Whole: name, Titled: title != "", Sure: true}}
}

// Letterhead returns the organization or person whose name is the first line of a document, if an address, a
// number or the like is below it.
func Letterhead(d *structure.Document) []Party {
	head := strings.TrimLeft(d.Text[:cut(d.Text, letterReach)], " \t\r\n~*=-_|+")
	start := cut(d.Text, letterReach) - len(head)
	line, below, _ := strings.Cut(head, "\n")
	line, _, _ = strings.Cut(line, "   ")
	line = strings.TrimRight(line, " \t\r~*")
	p, ok := Named(d, layout.Span{Start: start, End: start + len(line)})
	if !ok || titles.MatchString(line) || p.Name.Len() < len(line) || ofDocument(line, len(line)) || !isForm(lastWord(line)) && (!isBareName(line) || notSender.MatchString(line)) {
		return nil
	}
	block, _, _ := strings.Cut(below[:cut(below, maxLead)], "\n\n")
	if !p.Sure && !strings.ContainsAny(block, "0123456789@") && !cityBelow.MatchString(block) {
		return nil
	}
	return []Party{p}
}

// isBareName reports whether a line may be a name of several words and nothing else.
func isBareName(line string) bool {
	return len(strings.Fields(line)) > 1 && !strings.ContainsAny(line, "0123456789:")
}

var (
	// notSender matches the title of a document rather than the name of who issues it.
	notSender = regexp.MustCompile(`(?i)\b(?:form|order|quotation|quote|offer|terms|conditions|confirmation|booking|hire|rental|rent|sale|purchase|services|invoice|permit|minutes|statement|schedule|rules|grant|loan|appointment|engagement|guarantee|bill|deed|notice|policy|application|registration|proposal|particulars|summary|sponsorship|membership)\b`)
	// cityBelow matches a line with a city and its country or street.
	cityBelow = regexp.MustCompile(`(?m)^[ \t]*\p{Lu}[\pL. -]{2,30}, \p{Lu}[\pL. -]{2,30}$`)
)

// messrs matches the courtesy title of a firm.
var messrs = space.Compile(`^(?i:messrs|m/s)\.?\s+`)

// toLabel matches the label of an address.
var toLabel = regexp.MustCompile(`^(?i:to)[ \t]*:?[ \t]+`)

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
