package law

import (
	"strings"

	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
)

const (
	contractNoun = `(?:agreement|contract|lease|licen[sc]e|amendment|addendum|deed|plan|guaranty|letter|dpa|nda|order|terms|policy|tenancy|sublease|subcontract|guarantee|undertaking|arrangement|engagement|appointment|retainer|note|bond|charter|loan|mortgage|offer|warranty)`
	// disputed is what a law decides about: a contract, what follows from it, or a dispute.
	disputed = `(?:` + contractNoun + `|disput\w+|controvers\w+|claims?|matters?|questions?|merits|validity|interpretation|rights|obligations|everything|all of (?:this|it))`
	// lawKinds matches words between a place and its law.
	lawKinds = `(?:and\s+(?:applicable\s+)?(?:european|federal|(?:united\s+states|u\.?s\.?)(?:\s+federal)?)\s+)?(?:(?:substantive|internal|domestic|national|federal|civil|commercial|common|contract|material|statutory|private|statutes)\s+(?:and\s+)?){0,2}`
	// underThe matches a preposition, and the law that something is under.
	underThe = `\b(?:by|under|with|to|per|in terms of),?\s+(?:[^\s;]+\s+){0,7}laws?\b`
	// lawAsSubject matches a law with the name of its place as the subject of a sentence or a
	// part of one.
	lawAsSubject = `(?:^[^a-z]*|[;:.,]\s+|\band\s+|\b(?:agree|agreed|accept|confirm)\s+(?:that\s+)?)(?:only\s+)?(?:the\s+)?` +
		`(?:(?:[\w.-]+\s+){0,3}[\w.-]+(?:['’]s?)?\s+laws?|laws?\s+(?:now\s+|currently\s+)?(?:in\s+force\s+)?(?:of|in)\s+(?:[\w.-]+\s+){0,5}[\w.-]+)(?:,[^;]{1,120},)?`
)

// ofLaw holds the patterns of weakChoice.
var ofLaw = regexp.NewSet()

