package signature

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rectohq/recto/libs/formats/layout"
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/space"
	"github.com/rectohq/recto/services/insight/internal/structure/wording"
)

// Limits for names, in bytes and words.
const (
	maxName      = 60
	maxNameWords = 6
	maxParty     = 90
)

var (
	// dateLine matches a date in a line, such as a place and a date.
	dateLine = regexp.MustCompile(`\b(?:19|20)\d\d\b|\b\d{1,2}[./-]\d{1,2}[./-]\d{2,4}\b`)
	// datedName matches the name of an organization that is called by its date: "The Kern 1998 Trust".
	datedName = regexp.MustCompile(`(?i:\b(?:trust|fund|settlement|foundation)(?:$|,?\s+(?:u/|dated|under|no\b)|\s+\d))`)
	// noParty matches lines above signatures that name no party: subjects, salutations,
	// names of documents and their parts, and verbs.
	noParty = regexp.MustCompile(`(?i:^\(["“]|^(?:re|subject|dear|by|cc|attn|attention|page|exhibit|schedule|annex|appendix|attachment|article|section)\b|^(?:and|between|signatures?|acceptance|miscellaneous|general|individually)[.:]?$|^(?-i:as|and|an?)\s|^as\s+(?:an?|the|its|(?:administrative|collateral|escrow|paying)?\s*agent|(?:owner\s+|indenture\s+)?trustee|seller|buyer|purchaser|lender|borrower|guarantor|issuer|manager|servicer|owner|tenant|landlord|representative)[.,:]?$|` +
		`^and\s+(?:as|for|by)\b|^an?\s+(?:member|division|subsidiary|unit|part)\s|` +
		`\b(?:is|are|was|were|made|shall|hereby|hereto|hereof|whereof|have|has|this|counterparts?|remainder|signature page)\b|` +
		`\b(?:agreement|contract|lease|deed|amendment|addendum|provisions|terms|conditions)[.:]?$)`)
	// company matches the end of a company name within a text.
	company = space.Compile(`(?i:[, ](?:inc|corp|corporation|ltd|limited|llc|l\.l\.c|lp|l\.p|llp|plc|gmbh|s\.a|n\.v|b\.v|ag)\b\.?:?)(?:\s+|$)`)
	// nameEnd matches the separator between a person's name and title: "John Doe,
	// Director".
	nameEnd = space.Compile(`\s*,\s+|\s+[-–—]\s+|-\s+|\s*\(`)
	// caption matches a caption of a name, such as "Signature".
	caption = space.Compile(`\s+\(?(?i:signature|date|title|(?:print(?:ed)?\s+)?name|seal)\)?$`)
	// ownCaption matches a caption that says whose line is above: "Signature of director". The
	// first group is there for a signature, the second is the role, the third a witness.
	ownCaption = space.Compile(`^(?i:(?:(signature)|(?:printed\s+|full\s+)?name)\s+of\s+(?:the\s+|an?\s+)?((witness)(?:es)?|[\pL/ -]{4,60}?))(?:\s*\([^()]{1,40}\))?\s*[:.]?$`)
	// instruction matches a note to the signer: "(delete as applicable)".
	instruction = space.Compile(`^\((?i:delete|please)\s[^()]*\)$`)
	// stamp matches the identifier below an electronic signature: "3E9F0A77B1C84D2...".
	stamp = regexp.MustCompile(`^[0-9A-F]{8,}(?:-[0-9A-F]{4,})*(?:\.{3}|…)?$`)
	// sealed matches a line to sign on with a place for a seal.
	sealed = space.Compile(`^[_.]{6,}\s*[(\[](?i:seal|l\.s\.)[)\]]$`)
	// officeLabel matches an office before the name of the person who has it: "Director: John
	// Doe".
	officeLabel = space.Compile(`^((?i:(?:company\s+|managing\s+|general\s+|representative\s+|authori[sz]ed\s+)?(?:director|secretary|president|chairman|treasurer|partner|member|signatory|attorney|representative)|legal\s+representative))(?:\s*\p{Han}+)?(?:\s*:\s*|\s{2,}|\s+[–—]\s+)`)
	// procuration matches the words before a name that say by what power a German signs.
	procuration = regexp.MustCompile(`^(?:ppa\.|i\. ?V\.|i\. ?A\.|p\. ?p\.|p\.) *`)
	// nameWord matches the label of a name without a colon.
	nameWord = space.Compile(`^(?i:(?:print(?:ed)?\s+)?name)\s+`)
	// couple matches the words after the names of two people who sign together: ", husband and wife".
	couple = space.Compile(`,\s+(?i:husband\s+and\s+wife|wife\s+and\s+husband|spouses|a\s+married\s+couple|jointly\s+and\s+severally)$`)
	// gluedName matches the label of a name without a space behind it.
	gluedName = regexp.MustCompile(`^Name\p{Lu}\p{Ll}`)
	// suffix matches a part of a name that may follow a comma.
	suffix = regexp.MustCompile(`^(?i:jr|sr|ii|iii|iv|esq|ph\.?d|m\.?d|n\.?d|ed\.?d|cpa|cfa|fca|mba|p\.?e|j\.?d|ll\.?m|dds)\b\.?`)
	// witnessing matches a line for the signature of a witness or a notary.
	witnessing = space.Compile(`^(?i:(?:signed\s+|(?:its\s+)?(?:duly\s+)?authori[sz]ed\s+\w+\s+)?in\s+the\s+presence\s+of\b.*|witness(?:es|ed)?(?:\s+(?:by|to|\d))?|testigos?|t[eé]moins?|zeugen?|getuigen?|testemunhas?(?:/witnesses)?|attest(?:ed|ation)?(?:\s+by)?|notary(?:\s+public)?\b.*|` +
		`(?:subscribed|sworn|acknowledged)\b.*\bbefore\b.*|my\s+commission\b.*|approved\s+as\s+to\s+form\b.*|commissioner\s+(?:for|of)\s+(?:oaths|deeds).*)\s*[:.]?$`)
	// witnessName matches the role after the name of a witness or a notary.
	witnessName = space.Compile(`(?i:[\s,(-]+(?:witness|notary(?:\s+public\b.{0,100})?)\)?)$`)
)

