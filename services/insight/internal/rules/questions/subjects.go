package questions

import (
	"cmp"
	"strings"

	"github.com/rectohq/recto/libs/contract/insightapi"
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/rules/amounts"
	"github.com/rectohq/recto/services/insight/internal/rules/clauses"
	"github.com/rectohq/recto/services/insight/internal/rules/keydates"
	"github.com/rectohq/recto/services/insight/internal/rules/liability"
	"github.com/rectohq/recto/services/insight/internal/rules/parties"
	"github.com/rectohq/recto/services/insight/internal/rules/passage"
	"github.com/rectohq/recto/services/insight/internal/rules/questions/bills"
	"github.com/rectohq/recto/services/insight/internal/rules/renewals"
	"github.com/rectohq/recto/services/insight/internal/rules/title"
)

// subjects are the topics that rules can answer, specific ones before general ones. The
// first with an answer wins.
var subjects = []subject{
	about(`\bgovern(?:s|ed|ing)?\b.{0,40}\blaws?\b|\blaws?\b.{0,40}\b(?:govern\w*|appl(?:y|ies)|controls?)\b|\b(?:applicable|choice of|which|what|whose)\b.{0,24}\blaws?\b|\bwhich (?:state|country|jurisdiction)'?s?\b.{0,20}\blaws?\b`,
		"law laws govern governs governed governing applicable apply choice state country jurisdiction construed interpretation interpreted", clausesOf(clauses.GoverningLaw)),
	clause("Arbitration", `\barbitrat\w+`, "arbitration arbitrate arbitrated arbitrator arbitrators dispute disputes resolve resolved settle settled submitted binding"),
	alone(about(`\b(?:disputes?|disagreements?|controvers\w+)\b.{0,60}\b(?:resol\w+|settle\w*|decid\w+|handled|heard|brought|submitted|litigat\w+)\b|\b(?:resol\w+|settle\w*|decid\w+)\b.{0,40}\bdisputes?\b|\bdisputes? resolution\b`,
		"dispute disputes disagreement disagreements controversy controversies resolve resolved resolving resolution settle settled settlement decided decides handled heard brought submitted city country place", disputes)),
	alone(about(`\b(?:which|what) courts?\b|\bcourts?\b.{0,50}\b(?:jurisdiction|compet\w+|decide|hear)\b|\b(?:venue|forum) (?:for|of) (?:the |any |all |legal )*(?:disputes?|litigation|proceedings|lawsuits?|suits?|actions?|claims?)\b|\b(?:exclusive|legal) (?:venue|forum)\b|\b(?:what|which) is the (?:venue|forum)\W*$|^(?:venue|forum)$`,
		"court courts jurisdiction venue forum exclusive competent decide hear proceedings lawsuits suits claims lawsuit case sue city country place", clausesOf(courts))),
	about(`\b(?:what|which) (?:(?:is|are) )?(?:the )?(?:\w+ )?jurisdictions?\b|\bjurisdictions? of\b|^(?:the )?jurisdiction$`, "jurisdiction jurisdictions", jurisdiction),
	clause("Notice Period To Terminate Renewal", `\bnotice\b.{0,60}\b(?:renew\w*|extension)|\b(?:renew\w*|extension)\b.{0,60}\bnotice\b|\b(?:prevent|avoid|stop|cancel)\b.{0,30}\brenew\w*`,
		"notice notify renewal renew renewing prevent avoid stop cancel terminate period extension"),
	about(`\bdate\b.{0,20}\brenew\w*|\brenewal date|\bwhen\b.{0,30}\brenew\w*`, "renewal renew renews renewed date", dated(insightapi.DateRenewal)),
	about(`\brenew(?:al|s|ed|able|ing)?\b|\bauto-?renew\w*|\bextension (?:term|period|option)|\b(?:be|is|term|agreement|contract) extended\b`,
		"renew renewal renews renewed renewable automatically automatic auto extension extended term length period", renewed),
	about(`\beffective\b|\b(?:takes?|come|comes|go|goes|enters?|enter) (?:into )?(?:effect|force)|\bwhen\b.{0,40}\b(?:start|begin|commence)s?\b|\b(?:commencement|start|starting|begin\w*) date|\bstart of the (?:agreement|contract|term|lease)`,
		"effective effect take takes come into go enter force start starts begin begins commence commences commencement starting beginning term lease", effective),
	only(about(`\b(?:how long|until when|how many (?:months|years)|for (?:what|which) (?:period|time))\b.{0,80}\b(?:confidential information|confidential(?:ity)? (?:obligation|dut|undertaking|commitment|clause|provision|restriction|period)\w*|(?:obligations?|dut(?:y|ies)) of (?:confiden\w+|secrecy|non-?disclosure)|non-?disclosure (?:obligation|dut)\w*|(?:keep|kept|held|hold|remain|stay|treat\w*|maintain\w*)\b.{0,40}\b(?:confidential|confidence|secret)|(?:confidentiality|secrecy) (?:last|end|apply|continue|survive|run))\b|\b(?:confidentiality|non-?disclosure|secrecy) (?:period|term)\b|\b(?:duration|length|term|period) of (?:the |any )?(?:confidentiality|secrecy|non-?disclosure|confidential)(?: (?:obligation|dut|undertaking|commitment|provision)\w*)?\W*$`,
		"confidential confidentiality confidence secret secrecy disclosure nondisclosure non information obligation obligations duty duties undertaking undertakings commitment commitments keep kept hold held remain stay treated maintained last end survive continue apply run period term duration length long time until receiving recipient", secrecy)),
	only(about(`\bhow long\b.{0,50}\b(?:last|lasts|run|runs|valid|in force|in effect|binding)\b|\bhow long is the\b.{0,20}\b(?:term|agreement|contract|lease)|\b(?:duration|length)\b.{0,30}\b(?:agreement|contract|term|lease|engagement|employment)|\b(?:what|which) is the (?:initial |original )?(?:term|duration)\b|^(?:the )?(?:initial |original |contract |agreement |lease )?(?:term|duration)(?: of (?:the|this) (?:[a-z-]+ ){0,3}(?:agreement|contract|lease))?\W*$`,
		"last lasts valid force effect binding run runs duration length term initial original lease nda over long until", lasting)),
	about(`^when (?:can|could|may)\b.{0,60}\bterminate\b`, rightsToEnd, terminations),
	about(`\bexpir\w+|\bend(?:s|ing)? date|\bend of the (?:agreement|contract|term|lease)|\b(?:when|what date|how long|until when)\b.{0,50}\b(?:terminate|end|ends|finish|finishes|last|lasts|over|valid|in force|in effect|run|runs)\b`,
		"expire expires expiration expiry end ends ending terminate terminates finish last lasts valid force effect run runs duration length term initial lease over long until", expiry),
	about(`\b(?:when|date|what day)\b.{0,50}\b(?:signed|executed|made|dated|entered|concluded|signing|signature|execution)\b|\b(?:agreement|contract|signing|signature|execution) date\b|\bdate of (?:the|this) (?:agreement|contract|lease|document|signing|signature|execution)`,
		"signed executed made dated entered concluded signing signature execution lease", dated(insightapi.DateExecution)),
	fixed(about(`\bwho\b.{0,40}\b(?:sign|signs|signed|signing|signator\w+|signers?|executed)\b|\b(?:signator\w+|signers?)\b`, "sign signs signed signing signatory signatories signer signers executed behalf", signedBy)),
	fixed(about(`\bparties\b|\bwho\b.{0,40}\b(?:party|between|involved|bound|contracting|entering|entered)\b|\bbetween (?:whom|which)\b`, "between whom involved bound contracting entering entered names identify legal entities", named)),
	clause("Force Majeure", `\bforce majeure\b|\bacts? of god\b|\bevents? (?:beyond|outside)\b.{0,40}\bcontrol\b`, "force majeure acts act god events event beyond outside control excused excuse"),
	clause("Indemnification", `\bindemni\w+|\bhold harmless\b`, "indemnify indemnifies indemnified indemnification indemnity hold harmless obligations"),
	clause("Entire Agreement", `\bentire (?:agreement|understanding)|\b(?:merger|integration) clause\b|\b(?:supersede\w*|prior agreements)\b`, "entire understanding merger integration supersede supersedes superseded prior agreements"),
	clause("Severability", `\bseverab\w+|\b(?:invalid|unenforceable)\b.{0,40}\b(?:provision|part|term)s?\b|\b(?:provision|part|term)s?\b.{0,40}\b(?:invalid|unenforceable)\b`, "severability severable invalid unenforceable provision provisions part parts"),
	clause("Counterparts", `\bcounterparts?\b`, "counterparts counterpart executed signed"),
	clause("Survival", `\bsurviv\w+`, "survive survives survival surviving provisions provision obligations expiration expiry termination end"),
	clause("Data Protection", `\b(?:personal (?:data|information)|data protection|data privacy|gdpr)\b`, "personal data protection privacy gdpr information protected processed"),
	clause("Non-Compete", `\bnon-?compet\w*|\bcompet(?:e|es|ing|ition|itors?)\b`, "non compete noncompete competition competing covenant restriction"),
	clause("No-Solicit Of Customers", `\bsolicit\w*.{0,40}\bcustomers?\b|\bcustomers?\b.{0,40}\bsolicit\w*`, "solicit solicitation non customers"),
	clause("No-Solicit Of Employees", `\bsolicit\w*|\bpoach\w*`, "solicit solicitation non employees poach poaching"),
	clause("IP Ownership Assignment", `\b(?:intellectual property|\bip\b|work product|inventions?|copyrights?|deliverables)\b.{0,60}\b(?:own\w*|belong\w*|assign\w*|transfer\w*)|\b(?:own\w*|assign\w*|transfer\w*)\b.{0,60}\b(?:intellectual property|ip|work product|inventions?|copyrights?|deliverables)\b`,
		"intellectual property ip own owns owned ownership belong belongs assign assigned assignment transfer rights"),
	clause("Anti-Assignment", `\bassign(?:ed|ment|able|s)?\b|\btransfer(?:red|able)?\b.{0,40}\b(?:agreement|contract|rights)\b|\b(?:agreement|contract|rights)\b.{0,40}\btransfer(?:red|able)?\b`,
		"assign assigned assignment assignable transfer transferred transferable rights third"),
	clause(terminationForCause, `\bterminat\w*\b.{0,60}\b(?:breach\w*|default\w*|for cause|insolven\w+|bankrupt\w+)\b|\b(?:breach\w*|default\w*|insolven\w+|bankrupt\w+)\b.{0,60}\bterminat\w*`,
		"terminate terminated termination right breach breached breaches default defaults cause insolvency insolvent bankruptcy bankrupt event material"),
	clause("Termination For Convenience", `\bterminat\w*\b.{0,50}\b(?:convenience|cause|any reason|any time|at will|notice|early)\b|\bnotice\b.{0,40}\bterminat\w*`,
		"terminate terminated termination convenience cause reason time notice early period prior"),
	clause("Insurance", `\binsur\w+`, "insurance insured insure insurer coverage obligation maintain carry"),
	clause("Audit Rights", `\baudit\w*|\binspect\b.{0,20}\b(?:books|records)`, "audit audits audited auditing right rights inspect books records"),
	clause("Change Of Control", `\bchange (?:of|in) control`, "change control"),
	clause("Amendment", `\b(?:amend\w*|modif\w+|chang(?:e|es|ed))\b.{0,40}\b(?:agreement|contract|lease|terms)\b|\b(?:agreement|contract|lease|terms)\b.{0,30}\b(?:amended|modified|changed)\b|^amendments?$`, "amend amended amendment amendments modify modified modification modifications change changed changes terms"),
	clause("Notices", `\bnotices?\b.{0,40}\b(?:sent|given|delivered|served|addressed|in writing)\b|\bhow\b.{0,40}\bnotices?\b|^notices?$`, "notice notices sent given delivered served addressed writing"),
	about(`\b(?:how|when|who|can|could|may|right)\b.{0,60}\bterminat\w+|\btermination (?:rights?|provisions?|clauses?)\b|^termination$`, rightsToEnd, terminations),
	clause("Exclusivity", `\bexclusiv\w+(?: \w+){0,2} (?:rights?|dealing|territory|supplier|distributor|basis)|\b(?:is|are)\b.{0,30}\bexclusive\b|\bexclusivity\b`, "exclusive exclusivity exclusively right rights"),
	clause("Liquidated Damages", `\bliquidated damages|\btermination fee`, "liquidated damages termination fee"),
	clause("Non-Disparagement", `\bdisparag\w*`, "disparage disparagement non disparaging"),
	clause("Most Favored Nation", `\bmost[- ]favou?red`, "most favored favoured nation"),
	clause("ROFR/ROFO/ROFN", `\bfirst (?:refusal|offer|negotiation)|\bro(?:fr|fo|fn)\b`, "right first refusal offer negotiation rofr rofo rofn"),
	clause("Third Party Beneficiary", `\bthird[- ]party beneficiar\w+`, "third beneficiary beneficiaries"),
	clause("Source Code Escrow", `\bescrow\b`, "source code escrow"),
	about(`\bliab\w+|\bdamages\b`, "liable liability liabilities limit limited limits limitation capped cap caps maximum damages uncapped unlimited", limited),
	fixed(about(`^when (?:is|was|must|does|do|should) (?:the |this |our |my |your )?(?:full |whole |total |invoice )?(?:invoice|bill|payment|it|pay|amount|we|i|you|they)\b(?: (?:have|need) to)?(?: (?:be )?(?:due|paid|payable|pay|made))?(?: (?:the|this|it)(?: (?:invoice|bill))?)?\W*$|^(?:(?:what|when) is the )?(?:payment )?due date(?: of (?:the|this) (?:invoice|bill))?\W*$`, "", dueDate)),
	about(`(?:^|\b(?:and|or|by|until|since|from|exactly|know|say|tell (?:me|us)) )when\b.{0,60}\b(?:pay\w*|paid|due|invoice\w*|rent|fees?)\b|\bpayment (?:terms?|due|schedule|date)|\bdue date`, "pay paid payment payments payable due invoice invoices invoiced terms schedule", paidWhen),
	fixed(about(`^how much (?:do|does|must|should|will|did|is|are|was) (?:we|i|you|they|it|he|she|the (?:customer|client|buyer|total|invoice|bill|order|amount|balance))(?: (?:have|has|need|needs) to)?(?: (?:pay|owe|cost|due|payable|outstanding))?(?: (?:in total|in all|altogether|now|for (?:everything|it all|(?:the|this) (?:whole )?(?:invoice|order|bill|lot))))*\W*$|^what (?:is|was) (?:the )?(?:grand |invoice |order |overall )?(?:total|amount|balance)(?: (?:total|amount|due|price|cost|payable|to pay|of (?:the|this) (?:invoice|order|bill)))*\W*$`, "", totalOf)),
	exactly(about(`\bhow much\b|\b(?:what|which) (?:is|are|was|were)\b.{0,50}\b(?:price|fees?|costs?|rent|salary|compensation|deposit|amount|penalty|sum|consideration|bonus|budget|retainer|loan|principal|payment|value)\b|\b(?:price|fee|rent|salary|deposit|amount) of\b|^(?:[a-z]+ ){0,3}(?:price|fees?|rent|salary|deposit|amount|value)$`,
		"pay paid", amountsOf)),
	fixed(about(`\b(?:what|which)\b.{0,20}\b(?:type|kind|sort) of (?:a |an )?(?:document|agreement|contract)\b|\b(?:document|contract|agreement) type\b`, "type kind sort", typed)),
	fixed(about(`\b(?:title|called)\b.{0,30}\b(?:document|agreement|contract)\b|\b(?:document|agreement|contract)\b.{0,20}\b(?:title|called)\b|^title$`, "title called", titled)),
}

