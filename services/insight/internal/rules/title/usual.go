package title

import (
	"slices"
	"strings"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/rules/finding"
	"github.com/rectohq/recto/services/insight/internal/rules/passage"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// kindWords are words by which a kind of document is known, and its usual name.
type kindWords struct {
	words *regexp.Regexp
	kind  string
}

// usual are the usual names of kinds whose titles vary, by words of a title in lower case. The
// first that matches counts.
var usual = []kindWords{
	{regexp.MustCompile(`\bsoftware[- ]as[- ]a[- ]service\b|\bsaas\b`), "Software as a Service Agreement"},
	{regexp.MustCompile(`\bmvno\b|\btelecom\w*\b|\bmobile access\b`), "Telecommunications Agreement"},
	{regexp.MustCompile(`\boutsourcing services\b`), "Outsourcing Agreement"},
	{regexp.MustCompile(`\bmanaged (?:(?:it|ict|network|print|security|cloud|desktop) ){0,2}services?\b`), "Managed Services Agreement"},
	{regexp.MustCompile(`\bfacilit(?:y|ies) management\b`), "Facilities Management Agreement"},
	{regexp.MustCompile(`\bmanufactur(?:e|ing) services\b`), "Manufacturing Agreement"},
	{regexp.MustCompile(`\bdata licen[sc](?:e|ing)\b`), "Data License Agreement"},
	{regexp.MustCompile(`\bsynchroni[sz]ation\b`), "Synchronization License Agreement"},
	{regexp.MustCompile(`\bdistributorship\b`), "Distribution Agreement"},
	{regexp.MustCompile(`\bsub-?contract\b`), "Subcontract"},
	{regexp.MustCompile(`\bdesign[ –-](?:and[ -])?build\b|\bbuilding (?:contract|agreement|works)\b|\b(?:construction|works) contract\b`), "Construction Agreement"},
	{regexp.MustCompile(`\bbroker\W{1,3}carrier\b|\bhaulage\b|\btrucking\b|\b(?:contract|agreement) (?:of|for) carriage\b`), "Transportation Agreement"},
	{regexp.MustCompile(`\b(?:term|credit|revolving|loan)? ?facility (?:agreement|letter)\b`), "Loan Agreement"},
	{regexp.MustCompile(`\b(?:call|put) option\b|\boption to (?:purchase|buy|lease)\b`), "Option Agreement"},
}

// ofTerms are the same for titles that only call the document terms, a deed or a letter, such as
// "Consulting terms": the words before name what is agreed.
var ofTerms = []kindWords{
	{regexp.MustCompile(`\bconsult(?:ing|ancy|ants?)\b`), "Consulting Agreement"},
	{regexp.MustCompile(`\bdistribut(?:ors?|ion)\b`), "Distribution Agreement"},
	{regexp.MustCompile(`\bhosting\b`), "Hosting Agreement"},
	{regexp.MustCompile(`\bmaintenance\b`), "Maintenance Agreement"},
	{regexp.MustCompile(`\bresell(?:er|ing)\b`), "Reseller Agreement"},
	{regexp.MustCompile(`\bagen(?:t|ts|cy)\b`), "Agency Agreement"},
	{regexp.MustCompile(`\bfranchis(?:e|ing)\b`), "Franchise Agreement"},
	{regexp.MustCompile(`\b(?:employment|employee)\b`), "Employment Agreement"},
	{regexp.MustCompile(`\bmembership\b`), "Membership Agreement"},
	{regexp.MustCompile(`\b(?:hire|rental)\b`), "Rental Agreement"},
	{regexp.MustCompile(`\bloan\b`), "Loan Agreement"},
	{regexp.MustCompile(`\blicen[sc](?:e|ing)\b`), "License Agreement"},
	{regexp.MustCompile(`\bsupply\b`), "Supply Agreement"},
	{regexp.MustCompile(`\bservices?\b`), "Services Agreement"},
}

// termsOnly matches a title whose noun says nothing of the kind.
var termsOnly = regexp.MustCompile(`\bterms(?:$| [^a-z])|\b(?:deed|letter)\b`)

// usualKind returns the usual name of a kind with this title, "" for none.
func usualKind(title string) string {
	text := strings.ToLower(passage.OneLine(title))
	if kind := firstKind(usual, text); kind != "" {
		return kind
	}
	if termsOnly.MatchString(text) && !strings.Contains(text, "agreement") {
		return firstKind(ofTerms, text)
	}
	return ""
}

// making matches a kind by what is made or sold.
var making = regexp.MustCompile(`(?:development|co-branding|purchase|supply)$`)

// ancillary are promises that come with such a kind: a developer licenses what it makes, and who
// sells equipment services it. The kind is called by the main promise.
var ancillary = map[string]bool{
	"license": true, "licence": true, "licensing": true, "service": true, "services": true, "support": true, "maintenance": true,
	"promotion": true, "hosting": true, "training": true, "technical support": true, "installation": true,
}

// joint splits the parts of a kind.
var joint = regexp.MustCompile(`,? (?:and|&) |, `)

// mainKind returns a kind, in lower case, without the promises that only accompany its first:
// "software development and licence agreement" is a software development agreement.
func mainKind(kind string) string {
	subject, ok := strings.CutSuffix(kind, " agreement")
	first := joint.FindStringIndex(subject)
	if !ok || first == nil || !making.MatchString(subject[:first[0]]) {
		return kind
	}
	head := subject[:first[0]]
	for rest := subject[first[1]:]; rest != ""; {
		part := rest
		if m := joint.FindStringIndex(rest); m != nil {
			part, rest = rest[:m[0]], rest[m[1]:]
		} else {
			rest = ""
		}
		if !ancillary[part] && (part != "purchase" || !strings.HasSuffix(head, "supply")) {
			return kind
		}
	}
	if main := head + " agreement"; knownKind(main) {
		return main
	}
	return kind
}

// knownKind reports whether a name ends in one of kinds.
func knownKind(name string) bool {
	return slices.ContainsFunc(kinds, func(kind string) bool {
		return strings.HasSuffix(name, kind) && (len(name) == len(kind) || name[len(name)-len(kind)-1] == ' ')
	})
}

func firstKind(of []kindWords, text string) string {
	for _, k := range of {
		if k.words.MatchString(text) {
			return k.kind
		}
	}
	return ""
}

// opening are the words by which the first sentences of a document show what it agrees, in lower
// case, if no title does.
var opening = []kindWords{
	{regexp.MustCompile(`\b(?:offer|offering) you (?:the |a |an )?(?:[\pL-]+ ){0,4}(?:position|post|role|job|employment)\b|\bposition of\b[^.;]{0,60}\b(?:with|at) (?:us|our|the company)\b`), "Employment Offer Letter"},
	{regexp.MustCompile(`\b(?:as|be|appoint\w*|become) (?:(?:our|your|its|the|an?|sole|exclusive|non-exclusive|authori[sz]ed) ){0,4}distributors?\b`), "Distribution Agreement"},
	{regexp.MustCompile(`\b(?:as|be|appoint\w*|become) (?:(?:our|your|its|the|an?|sole|exclusive|non-exclusive|commercial|sales) ){0,4}(?:agents?|(?:sales )?representatives?)\b|\b(?:representation|represent\w*|sell\w*) (?:of )?our (?:line|range|products?|goods)\b`), "Sales Agency Agreement"},
	{regexp.MustCompile(`\b(?:as|be|retain\w*|engag\w*) (?:(?:you|our|your|an?|independent) ){0,3}consultants?\b|\bconsult(?:ing|ancy) (?:services|work|assignment|engagement)\b|\bconsult(?:ing|ancy) (?:to|for|with)\b|\b(?:you|i|we) (?:will|would|are to|shall) (?:advise|consult)\b`), "Consulting Agreement"},
	{regexp.MustCompile(`\buse of [^.;]{0,60}\b(?:online|web-based|cloud|hosted|software|platform)\b|\bsubscri\w+\b[^.;]{0,60}\b(?:online|cloud|hosted|software|app|platform)\b`), "Software as a Service Agreement"},
	{regexp.MustCompile(`\b(?:act|acting|instruct\w*|engag\w*|retain\w*)\b[^.;]{0,60}\b(?:our firm|solicitors?|attorneys?|counsel|auditors?|accountants?)\b`), "Engagement Letter"},
	{regexp.MustCompile(`\bcharter ?party\b|\bcharterers\b|\bfixture\b[^.;]{0,80}\bvessel\b`), "Charter Party"},
	{regexp.MustCompile(`\bthis lease\b|\b(?:lets?|leases?) to (?:the )?tenants?\b|\btenancy\b`), "Lease"},
	{regexp.MustCompile(`\b(?:lend|lends|lent|advance|loan) (?:of )?(?:to )?(?:you|the borrower)\b|\bthis loan\b`), "Loan Agreement"},
	{regexp.MustCompile(`\b(?:design|build|redesign|develop)\b[^.;]{0,40}\b(?:web ?site)\b|\bnew web ?site\b`), "Web Design Agreement"},
	{regexp.MustCompile(`\bclean(?:ing)?\b[^.;]{0,40}\b(?:offices?|premises|building|windows|floors?)\b`), "Cleaning Services Agreement"},
	{regexp.MustCompile(`\bterms (?:on|under) which we (?:supply|sell)\b|\bwe (?:supply|sell)\b[^.;]{0,40}\b(?:goods|products)\b`), "Supply Agreement"},
	{regexp.MustCompile(`\b(?:confidential information|evaluation material|confidentiality|in confidence)\b`), "Non-Disclosure Agreement"},
	{regexp.MustCompile(`\bconsultants?\b`), "Consulting Agreement"},
}

const (
	// openingReach is how many bytes at the beginning of a document are searched for such words.
	openingReach = 1600
	// openingConfidence is the confidence of a kind found by them.
	openingConfidence = 0.5
)

// ofStaff matches the first sentences of a service agreement with a director or manager: it is one
// of employment.
var ofStaff = regexp.MustCompile(`\bthe ["“]?(?:executive|employee)\b|\bemploys? (?:him|her|you)\b`)

// openingKind returns the kind that the first sentences show. Its place is those words.
func openingKind(d *structure.Document) (none finding.Found[insightapi.TypeName], ok bool) {
	at := openingSpan(d)
	text := passage.Lower(d.Quote(at))
	for _, k := range opening {
		m := k.words.FindString(text)
		if m == "" {
			continue
		}
		i := passage.SentenceAt(d, at.Start)
		for ; i >= 0 && i < len(d.Sentences) && d.Sentences[i].Start < at.End; i++ {
			if d.Sentences[i].Len() <= passage.MaxSentence && k.words.MatchString(d.Sentences[i].Lower) {
				return finding.Found[insightapi.TypeName]{
					Item: insightapi.TypeName{DocumentType: k.kind}, Span: d.Sentences[i].Span,
					Reasoning: "The first sentences say what is agreed.", Confidence: openingConfidence,
				}, true
			}
		}
	}
	return none, false
}

// openingSpan is the part of a document that says what it is about.
func openingSpan(d *structure.Document) layout.Span {
	end := min(len(d.Text), openingReach)
	for end > 0 && end < len(d.Text) && d.Text[end]&0xC0 == 0x80 {
		end--
	}
	return layout.Span{End: end}
}