// Patterns for sentences that choose a law, on one line in lower case.
var (
	// besideLaw matches phrases that have the word, but are about no law in particular.
	besideLaw = regexp.MustCompile(`\boperation of (?:any )?(?:applicable )?laws?\b|\b(?:at|in) law\b(?: (?:or|and) (?:in )?equity)?|\bconflicts?[ -]of[ -]laws?\b|\bchoices?[ -]of[ -]laws?\b`)
	// governs matches a law that governs something, and byState a contract that a state
	// governs.
	governs = regexp.MustCompile(`\b(?:governed|govern|governs|governing (?:law|document|jurisdiction))\b|\bgoverning\b[^.;]{0,60}\bthis\b`)
	byState = regexp.MustCompile(`(?i)\b` + disputed + `\b[^.;]{0,80}\b(?:is|are|be)\b[^.;]{0,20}\bgoverned\b[^.;]{0,60}\b(?:by|under|with|to)\s+(?:the\s+)?(?:state|commonwealth|province)\s+of\s+`)
	// construed matches a law by which something is interpreted.
	construed = ofLaw.MustCompile(`\b(?:constru(?:ed|ction|ing)|constructed|interpret(?:ed|ation|ing)|read|understood)\b[^;]{0,200}` + underThe +
		`|\benforced\s+(?:under|in accordance with|according to|pursuant to)\s+(?:[^\s;]+\s+){0,7}laws?\b|\blaws?\b[^.;]{0,80}\b(?:used|applied|controls?|determines?|prevails?)\b[^.;]{0,40}\b(?:constru|interpret)`)
	// applies matches a law that applies or prevails.
	applies = ofLaw.MustCompile(`\blaws?\b[^.;]{0,60}\b(?:appl(?:y|ies)|controls?|prevails?)\b(?:\s+to\s+(?:this|the)\b|,?\s+(?:excluding|without|exclusive|exclusively|to the exclusion)\b|[^\w]*$)|\b(?:applicable|proper|substantive|controlling) laws?\b(?: (?:for|of|to|hereof|hereunder|in)\b[^.;]{0,40})? (?:is|shall be|will be)\b|` +
		`\bapplicable law:|\blaws? of (?:this|the) ` + contractNoun + ` (?:is|shall be|will be)\b|\b(?:parties|we)\b[^.;]{0,20}\b(?:choose|chose|chosen|select(?:ed)?|elect(?:ed)?|adopt(?:ed)?|use)\b[^.;]{0,30}\blaws?\b`)
	// appliesHere is applies if more about disputes follows, as plain drafters write it:
	// "German law applies, and the courts of Hamburg decide". appliesIf matches a law that may
	// apply or not.
	appliesHere = ofLaw.MustCompile(`\blaws?\b[^.;]{0,60}\bappl(?:y|ies)(?:;|,? (?:and|but)\b[^.;]{0,60}\b(?:courts?|jurisdiction|parties|each|arbitrat\w+|disputes?)\b|,? (?:except|save|but not|not including)\b|, (?:the )?(?:courts?|place of jurisdiction|venue|arbitration)\b)`)
	appliesIf   = ofLaw.MustCompile(`\b(?:if|where|when|whenever|unless|extent|whether|whichever|although)\b[^.;]{0,80}\blaws?\b[^.;]{0,60}\b(?:appl(?:y|ies)|controls?|prevails?|governs?)\b`)
	// rulesHere matches a law that applies to what the sentence leaves unsaid, the contract,
	// or to what can only be that: "Ohio law controls, and suit lies in Dayton", "The laws of
	// Kenya apply to it". A law that applies to something of its own is no choice.
	rulesHere = ofLaw.MustCompile(lawAsSubject + `\s+(?:(?:alone|only|exclusively|always|also)\s+)?(?:(?:appl(?:y|ies)|controls?|prevails?|governs?|rules?|decides?)|(?:is|are)\s+(?:to\s+be\s+)?(?:applicable|controlling|chosen|applied|agreed|the\s+(?:governing|applicable|proper|chosen)\s+law))` +
		`(?:[^\w]*$|[,;:]|\s+(?:alone|only|exclusively|throughout|here|hereto|hereunder|as\s+(?:though|if|between)|except|excluding|save|without|with|whatever|wherever|regardless|between|in\s+all|no\s+matter|and\s+(?:the\s+|any\s+)?(?:[\w.-]+\s+){0,4}(?:courts?|arbitrat\w+|disputes?|tribunals?|jurisdiction)|(?:to|for)\s+(?:this|it|the|us|our|all|any|both|these|what|how|everything|every)\b)\b)`)
	// isTheLaw matches a law that is named as the law of the contract.
	isTheLaw = ofLaw.MustCompile(`\blaws?\b[^.;]{0,60}\b(?:is|are|be)\s+(?:also\s+)?the\s+laws?\s+(?:of|for|that\s+(?:governs|applies|controls|binds)|we|chosen|which)\b[^.;]{0,40}\b(?:this|our|the|it|us|you|we|parties)\b|` +
		`\blaws?\s+(?:that|which)\s+(?:applies|binds|controls)\b[^.;]{0,40}\b(?:is|be)\s+(?:that|the\s+laws?|[\w'’-]+\s+laws?)\b|` + lawAsSubject + `\s+(?:(?:covers?|binds?|regulates?|decides?|determines?|settles?)\s+(?:this|it|everything|all|any|us|who|how|what|our|the\s+whole)|it\s+is|(?:is|are)\s+what\s+(?:counts?|matters?|applies))\b|\btakes?\s+(?:its|their)\s+law\s+from\b`)
	// elliptic matches a sentence without a verb that names a law: "Danish law."
	elliptic = regexp.MustCompile(`^[^a-z]*(?:the\s+)?(?:(?:[a-z-]+\s+){1,3}law|laws?\s+of\s+(?:the\s+)?(?:[a-z'’-]+\s*){1,5})(?:[.;]|, (?:excluding|without|except|save)\b)`)
	// plainly matches the words of plain drafters for the same: "it's New Zealand law".
	plainly = ofLaw.MustCompile(`\bthe law is that of\b|\bit(?:['’]s| is) [a-z ]{4,30} law[.;,]|\b(?:read|understood) according to [a-z ]{3,30} law\b|\b(?:agreement|contract|letter|lease) (?:goes|is) under [a-z ]{3,30} law\b`)
	// fillsIn matches the law of a place that steps in where a federal law is silent.
	fillsIn = ofLaw.MustCompile(`\blaws?\b[^.;]{0,40}\bdo(?:es)?\s+not\s+(?:control|govern|apply|reach|preempt)\b[^.;]{0,30}\blaws?\b[^.;]{0,60}\bdo(?:es)?\b`)
	// shallApply is applies in any part of a sentence.
	shallApply = ofLaw.MustCompile(`\blaws?\b[^.;]{0,60}\b(?:shall|will|must)\s+(?:\w+\s+)?(?:apply|control|prevail|rule|be used|be applied|be applicable)\b|\blaws? applicable (?:to|for)\b[^.;]{0,60}\b(?:is|be)\b[^.;]{0,20}\blaws?\b`)
	// underLaw matches a contract, or what follows from one, that is subject to a law.
	underLaw = ofLaw.MustCompile(`\b` + disputed + `\b[^.;]{0,60}\b(?:is|are|be|and)\s+(?:\w+\s+){0,3}subject\s+(?:exclusively\s+|only\s+|solely\s+)?to\s+(?:the\s+)?(?:\w+\s+){0,5}laws?\b|\b` + contractNoun + `\s+(?:(?:falls|comes|shall fall)\s+under|follows)\s+(?:the\s+)?(?:\w+\s+){0,3}laws?\b|\b` + disputed + `\s+(?:[^\s.;]+\s+){0,8}(?:is|are)\s+(?:all\s+)?under\s+(?:the\s+)?(?:\w+\s+){0,3}laws?\b`)
	// madeUnder matches a contract that is made under a law.
	madeUnder = ofLaw.MustCompile(`\b(?:this|the)\s+(?:[\w-]+\s+){0,5}` + contractNoun + `\s+(?:is|shall be|will be|has been)\s+(?:\w+\s+){0,2}(?:made|entered into|executed|concluded|delivered|deemed|a contract|in accordance)\b[^.;]{0,60}` + underThe)
	// decided matches a dispute that is decided by a law.
	decided = ofLaw.MustCompile(`\b` + disputed + `\b[^;]{0,200}\b(?:determined|resolved|settled|decided|dealt\s+with|controlled|adjudicated|judged|performed|regulated)\b[^;]{0,80}` + underThe)
	// decides matches those who decide by a law.
	decides = ofLaw.MustCompile(`\b(?:arbitrators?|arbitration|tribunal|panel|courts?|umpire|arbiter)\b[^.;]{0,120}\b(?:apply|applies|applying|applied|follow|decide|decided|rule)\b[^.;]{0,80}\blaws?\b`)
	// application matches a contract that provides for the application of a law.
	application = ofLaw.MustCompile(`\b` + contractNoun + `\s+(?:requires?|provides? for|calls? for)\s+(?:the\s+)?application of\b[^.;]{0,40}\blaws?\b|\bparties\b[^.;]{0,60}\b(?:be bound by|submit(?: themselves)? to|consent to|agree to)\s+(?:the\s+application of\s+)?(?:the\s+)?(?:\w+\s+){0,3}laws?\b`)
	notByLaw    = regexp.MustCompile(`\bnot (?:be )?governed by\b`)
	// notAs matches what a contract must not be taken for.
	notAs = regexp.MustCompile(`\b(?:not (?:to )?be|nothing\b[^;]{0,80}\bbe) (?:construed|interpreted)\b`)
	noLaw = regexp.MustCompile(`\bno\b[^.;]{0,30}\blaws?\b[^.;]{0,30}\bgovern`)
	// ownLaw matches a mention of this contract.
	ownLaw = ofLaw.MustCompile(`\b(?:this (?:[\w-]+ ){0,5}(?:agreement|contract|lease|license|amendment|addendum|deed|plan|guaranty|letter)|hereof|hereunder|agreement|hereto)\b`)
	// otherLaw matches mentions of laws in other roles, such as compliance or
	// incorporation. fieldLaw matches the law of a field, which governs no contract as a
	// whole.
	otherLaw = regexp.MustCompile(`\b(?:compliance|compl(?:y|ies|ied|ying)|organi[sz]ed|existing under|incorporated|permitted by|required by|duly|prohibited|opinions?)\b`)
	fieldLaw = ofLaw.MustCompile(`\b(?:patents?|copyright|trademarks?|inventorship|securities|tax|bankruptcy|insolvency|export|customs|arbitration|procedural|employment|lab(?:or|our)|privacy|antitrust|competition|corporat(?:e|ion)|environmental)\s+(?:and\s+\w+\s+)?(?:control\s+)?laws?\b`)
	// entityLaw matches the law that an organization is formed under.
	entityLaw = ofLaw.MustCompile(`\b(?:compan(?:y|ies)|corporation|partnership|entity|formed|established|registered|chartered)\s+(?:[\w,]+\s+){0,4}(?:under|of|by|pursuant to|in accordance with)\s+(?:[^\s;]+\s+){0,5}laws?\b`)
	// severed matches what makes a provision void, mostly under any law.
	severed = ofLaw.MustCompile(`\b(?:invalid|unenforceable|illegal|void|contrary to)\b`)
	// otherContract matches a sentence whose subject is another contract.
	otherContract = regexp.MustCompile(`\b(?:[Tt]he|[Ss]uch|[Tt]hat|[Ee]ach)\s+((?:[A-Z][\w'’&-]*\s+){1,5}(?:Agreement|Contract|Lease|Deed|Guaranty|Guarantee|License|Note|Bond))\s+(?:shall|will|is|are|and)\b[^.;]{0,60}\bgoverned\b`)
)