// about returns a subject for questions that match asks. own lists the words that only
// phrase the question.
func about(asks, own string, find func(*source) []evidence) subject {
	return subject{asks: regexp.MustCompile(asks), own: wordsOf(own), find: find}
}

// clause returns a subject for questions about a kind of clause.
func clause(kind, asks, own string) subject {
	s := about(asks, own, clausesOf(kind))
	s.clause = true
	return s
}

func only(s subject) subject {
	s.only = true
	return s
}

func alone(s subject) subject {
	s.alone = true
	return s
}

func fixed(s subject) subject {
	s.fixed = true
	return s
}

func exactly(s subject) subject {
	s.exact = true
	return s
}

// clausesOf returns the clauses of a kind.
func clausesOf(kind string) func(*source) []evidence {
	return func(d *source) []evidence {
		var all []evidence
		for _, f := range d.clauses(kind) {
			all = append(all, evidence{Span: f.Span, why: f.Reasoning, confidence: f.Confidence})
		}
		return all
	}
}

// terminationForCause is the kind of clauses that let a party end the contract for a cause.
const terminationForCause = "Termination For Cause"

// courts is the kind of clauses that say which courts decide.
const courts = "Jurisdiction And Venue"

// disputes returns where and how disputes are decided: the clauses of the first of these kinds
// that the document has.
func disputes(d *source) []evidence {
	for _, kind := range []string{"Arbitration", courts, "Dispute Resolution"} {
		if all := clausesOf(kind)(d); len(all) > 0 {
			return all
		}
	}
	return nil
}

