package title

import (
	"strings"

	"github.com/rectohq/recto/libs/contract/insightapi"
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/rules/finding"
	"github.com/rectohq/recto/services/insight/internal/rules/passage"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// kinds are the known kinds of documents, in lower case. If a title names several, the
// one that ends last wins; of those with the same end, the longest.
var kinds = []string{
	"advertising agreement", "affiliate agreement", "agency agreement", "amendment", "arbitration agreement",
	"asset purchase agreement", "assignment agreement", "assignment and assumption agreement",
	"business associate agreement", "bylaws", "co-branding agreement", "cobranding agreement",
	"collaboration agreement", "commercial lease agreement", "commission agreement", "confidentiality agreement",
	"consignment agreement", "consultancy agreement", "consulting agreement", "content license agreement",
	"cooperation agreement", "credit agreement", "data processing addendum", "data processing agreement", "deed",
	"development agreement", "distribution agreement", "distributor agreement", "employment agreement",
	"employment contract", "endorsement agreement", "engagement letter", "escrow agreement",
	"exclusive license agreement", "financial services agreement", "franchise agreement", "funding agreement",
	"guaranty", "hosting agreement", "indemnification agreement", "independent contractor agreement",
	"intellectual property agreement", "investment agreement", "joint development agreement", "joint filing agreement",
	"joint venture agreement", "lease agreement", "lease", "letter agreement", "letter of intent", "license agreement",
	"licence agreement", "licensing agreement", "limited partnership agreement", "loan agreement",
	"maintenance agreement", "management agreement", "manufacturing agreement", "marketing agreement",
	"master services agreement", "memorandum of understanding", "merger agreement", "mutual non-disclosure agreement",
	"non-competition agreement", "non-compete agreement", "non-disclosure agreement", "nondisclosure agreement",
	"non-solicitation agreement", "offer letter", "operating agreement", "option agreement", "order form",
	"outsourcing agreement", "partnership agreement", "pledge agreement", "power of attorney", "privacy policy",
	"professional services agreement", "promissory note", "promotion agreement", "purchase agreement", "purchase order",
	"reseller agreement", "residential lease agreement", "sales agreement", "security agreement",
	"separation agreement", "service agreement", "services agreement", "settlement agreement", "shareholders agreement",
	"software license agreement", "sponsorship agreement", "statement of work", "stock purchase agreement",
	"strategic alliance agreement", "sublease agreement", "subscription agreement", "supply agreement",
	"support agreement", "technology license agreement", "term sheet", "terms and conditions", "terms of service",
	"terms of use", "trademark license agreement", "transition services agreement", "transportation agreement",
	"transfer agreement", "underwriting agreement", "web hosting agreement", "website development agreement",
}

var (
	ordinalWords = regexp.MustCompile(`(?i)^(?:amended and restated|second amended and restated|form of|draft|executed|restated|first|second|third|fourth|fifth|interim|this)\s+`)
	numberMark   = regexp.MustCompile(`(?i)\s+(?:no\.?|number|#)\s*\S+$`)
	// forServices matches a title that names the services of a contract, and endsInContract one
	// that calls it a contract.
	forServices    = regexp.MustCompile(`^(?:agreement|contract) for (?:the )?(?:(?:provision|supply|performance) of )?((?:[\pL-]+ ){0,4}services?)(?:$|\W)`)
	endsInContract = regexp.MustCompile(`((?:[\pL-]+,? ){1,5})contract(?:$| ?[–—(,:#-]| no\b| number\b| for\b| with\b)`)
	// changes matches the kind of a document that changes or adds to another.
	changes    = regexp.MustCompile(`(?i)^(?:amendment|addendum|supplement|appendix|deed of variation|notice|termination|assignment)\b|\b(?:addendum|amendment)$`)
	nounPhrase = regexp.MustCompile(`(?i)([\pL'’-]+(?:,? (?:and )?[\pL'’-]+){0,4} (?:agreement|contract|amendment|lease|plan|policy|addendum|license))\b`)
)

// Types returns the kind of document, the most probable first. If neither the title nor the name
// in the first sentence gives it, the first sentences may show it. titles must be what Find returns.
func Types(d *structure.Document, titles []finding.Found[insightapi.Title]) []finding.Found[insightapi.TypeName] {
	stated := statedTypes(d, titles)
	if len(stated) > 0 && !vague(stated[0].Item.DocumentType) {
		return stated
	}
	if shown, ok := openingKind(d); ok {
		return []finding.Found[insightapi.TypeName]{shown}
	}
	return stated
}

// statedTypes returns the kind that the title or the name in the first sentence gives.
func statedTypes(d *structure.Document, titles []finding.Found[insightapi.Title]) []finding.Found[insightapi.TypeName] {
	if len(titles) == 0 {
		return nil
	}
	name, confidence := kindOf(titles[0].Item.Title)
	span := titles[0].Span
	if isSubject(d, titles[0]) {
		name = letterKind(d, titles[0])
		return []finding.Found[insightapi.TypeName]{{
			Item: insightapi.TypeName{DocumentType: name}, Span: span, Reasoning: "The document is a letter with this subject.", Confidence: letterConfidence,
		}}
	}
	if named := nameInPreamble(d); vague(name) && named.Len() > 0 {
		if better, sure := kindOf(passage.Text(d, named)); !vague(better) {
			name, confidence, span = better, sure, named
		}
	}
	if base, at, ok := amended(d); ok && bareChange[name] {
		name, span = name+" to "+base, at
	}
	kind := usualKind(titles[0].Item.Title)
	if name == "Service Agreement" && ofStaff.MatchString(passage.Lower(d.Quote(openingSpan(d)))) {
		kind = "Employment Agreement"
	}
	if kind != "" && !changes.MatchString(name) {
		name, confidence = kind, usualConfidence
	}
	if kind == "" && titles[0].Confidence <= everydayConfidence && !titleNoun.MatchString(d.Quote(span)) {
		return nil
	}
	confidence *= min(titles[0].Confidence+0.1, 1)
	name = shortened(name)
	if confidence < leastTitle || len(strings.Fields(name)) > maxKindWords {
		return nil
	}
	return []finding.Found[insightapi.TypeName]{{
		Item: insightapi.TypeName{DocumentType: name}, Span: span, Reasoning: "The document states its type here.", Confidence: confidence,
	}}
}

// vague reports whether a kind says only that the document is an agreement.
func vague(kind string) bool {
	return vagueKinds[kind] || strings.HasSuffix(kind, " Terms")
}

// vagueKinds are the kinds that say only that.
var vagueKinds = map[string]bool{"Agreement": true, "Contract": true, "Amendment": true, "Letter Agreement": true, "Letter": true, "Terms": true, "Deed": true,
	"Minute of Agreement": true, "Quotation": true, "Quotation and Acceptance": true, "Proposal": true, "Order Confirmation": true}

// usualConfidence is the confidence of the usual name of a kind.
const usualConfidence = 0.85

// kindOf returns the kind, in title case, of a document with this title, and the
// confidence.
func kindOf(title string) (string, float64) {
	title = acronym.ReplaceAllStringFunc(title, func(a string) string { return acronyms[a] })
	name := withoutOrdinals(title)
	if kind, sure, ok := phraseKind(name); ok {
		return kind, sure
	}
	text := strings.ToLower(passage.OneLine(title))
	best, at := "", -1
	for _, kind := range kinds {
		i := lastWord(text, kind)
		if i >= 0 && (len(kind) > len(best) && i+len(kind) >= at || i+len(kind) > at) {
			best, at = kind, i+len(kind)
		}
	}
	if best == "" || best == "amendment" || best == "lease" {
		if kind, ok := contractKind(text); ok {
			return kind, 0.9
		}
	}
	if best != "" && best != "amendment" && best != "lease" {
		return titleCase(mainKind(qualified(text, best))), 0.95
	}
	if m := nounPhrase.FindString(name); m != "" {
		return titleCase(m), 0.9
	}
	return titleCase(name), 0.8
}

// contractKind returns the kind of a document whose title, in lower case, calls it a contract.
// Kinds are known by the name with "agreement": a maintenance contract is a maintenance
// agreement, and a contract for cleaning services a cleaning services agreement.
func contractKind(title string) (string, bool) {
	if m := forServices.FindStringSubmatch(title); m != nil {
		return titleCase(m[1] + " agreement"), true
	}
	m := endsInContract.FindStringSubmatch(title)
	if m == nil {
		return "", false
	}
	name, best := m[1]+"agreement", ""
	for _, kind := range kinds {
		if i := lastWord(name, kind); i >= 0 && i+len(kind) == len(name) && len(kind) > len(best) {
			best = kind
		}
	}
	if best == "" {
		return "", false
	}
	return titleCase(qualified(name, best)), true
}

// qualified returns the kind with the words before it in the title that belong to it:
// "manufacturing and supply agreement", "content license agreement".
func qualified(title, kind string) string {
	lead := strings.TrimRight(title[:lastWord(title, kind)], " ")
	for {
		cut := strings.LastIndexByte(lead, ' ') + 1
		word := lead[cut:]
		switch {
		case joining[strings.Trim(word, ",")] && cut > 0:
			before := strings.TrimRight(lead[:cut], " ")
			next := strings.LastIndexByte(before, ' ') + 1
			if companyMark.MatchString(before[next:]) {
				return kind
			}
			kind, lead = before[next:]+" "+word+" "+kind, strings.TrimRight(before[:next], " ")
		case strings.HasSuffix(word, ",") && len(word) > 3 && !companyMark.MatchString(word), qualifiers[word]:
			kind, lead = word+" "+kind, strings.TrimRight(lead[:cut], " ")
		default:
			return kind
		}
	}
}

// joining are words that join two kinds into one.
var joining = map[string]bool{"and": true, "&": true}

// qualifiers are words that distinguish kinds with the same noun.
var qualifiers = map[string]bool{
	"master": true, "software": true, "content": true, "technology": true, "trademark": true, "patent": true, "transportation": true, "web": true,
	"professional": true, "data": true, "exclusive": true, "non-exclusive": true, "mutual": true, "residential": true, "commercial": true, "joint": true,
	"product": true, "research": true, "clinical": true, "equipment": true, "marine": true, "corporate": true, "executive": true, "independent": true,
	"transition": true, "administrative": true, "franchise": true, "network": true, "management": true, "consulting": true, "site": true, "website": true,
	"cross": true, "sub-license": true, "intellectual": true, "property": true, "rights": true, "value": true, "added": true, "global": true, "strategic": true,
	"share": true, "shares": true, "stock": true, "asset": true, "securities": true, "hire": true, "sale": true, "unit": true, "units": true, "note": true, "bond": true,
	"real": true, "estate": true, "land": true, "vehicle": true, "goods": true, "business": true, "credit": true, "revolving": true, "term": true, "bridge": true,
	"convertible": true, "subordinated": true, "secured": true, "shareholder": true, "member": true, "membership": true, "interest": true, "unilateral": true,
	"bilateral": true, "general": true, "limited": true, "sub": true, "head": true, "ground": true, "office": true, "retail": true,
	"part-time": true, "full-time": true, "fixed-term": true, "freelance": true, "student": true, "internship": true, "it": true, "cloud": true, "saas": true,
	"database": true, "music": true, "film": true, "book": true, "publishing": true, "recording": true, "wholesale": true, "framework": true,
	"facilities": true, "security": true, "logistics": true, "cleaning": true, "catering": true, "photography": true, "staffing": true, "recruitment": true, "payroll": true,
	"gas": true, "power": true, "energy": true, "electricity": true, "water": true, "fuel": true, "warehousing": true, "storage": true, "freight": true, "event": true, "design": true, "engineering": true, "construction": true, "training": true, "marketing": true,
}

// acronyms maps an acronym to the kind of document.
var acronyms = map[string]string{
	"NDA": "Non-Disclosure Agreement", "MNDA": "Mutual Non-Disclosure Agreement", "MSA": "Master Services Agreement", "SOW": "Statement of Work",
	"DPA": "Data Processing Agreement", "BAA": "Business Associate Agreement", "SLA": "Service Level Agreement", "EULA": "End User License Agreement",
	"LOI": "Letter of Intent", "MOU": "Memorandum of Understanding", "PSA": "Professional Services Agreement",
}

// acronym matches one of them.
var acronym = regexp.MustCompile(`\b(?:` + documentAcronyms + `)\b`)

// lastWord returns the index of the last occurrence of w in s, or -1 if there is none or
// it is part of a longer word.
func lastWord(s, w string) int {
	i := strings.LastIndex(s, w)
	if i < 0 || i > 0 && isLetter(s[i-1]) || i+len(w) < len(s) && isLetter(s[i+len(w)]) && s[i+len(w)] != 's' {
		return -1
	}
	return i
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c == '-' }