// choice returns the confidence that a sentence chooses a law, 0 if it says something
// else about laws.
func choice(text string) float64 {
	if !strings.Contains(text, "law") || !lawNoun.MatchString(text) {
		if strings.Contains(text, "governed") && byState.MatchString(text) {
			return 0.8
		}
		return 0
	}
	other := otherLaw.MatchString(text)
	switch {
	case notByLaw.MatchString(text) && strings.Count(text, "govern") == 1, noLaw.MatchString(text):
		return 0
	case governs.MatchString(text) && other:
		return 0.8
	case governs.MatchString(text):
		return 0.95
	case other:
		return 0
	}
	return weakChoice(besideLaw.ReplaceAllString(text, " "))
}

// weakChoice returns the same for a sentence that does not say that a law governs. text has
// no phrases about no law in particular.
func weakChoice(text string) float64 {
	in := ofLaw.In(text)
	switch {
	case notAs.MatchString(text) && strings.Count(text, "construed")+strings.Count(text, "interpreted") == 1:
		return 0
	case in.All(construed, ownLaw):
		return 0.85
	case in.Has(construed):
		return 0.75
	case elliptic.MatchString(text), in.Has(plainly):
		return 0.6
	case in.Any(fieldLaw, entityLaw):
		if m := in.FindIndex(fieldLaw); m != nil && rulesHere.MatchString(text[:m[0]]) && !in.Any(appliesIf, entityLaw) {
			return 0.7 // the law of a field as a part of that law
		}
		return 0
	case in.Any(underLaw, applies, fillsIn), in.Any(appliesHere, rulesHere, isTheLaw) && !in.Has(appliesIf):
		return 0.8
	case in.Has(severed):
		return 0
	case in.Any(shallApply, decided, madeUnder):
		return 0.7
	case in.Any(decides, application):
		return 0.6
	}
	return 0
}

// Chooses reports whether a sentence, on one line in lower case, chooses a law for
// something, even if it is not known whose law that is.
func Chooses(text string) bool { return choice(text) > 0 }