// jurisdiction returns which courts decide or, if the document does not say, whose law governs.
func jurisdiction(d *source) []evidence {
	if all := clausesOf(courts)(d); len(all) > 0 {
		return all
	}
	var all []evidence
	for _, f := range d.clauses(clauses.GoverningLaw) {
		_, place, _ := strings.Cut(strings.TrimSuffix(f.Item.ClauseDescription, "."), "laws of ")
		all = append(all, evidence{Span: f.Span, value: place, why: "The document names no courts. Its law is that of this jurisdiction.", confidence: f.Confidence * elsewhere})
	}
	return all
}

// elsewhere scales the confidence of a jurisdiction that only the governing law names: the
// courts may be others.
const elsewhere = 0.7

// rightsToEnd are the words that only phrase a question about the rights to end the contract.
const rightsToEnd = "terminate terminated terminates termination right rights provisions clause party parties either early"

// terminations returns the rights to end the contract.
func terminations(d *source) []evidence {
	return append(clausesOf("Termination For Convenience")(d), clausesOf(terminationForCause)(d)...)
}

// dated returns the dates of a kind.
func dated(kind string) func(*source) []evidence {
	return func(d *source) []evidence {
		var all []evidence
		for _, f := range keydates.Find(d.Document) {
			if f.Item.DateType == kind {
				all = append(all, evidence{Span: f.Span, why: f.Reasoning, confidence: f.Confidence})
			}
		}
		return all
	}
}