// notNames are words of captions, offices and roles. No person's name consists only of
// these.
var notNames = map[string]bool{
	"signature": true, "signatory": true, "signed": true, "date": true, "dated": true, "title": true, "print": true, "printed": true, "name": true,
	"witness": true, "witnesses": true, "notary": true, "public": true, "seal": true, "authorized": true, "authorised": true, "duly": true,
	"seller": true, "buyer": true, "purchaser": true, "vendor": true, "customer": true, "client": true, "supplier": true, "provider": true, "company": true,
	"landlord": true, "tenant": true, "lessor": true, "lessee": true, "licensor": true, "licensee": true, "lender": true, "borrower": true,
	"employer": true, "employee": true, "contractor": true, "consultant": true, "distributor": true, "franchisor": true, "franchisee": true,
	"guarantor": true, "investor": true, "manufacturer": true, "party": true, "parties": true, "grantor": true, "mayor": true, "sponsor": true,
	"recipient": true, "discloser": true, "service": true, "first": true, "second": true, "other": true, "place": true, "location": true,
	"accepted": true, "agreed": true, "acknowledged": true, "approved": true, "by": true, "per": true, "for": true, "on": true, "signing": true, "illegible": true, "plaintiff": true, "defendant": true, "claimant": true, "respondent": true, "petitioner": true, "individually": true, "individual": true, "redacted": true, "corporate": true, "behalf": true, "of": true,
	"and": true, "the": true, "among": true, "amongst": true, "between": true, "address": true, "telephone": true, "sincerely": true, "yours": true, "truly": true, "very": true,
}

