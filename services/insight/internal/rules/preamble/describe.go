package preamble

import (
	"slices"
	"strings"

	"github.com/rectohq/recto/libs/formats/layout"
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/rules/law"
	"github.com/rectohq/recto/services/insight/internal/space"
	"github.com/rectohq/recto/services/insight/internal/structure"
	"github.com/rectohq/recto/services/insight/internal/structure/signature"
)

// maxAddress is the maximum length of an address in bytes.
const maxAddress = 240

// organization are the words for organizations after the place of their law.
const organization = `(?:corporation|company|partnership|association|trust|bank|institution|organi[sz]ation|entity|firm|cooperative|societ[ey]|foundation|subsidiary|business|gmbh|ltd|inc)`

var (
	// ofPlace matches the beginning of a description that may name the place whose law
	// governs an organization: "a Delaware corporation".
	ofPlace = space.Compile(`(?i)(?:^|[\s(])an?\s+((?:[\pL.'’-]+\s+){1,8}?)` + organization + `\b`)
	// underLaw matches the text before the place under whose law an organization exists.
	underLaw = space.Compile(`(?i)\b(?:organi[sz]ed|incorporated|existing|registered|formed|established|constituted|amalgamated|chartered|continued)\b[^.;()]{0,90}?\b(?:laws?\s+of|in|under)\s`)
	// lawOf matches the place in "a company under Dutch law".
	lawOf = space.Compile(`\bunder\s+(\p{Lu}[\pL]+(?:\s\p{Lu}[\pL]+)?)\s+law\b`)
	// addressed matches the text before an address.
	addressed = space.Compile(`(?i)\b(?:(?:address(?:es)?|offices?|(?:place|seat)\s+of\s+business|headquarters|located|residing|resident|residence|domiciled|based|situated|headquartered)\b[^.;:()\d]{0,60}?(?:\bis\s+(?:at|in)\s|\b(?:at|in|is|of)\s|:)|address\s*:)\s*`)
	// street matches an address without such words.
	street = space.Compile(`(?:^|[,;]\s+|\bof\s+)(\p{Lu}[\pL.’'-]+(?:\s[\pL.’'-]+){0,3}\s\d{1,4}\s?[a-zA-Z]?,\s+(?:[A-Z]{1,2}-)?\d{4,5}\s+\p{Lu}.*|(?:P\.?\s?O\.?\s+Box\s+|(?:Level|Suite|Unit|Flat|Floor|Apartment|Apt\.?|Plot|House|Office|Shop|Room)\s+(?:No\.?\s*)?[\w/-]+,?\s+)?\d[\w-]*,?\s+(?:[\p{Lu}\d]|(?:(?:bis|ter),?\s+)?(?:rue|avenue|boulevard|place|chemin|quai|impasse|all[ée]e|route|cours|square)\s).*)`)
	// addressEnd matches the end of an address: other parts of the description, or a label.
	addressEnd = space.Compile(`(?i)\s*[,;]?\s+(?:an?\s[^,;]{0,80}\b` + organization + `\b|(?:duly\s+)?(?:represented|acting|hereinafter|hereafter|having|whose|which|who|with|referred|organi[sz]ed|incorporated|registered|together|on\s+behalf|through|by\s+and\s|as\s|agree|each\s|shall|for\s+good|of\s+the\s+(?i:one|first|second|third|other|fourth)\s+part|(?i:tel|phone|mob(?:ile)?|fax|e-?mail)\b)|and(?:\s+its|\s+having|\s*$)|[\pL ]{3,30}:)|\s[(\[]|[;"“]`)
	// individual matches the description of a person.
	individual = regexp.MustCompile(`(?i)\b(?:individual(?:ly)?|natural person|residing|resident of|resides|married|citizen|sole proprietor|passport|his|her)\b`)
	// personal matches roles of people.
	personal = regexp.MustCompile(`(?i)^(?:the )?(?:employee|executive|consultant|director|officer|indemnitee|artist|author|guarantor|founder|physician)$`)
	// titled matches the name of a person with a title or degree.
	titled = regexp.MustCompile(`^(?:Mr|Mrs|Ms|Dr|Prof)\b|,? (?:Jr|Sr|III?|M\.?D|N\.?D|Ph\.?D|Esq)\.?$|^\pL+ \pL\. \pL+$`)
	// capacity matches the role in a description: "as Borrower".
	capacity = regexp.MustCompile(`^(?:as|in its capacity as)\s+(?:the\s+|an?\s+)?(\p{Lu}\pL+(?:\s\p{Lu}\pL+){0,2})`)
)