// effective returns when the contract takes effect. If the document does not say, that is
// the day on which it was made.
func effective(d *source) []evidence {
	if all := dated(insightapi.DateEffective)(d); len(all) > 0 {
		return all
	}
	all := dated(insightapi.DateExecution)(d)
	for i := range all {
		all[i].confidence *= 0.7
		all[i].why = "The document does not say when the contract takes effect. It was made on this date."
	}
	return all
}

func renewed(d *source) []evidence {
	var all []evidence
	for _, f := range renewals.Find(d.Document) {
		all = append(all, evidence{Span: f.Span, label: f.Item.TermType, why: f.Reasoning, confidence: f.Confidence})
	}
	if len(all) == 0 {
		return clausesOf(clauses.RenewalTerm)(d)
	}
	return all
}

func limited(d *source) []evidence {
	var all []evidence
	for _, f := range liability.Find(d.Document) {
		all = append(all, evidence{Span: f.Span, label: f.Item.LimitLabel, why: f.Reasoning, confidence: f.Confidence})
	}
	return all
}

// signedBy returns the signers with the capacity in which each signs.
func signedBy(d *source) []evidence {
	var all []evidence
	for _, f := range parties.Signers(d.Document) {
		if name := f.Item.SignerFullName; name != "" {
			value := strings.TrimSuffix(name+", "+f.Item.SignerRole, ", ")
			all = append(all, evidence{Span: f.Span, value: value, why: f.Reasoning, confidence: f.Confidence})
		}
	}
	return all
}