// neverNames are words that occur in no person's name.
var neverNames = map[string]bool{
	"by":        true,
	"agreement": true, "contract": true, "exhibit": true, "schedule": true, "page": true, "notary": true, "state": true, "county": true,
	"signature": true, "signatures": true, "witness": true, "date": true, "party": true, "parties": true, "annex": true, "appendix": true,
	"company": true, "corporation": true, "university": true, "fund": true, "article": true, "section": true, "whereof": true, "accepted": true, "agreed": true,
	"inc": true, "llc": true, "ltd": true, "limited": true, "corp": true, "lp": true, "llp": true, "plc": true, "gmbh": true, "bank": true, "trust": true,
	"holdings": true, "partners": true, "management": true, "business": true, "services": true, "systems": true, "technologies": true, "solutions": true,
	"the": true, "of": true, "for": true, "with": true, "payment": true, "payments": true, "news": true, "agency": true, "settlement": true, "attachment": true, "pricing": true, "software": true, "monthly": true, "quarterly": true, "international": true, "enterprises": true, "industries": true, "association": true, "activities": true, "notice": true,
}

// bodies are words for organizations that are also surnames. A text of three or more words with one
// of them names an organization.
var bodies = map[string]bool{
	"board": true, "council": true, "authority": true, "ministry": true, "department": true, "committee": true, "commission": true, "hospital": true,
	"foundation": true, "institute": true, "society": true, "centre": true, "center": true, "group": true,
}

// Personal reports whether a text may be a person's name.
func Personal(t string) bool {
	c := wording.CaseOf(t)
	if c.Words < 1 || c.Words > maxNameWords || c.Lower > particlesIn(t) || len(t) > maxName || c.SmallWords == c.Words || wording.EndsCompany(t) {
		return false
	}
	if strings.ContainsAny(t, "[]{}<>@_:*&") || strings.ContainsFunc(t, unicode.IsDigit) {
		return false
	}
	if first, second, ok := cutJoint(t); ok {
		return Personal(first) && Personal(second) && strings.Contains(second, " ")
	}
	named := false
	for word := range lettersIn(t) {
		if neverNames[word] || c.Words > 2 && bodies[word] {
			return false
		}
		named = named || utf8.RuneCountInString(word) > 1 && !notNames[word] && !office.MatchString(word) && !rank.MatchString(word) && !generation.MatchString(word)
	}
	return named
}

// particles are words in lower case within a person's name: "Pieter van der Meulen".
var particles = map[string]bool{
	"van": true, "von": true, "der": true, "den": true, "de": true, "del": true, "della": true, "di": true, "da": true, "do": true, "dos": true, "du": true,
	"la": true, "las": true, "le": true, "los": true, "el": true, "al": true, "y": true, "e": true, "o": true, "bin": true, "binti": true, "ibn": true, "ben": true,
	"ter": true, "ten": true, "te": true, "zu": true, "zur": true, "vom": true, "af": true, "av": true, "mr": true, "mw": true, "dhr": true, "ir": true, "ing": true, "drs": true, "dr": true, "prof": true, "t": true,
}

// particlesIn returns the number of particles in a text that a capitalized word follows.
func particlesIn(t string) int {
	n, run := 0, 0
	for i, r := range t {
		if r == '-' && wording.StartsLower(t[i+1:]) && i+1 < len(t) && t[i+1] != ' ' {
			n++ // "Ho Suk-ling"
		}
	}
	for word := range strings.FieldsFuncSeq(t, func(r rune) bool { return !unicode.IsLetter(r) }) {
		switch {
		case particles[word]:
			run++
		case !wording.StartsLower(word):
			n, run = n+run, 0
		}
	}
	return n
}

// joint matches the word between the names of two people.
var joint = space.Compile(`\s+(?:and|AND)\s+`)

// cutJoint cuts the names of two people who sign together: "Jane Doe and John Roe".
func cutJoint(t string) (first, second string, ok bool) {
	m := joint.FindStringIndex(t)
	if m == nil {
		return "", "", false
	}
	return t[:m[0]], t[m[1]:], true
}