// Jurisdiction returns the place under whose law the party is organized, "" if the
// description does not say.
func (p Party) Jurisdiction() string {
	about := strings.ReplaceAll(p.About, "P.R.C.", "PRC")
	if m := underLaw.FindStringIndex(about); m != nil {
		rest := about[m[1]:]
		if place := law.PlaceIn(rest[:cut(rest, 60)]); place != "" {
			return place
		}
	}
	if m := lawOf.FindStringSubmatch(about); m != nil {
		if place := law.PlaceOf(m[1]); place != "" {
			return place
		}
	}
	if m := ofPlace.FindStringSubmatch(about); m != nil {
		if place := law.PlaceOf(m[1]); place != "" {
			return place
		}
	}
	return ""
}

// Address returns the address of the party on one line, "" if the description has none.
func (p Party) Address() string {
	rest := ""
	if m := addressed.FindStringIndex(p.About); m != nil {
		rest = p.About[m[1]:]
	} else if m := street.FindStringSubmatch(p.About); m != nil {
		rest = m[1]
	}
	if end := addressEnd.FindStringIndex(rest); end != nil {
		rest = rest[:end[0]]
	}
	rest = strings.Trim(strings.TrimSuffix(strings.TrimRight(rest, " ,"), " and"), " ,;:.(–—-")
	if len(rest) > maxAddress || len(strings.Fields(rest)) < 2 || !capital(rest) {
		return ""
	}
	return rest
}

// IsPerson reports whether the party with a name is a person rather than an organization.
func (p Party) IsPerson(name string) bool {
	if oneOfSeveral(name) || HasForm(name) && (!titled.MatchString(name) || titles.MatchString(name)) || !signature.Personal(strings.NewReplacer(".", "", ",", "").Replace(name)) && !titled.MatchString(name) {
		return false
	}
	if p.Titled || individual.MatchString(p.About) || titled.MatchString(name) || p.calledBySurname(name) {
		return true
	}
	return len(strings.Fields(name)) > 1 && p.PartyRole() != "" && personal.MatchString(p.PartyRole())
}

// oneOfSeveral reports whether the name is that of one of several companies, with a number after
// the legal form, rather than of a person: "Alder Corp. II".
func oneOfSeveral(name string) bool {
	words := strings.Fields(name)
	return len(words) > 2 && isForm(words[len(words)-2]) && moreForms.MatchString(" "+words[len(words)-1])
}

// calledBySurname reports whether the document calls the party by the last of two or three words
// of its name, as it calls people: John Alder ("Alder"). It calls a company by the first one.
func (p Party) calledBySurname(name string) bool {
	words := strings.Fields(name)
	if len(words) < 2 || len(words) > 3 {
		return false
	}
	return slices.ContainsFunc(p.Terms, func(t string) bool { return strings.EqualFold(t, words[len(words)-1]) && !isRole(t) })
}

// Reference returns the short name that the document defines for the party, "" for none: a
// name rather than a role, if there are both.
func (p Party) Reference() string {
	for _, t := range p.Terms {
		if !isRole(t) {
			return t
		}
	}
	if len(p.Terms) > 0 {
		return p.Terms[0]
	}
	if !isRole(p.Role) {
		return p.Role
	}
	return ""
}

// PartyRole returns the role of the party in the contract, "" if the document states none:
// the defined term if it names a role, or else the label or the capacity.
func (p Party) PartyRole() string {
	for _, t := range append(p.Terms[:len(p.Terms):len(p.Terms)], p.Role) {
		if isRole(t) {
			return t
		}
	}
	if m := capacity.FindStringSubmatch(p.About); m != nil && isRole(m[1]) {
		return m[1]
	}
	return ""
}

// At returns the party whose name is at a span, with the terms defined in parentheses right behind it and
// the role that a label before it gives. The text around it need be no list of parties, so nothing else is
// read as its description.
func At(d *structure.Document, name layout.Span) Party {
	p := Party{Name: name, Whole: name}
	behind := d.Text[name.End:]
	behind = behind[:cut(behind, maxBehind)]
	if reference.MatchString(behind) {
		open := strings.IndexByte(behind, '(')
		if end := closingOf(behind[open:]); end > 0 {
			p.Terms = termsIn(behind[open:open+end], d.Text[name.Start:name.End])
			p.Whole.End += open + end
		}
	}
	before := d.Text[strings.LastIndexByte(d.Text[:name.Start], '\n')+1 : name.Start]
	if role, ok := strings.CutSuffix(strings.TrimSpace(before), ":"); ok && len(role) <= maxLabel && isParty(strings.ToLower(d.Text[:cut(d.Text, labelReach)]), role) {
		p.Role = role
	}
	return p
}