// paidWhen returns the sentences that say when payments are due.
func paidWhen(d *source) []evidence {
	var all []evidence
	for _, f := range amounts.Payments(d.Document, amounts.Rates{}, nil) {
		sentence := passage.Text(d.Document, f.Span)
		if amounts.SaysWhen(sentence) {
			all = append(all, evidence{Span: f.Span, label: f.Item.PaymentLabel, why: f.Reasoning, confidence: f.Confidence})
		}
	}
	return all
}

// dueDate returns when an invoice or a bill is to be paid.
func dueDate(d *source) []evidence {
	e, ok := bills.DueDate(d.Document)
	return billed(e, ok, "The line with this label says when the whole is to be paid.")
}

// totalOf returns what is to be paid for an invoice, an order or a bill.
func totalOf(d *source) []evidence {
	e, ok := bills.Total(d.Document)
	return billed(e, ok, "The line with this label says what is to be paid in all.")
}

// sureOfBill is the confidence of an entry of a bill.
const sureOfBill = 0.85

func billed(e bills.Entry, ok bool, why string) []evidence {
	if !ok {
		return nil
	}
	return []evidence{{Span: e.Span, value: e.Value, why: why, confidence: sureOfBill}}
}

func amountsOf(d *source) []evidence {
	var all []evidence
	for _, f := range amounts.Values(d.Document, amounts.Rates{}) {
		all = append(all, evidence{Span: f.Span, label: f.Item.ContractValueLabel, why: f.Reasoning, confidence: f.Confidence})
	}
	return all
}

func typed(d *source) []evidence {
	var all []evidence
	for _, f := range title.Types(d.Document, title.Find(d.Document, "")) {
		all = append(all, evidence{Span: f.Span, value: f.Item.DocumentType, why: f.Reasoning, confidence: f.Confidence})
	}
	return all
}

func titled(d *source) []evidence {
	var all []evidence
	for _, f := range title.Find(d.Document, "") {
		all = append(all, evidence{Span: f.Span, value: f.Item.Title, why: f.Reasoning, confidence: f.Confidence})
	}
	return all
}

func named(d *source) []evidence {
	var all []evidence
	for _, f := range parties.Named(d.Document) {
		all = append(all, evidence{Span: f.Span, value: cmp.Or(f.Item, namesIn(d.Document, f.Span)), why: f.Reasoning, confidence: f.Confidence})
	}
	return all
}