// Joint returns the spans of the names of two people who sign together, in the text of a
// signer's name. It returns false for the name of one person.
func Joint(text string, s layout.Span) (first, second layout.Span, ok bool) {
	one, other, ok := cutJoint(text[s.Start:s.End])
	if !ok || !Personal(one) || !Personal(other) || !strings.Contains(one, " ") || !strings.Contains(other, " ") {
		return s, layout.Span{}, false
	}
	return layout.Span{Start: s.Start, End: s.Start + len(one)}, layout.Span{Start: s.End - len(other), End: s.End}, true
}

// unnamed reports whether a text has a word that occurs in no person's name.
func unnamed(t string) bool {
	for word := range lettersIn(t) {
		if neverNames[word] {
			return true
		}
	}
	return false
}

// lettersIn returns the words of a text in lower case, without anything but letters.
func lettersIn(t string) iter.Seq[string] {
	return strings.FieldsFuncSeq(strings.ToLower(t), func(r rune) bool { return !unicode.IsLetter(r) })
}

// captions reports whether a text is a caption of the line above it.
func captions(t string) bool {
	words := strings.FieldsFunc(strings.ToLower(t), func(r rune) bool { return !unicode.IsLetter(r) })
	for _, word := range words {
		switch word {
		case "signature", "date", "dated", "title", "print", "printed", "full", "name", "seal", "and", "place", "of", "authorized", "authorised", "position", "please", "type", "typed", "or", "in", "block", "letters", "capitals":
		default:
			return false
		}
	}
	return len(words) > 0
}

// offices reports whether a text is an office or a role rather than a name.
func offices(t string) bool {
	named := false
	for word := range lettersIn(t) {
		named = named || notNames[word] && word != "of" && word != "and" && word != "the"
	}
	return named || office.MatchString(t)
}

// personIn returns the person's name in s, without surrounding parentheses, and the title
// that follows it: "John Doe, Director".
func personIn(text string, s layout.Span) (name, title layout.Span, ok bool) {
	s = unwrapped(text, s)
	if m := nameWord.FindStringIndex(text[s.Start:s.End]); m != nil {
		s.Start += m[1]
	} else if gluedName.MatchString(text[s.Start:s.End]) && Personal(text[s.Start+len("Name"):s.End]) {
		s.Start += len("Name")
	}
	t := text[s.Start:s.End]
	if at := officeLabel.FindStringSubmatchIndex(t); at != nil && Personal(t[at[1]:]) && (strings.ContainsAny(t[:at[1]], ":–—") || strings.Contains(t[at[1]:], " ")) {
		return layout.Span{Start: s.Start + at[1], End: s.End}, layout.Span{Start: s.Start, End: s.Start + at[3]}, true
	}
	for _, m := range nameEnd.FindAllStringIndex(t, 4) {
		if suffix.MatchString(t[m[1]:]) {
			continue
		}
		rest := strings.TrimRight(t[m[1]:], " ).,")
		for _, article := range []string{"a ", "an ", "its "} {
			if hasFold(rest, article) {
				m[1] += len(article)
				rest = rest[len(article):]
				break
			}
		}
		if officeAt(t[:m[0]]) > 0 || strings.HasSuffix(t[:m[1]], "(") && wording.EndsCompany(t) {
			break
		}
		before := layout.Span{Start: s.Start, End: s.Start + m[0]}
		if !Personal(t[:m[0]]) || rest == "" || companyMore.MatchString(rest) && !office.MatchString(rest) || !offices(rest) && !rank.MatchString(rest) && strings.Contains(t[m[0]:m[1]], ",") {
			break
		}
		return before, layout.Span{Start: s.Start + m[1], End: s.Start + m[1] + len(rest)}, true
	}
	if at := caption.FindStringIndex(t); at != nil {
		s.End = s.Start + at[0]
	}
	if n := officeAt(text[s.Start:s.End]); n > 0 {
		return wording.Trimmed(text, layout.Span{Start: s.Start, End: s.Start + n}), layout.Span{Start: s.Start + n, End: s.End}, true
	}
	return s, layout.Span{Start: s.End, End: s.End}, Personal(text[s.Start:s.End]) && !titleAlone(text[s.Start:s.End])
}

