package amounts

import (
	"cmp"
	"strings"

	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/rules/clauses"
	"github.com/rectohq/recto/services/insight/internal/rules/law"
	"github.com/rectohq/recto/services/insight/internal/rules/money"
	"github.com/rectohq/recto/services/insight/internal/rules/passage"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// denomination is the currency that a document means by each sign that several currencies
// share.
type denomination struct{ dollar, yen string }

// dollars maps the word before "dollars" to the currency.
var dollars = map[string]string{
	"canadian": "CAD", "canada": "CAD", "australian": "AUD", "australia": "AUD", "new zealand": "NZD", "hong kong": "HKD", "singapore": "SGD",
	"taiwan": "TWD", "jamaican": "JMD", "jamaica": "JMD", "us": "USD", "u.s": "USD", "united states": "USD", "american": "USD",
	"mexican": "MXN", "mexico": "MXN", "cad": "CAD", "aud": "AUD", "nzd": "NZD", "hkd": "HKD", "sgd": "SGD", "twd": "TWD", "usd": "USD", "mxn": "MXN", "jmd": "JMD",
}

// places maps a place whose law governs the contract to its dollar currency.
var places = map[string]string{
	"canada": "CAD", "ontario": "CAD", "alberta": "CAD", "british columbia": "CAD", "manitoba": "CAD", "new brunswick": "CAD", "nova scotia": "CAD",
	"quebec": "CAD", "québec": "CAD", "saskatchewan": "CAD", "newfoundland and labrador": "CAD", "prince edward island": "CAD", "northwest territories": "CAD", "nunavut": "CAD", "yukon": "CAD", "northern territory": "AUD", "australian capital territory": "AUD", "australia": "AUD", "new south wales": "AUD",
	"queensland": "AUD", "south australia": "AUD", "tasmania": "AUD", "victoria": "AUD", "western australia": "AUD", "new zealand": "NZD",
	"hong kong": "HKD", "singapore": "SGD", "taiwan": "TWD", "mexico": "MXN",
}

// whose matches a country before "dollars". moneyNoun matches words for amounts.
const (
	whose       = `(united states(?: of america)?|u\.?s\.?|american|canadian|canada|australian|australia|new zealand|hong kong|singapore|taiwan|jamaican?|mexican|mexico)`
	moneyNoun   = `(?:amounts?|sums?|prices?|fees?|payments?|figures|rent|charges|currency|currencies|dollars?|dollar amounts|monetary \w+|\$|"\$")`
	expressedIn = `(?:are|is|be|shall be|will be|means?|refers?|made|paid|payable|stated|expressed|quoted|denominated)`
)

var (
	// declared matches a sentence that defines a sign: "all amounts are in Canadian
	// dollars", "the lawful money of Canada".
	declared = regexp.MustCompile(moneyNoun + `[^.;]{0,80}\b` + expressedIn + `\b[^.;]{0,50}?\b(?:lawful (?:money|currency) of (?:the )?` + whose + `|` + whose + `(?: dollars?| currency| funds)|(cad|aud|nzd|hkd|sgd|twd|usd|mxn|jmd))\b|` +
		`\blawful (?:money|currency) of (?:the )?` + whose + `\b|\b` + moneyNoun + ` \((?:all )?(?:in )?` + whose + ` dollars?\b|` + whose + ` dollars? \("?\$"?\)`)
	// currencyWord is a cheap test before declared: every sentence that matches declared
	// passes it, and few others do.
	currencyWord = regexp.MustCompile(`dollar|currency|lawful|funds|\b(?:cad|aud|nzd|hkd|sgd|twd|usd|mxn|jmd)\b`)
	renminbi     = regexp.MustCompile(`\b(?:RMB|CNY|PRC)\b|\b(?i:renminbi|yuan|people's republic of china|people’s republic of china)\b|人民币`)
	yen          = regexp.MustCompile(`\bJPY\b|\b(?i:japanese|japan|yen)\b`)
)

// denominationOf returns what "$" and "¥" mean in a document with these amounts. For "$" that is, in this
// order: what the document declares; the only dollar currency that other amounts name;
// the currency of the governing law; the US dollar. "¥" is the yen, unless the document
// points to China.
func denominationOf(d *structure.Document, found []money.Amount) denomination {
	m := denomination{dollar: "USD", yen: "JPY"}
	marked, bare := map[string]bool{}, map[string]bool{}
	for _, a := range found {
		if a.Shared {
			bare[a.Currency] = true
		} else {
			marked[a.Currency] = true
		}
	}
	if bare["USD"] {
		m.dollar = dollarOf(d, marked)
	}
	if bare["JPY"] && !marked["JPY"] && renminbi.MatchString(d.Text) && (marked["CNY"] || !yen.MatchString(d.Text)) {
		m.yen = "CNY"
	}
	return m
}

// dollarOf returns the currency that a document means by "$". marked are the currencies
// that it names at other amounts.
func dollarOf(d *structure.Document, marked map[string]bool) string {
	if c := declaredDollar(d); c != "" {
		return c
	}
	only := ""
	for _, c := range []string{"USD", "CAD", "AUD", "NZD", "HKD", "SGD", "TWD", "JMD", "MXN"} {
		switch {
		case marked[c] && only != "":
			return "USD"
		case marked[c]:
			only = c
		}
	}
	if only != "" {
		return only
	}
	return dollarOfLaw(d)
}

// declaredDollar returns the currency that a sentence declares "$" to be, "" if none
// does.
func declaredDollar(d *structure.Document) string {
	for _, s := range d.Sentences {
		text := s.Lower
		if !currencyWord.MatchString(text) {
			continue
		}
		m := declared.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		for _, name := range m[1:] {
			name = strings.TrimSuffix(strings.TrimPrefix(name, "the "), " of america")
			if c := dollars[strings.TrimRight(name, ".")]; c != "" {
				return c
			}
		}
	}
	return ""
}

// dollarOfLaw returns the dollar currency of the place whose law governs the contract. If it
// names no law, that is the currency of the place whose forms of companies, taxes or acts it
// mentions. By default, it is the US dollar.
func dollarOfLaw(d *structure.Document) string {
	governed := clauses.OfKind(d, clauses.GoverningLaw)
	for _, e := range governed {
		place, ok := law.FirstPlace(passage.Text(d, e.Span))
		if c := places[strings.ToLower(place)]; ok && c != "" {
			return c
		}
	}
	only := ""
	for _, s := range settings {
		switch {
		case len(governed) > 0 || !s.signs.MatchString(d.Text):
		case only != "":
			return "USD"
		default:
			only = s.currency
		}
	}
	return cmp.Or(only, "USD")
}

// settings are the dollar currencies of places with what only contracts of these places
// mention.
var settings = []struct {
	currency string
	signs    *regexp.Regexp
}{
	{"AUD", regexp.MustCompile(`\b(?i:pty\.?\s+(?:ltd|limited))\b|\bA[BC]N:?\s+\d|\bAustralian Consumer Law\b|\((?:Cth|NSW|Vic|Qld)\)`)},
	{"CAD", regexp.MustCompile(`\b(?:GST/HST|HST)\b|\bCanada Revenue Agency\b`)},
	{"NZD", regexp.MustCompile(`\bNZBN\b|\bConsumer Guarantees Act 1993\b|\bCompanies Act 1993\b|\bFair Trading Act 1986\b`)},
	{"SGD", regexp.MustCompile(`\b(?i:pte\.?\s+(?:ltd|limited))\b|\bUEN:?\s+\d`)},
}

// weighsPounds reports whether "pounds" are a weight in a document: it gives prices per pound,
// or weighs something, and has no other sign of the British currency.
func weighsPounds(d *structure.Document) bool {
	return byWeight.MatchString(d.Text) && !sterling.MatchString(d.Text)
}

var (
	byWeight = regexp.MustCompile(`(?i)\b(?:per|a|every|each)\s+pound\b|\bpounds?\s+(?:of|per)\b|\blbs?\b`)
	sterling = regexp.MustCompile(`£|\bGBP\b|(?i:\bsterling\b|\bpence\b)`)
)

// settle returns a with the currency that its sign means in this document.
func (m denomination) settle(a money.Amount) money.Amount {
	switch {
	case a.Shared && a.Currency == "USD":
		a.Currency = m.dollar
	case a.Shared && a.Currency == "JPY":
		a.Currency = m.yen
	}
	return a
}