// titleAlone reports whether a text is an office of two words: "Financial Controller".
func titleAlone(t string) bool {
	first, last, ok := strings.Cut(t, " ")
	return ok && len(first) > 2 && onlyOffice.MatchString(last)
}

// onlyOffice matches an office that is no surname.
var onlyOffice = regexp.MustCompile(`^(?i:controller|director|manager|president|officer|secretary|treasurer|executive|representative|signatory|administrator|partner)$`)

// generation matches "Jr." or a Roman numeral after a name or an office.
var generation = regexp.MustCompile(`^(?:jr|sr|i{2,3}|iv)$`)

// rank matches the words before an office that belong to it.
var rank = regexp.MustCompile(`^(?i:its|title|vice|chief|executive|senior|general|managing|authori[sz]ed|assistant|deputy|co-?|operations?|operating|sales|marketing|finance|financial|corporate|legal|business|regional|national|global|technical|technology|commercial|compliance|procurement|purchasing|engineering|product|development)$`)

// officeAt returns the offset of an office that follows a name of at least two words: "John
// Doe Vice President". It returns 0 if there is none.
func officeAt(t string) int {
	full := 0
	for _, w := range fieldsAt(wording.Head(t)) {
		word := strings.Trim(t[w[0]:w[1]], ".,()")
		if rank.MatchString(word) || office.MatchString(word) {
			if full > 1 && office.MatchString(t[w[0]:]) && Personal(t[:w[0]]) && !strings.Contains(t[:w[0]], "--") {
				return w[0]
			}
			return 0
		}
		if len(word) > 1 {
			full++
		}
	}
	return 0
}

// unwrapped returns a span without quotation marks or parentheses around the whole of it.
func unwrapped(text string, s layout.Span) layout.Span {
	if m := procuration.FindStringIndex(text[s.Start:s.End]); m != nil {
		s.Start += m[1]
	}
	t := text[s.Start:s.End]
	if unquoted := strings.Trim(t, `"“”`); unquoted != "" && len(unquoted) < len(t) {
		s.Start += strings.Index(t, unquoted)
		s.End = s.Start + len(unquoted)
		t = unquoted
	}
	if len(t) > 2 && t[0] == '(' && strings.IndexByte(t, ')') == len(t)-1 {
		return wording.Trimmed(text, layout.Span{Start: s.Start + 1, End: s.End - 1})
	}
	return s
}

// streetLine matches an address: a number, a street, and the place with its postal code.
var streetLine = regexp.MustCompile(`^\d+[\w-]*,? \p{Lu}[^,]*,.*\d`)

// partial reports whether a line may name a party.
func partial(t string) bool {
	c := wording.CaseOf(t)
	own := wording.EndsCompany(t) && !wording.StartsLower(t)
	if c.Words == 0 || len(t) > maxParty || dateLine.MatchString(t) && !datedName.MatchString(t) || noParty.MatchString(t) || captions(t) || witnessing.MatchString(t) {
		return false
	}
	if own {
		return c.Lower <= 2
	}
	return !streetLine.MatchString(t) && !wording.EndsSentence(t) && (c.Capitals() || c.Title())
}

// sentence reports whether a line belongs to running text rather than a signature block.
func sentence(t string) bool {
	return wording.EndsSentence(t) && !strings.HasSuffix(t, ":") && wording.CaseOf(t).Lower > 2
}

// behindTitle matches text after a title that does not belong to it: a line to write on, a
// note, or a page number.
var behindTitle = space.Compile(`\s*(?:-{3,}|_{2,}|[\[(|"“]|\)\s|\s\d{1,3}$).*$`)

// titleOnly returns a title without the text matched by behindTitle.
func titleOnly(t string) string {
	if at := behindTitle.FindStringIndex(t); at != nil && at[0] > 0 {
		t = t[:at[0]]
	}
	return t
}

// surname returns the last word of a name before any comma.
func surname(name string) string {
	name, _, _ = strings.Cut(name, ",")
	return wording.LastLetters(strings.TrimRight(name, " ."))
}
