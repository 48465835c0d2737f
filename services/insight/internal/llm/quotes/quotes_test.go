package quotes_test

import (
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/llm/quotes"
)

// all is the span of a whole text.
func all(text string) layout.Span { return layout.Span{End: len(text)} }

// agreed is a contract with passages that resemble each other.
const agreed = `SERVICES AGREEMENT

1. Term. The initial term of this Agreement is thirty (30) days from 1 June 2024, unless
terminated earlier. The Landlord shall not assign this Agreement without con-
sent of the Tenant.

2. Fees. The Tenant shall pay to the Landlord a fee of $1,250.00 (plus 2½ % interest) with-
in sixty (60) days of each “Invoice Date”. The fee is non‑refundable — in all cases — and ﬁnal.

3. Notice. Either party may terminate this Agreement for convenience upon sixty (60) days’
prior written notice to the other party. The Supplier is unable to accept other notices.

` + "\f" + `
                                   12

4. Lаw. This Agreement is governed by the laws of the State of New York, without regard to its
conflict of laws rules. Ｔｈｅ　ｃｏｕｒｔｓ of Zürich have non-exclusive jurisdiction over it.
5. Renewal. This Agreement renews for 12 months. 6. Caps. Liability is limited to 150 % of 130 days of fees.
7. Lease. Liability of the Lessee for damage is limited to the amount of the rent. The Lessor bears the rest; so the Lessor.
The Customer shall bear the cost of import of the goods to the place of use.
8. Misc. No invoice is sent before export. The Supplier could accept the offer of the Customer within twen-
ty days of each stage of the Project. Each state and each stage and each state of it counts.
9. Last. Any prior written notice given to the other party in time of war or of peace by any of its own officers. A prior notice is void. What is
given to the other party in time of war or of peace by any of its own officers stays. What is given to the other party in time of war or of peace by any of its own officers goes.
`

// TestFind shows which passage is found for a quote, and how. A want of "" means none.
func TestFind(t *testing.T) {
	for name, test := range map[string]struct {
		quote, want string
		how         quotes.How
	}{
		"the same":               {"The initial term of this Agreement", "The initial term of this Agreement", quotes.Exact},
		"spaces around":          {"\n  Fees. ", "Fees.", quotes.Exact},
		"two lines":              {"Either party may terminate this Agreement for convenience upon sixty (60) days’\nprior", "Either party may terminate this Agreement for convenience upon sixty (60) days’\nprior", quotes.Exact},
		"one line":               {"sixty (60) days' prior written notice", "sixty (60) days’\nprior written notice", quotes.Normalized},
		"a no-break space":       {"initial\u00a0term\u2003of", "initial term of", quotes.Normalized},
		"a hyphen":               {"without consent of the Tenant", "without con-\nsent of the Tenant", quotes.Normalized},
		"a soft hyphen":          {"pay to the Land\u00adlord", "pay to the Landlord", quotes.Normalized},
		"quotation marks":        {"days of each \"Invoice Date\"", "days of each “Invoice Date", quotes.Normalized},
		"quoted":                 {"“Invoice Date”", "“Invoice Date”", quotes.Exact},
		"quoted by the model":    {"\"The initial term\"", "The initial term", quotes.Normalized},
		"dashes":                 {"non-refundable - in all cases - and final", "non‑refundable — in all cases — and ﬁnal", quotes.Normalized},
		"wide letters":           {"The courts of Zu\u0308rich", "Ｔｈｅ　ｃｏｕｒｔｓ of Zürich", quotes.Normalized},
		"capitals":               {"THE INITIAL TERM OF THIS AGREEMENT", "The initial term of this Agreement", quotes.Normalized},
		"the same case first":    {"services  agreement", "SERVICES AGREEMENT", quotes.Normalized},
		"ellipses at the ends":   {"...governed by the laws of the State of New York...", "governed by the laws of the State of New York", quotes.Normalized},
		"a period at the end":    {"The initial term of this Agreement is thirty (30) days.", "The initial term of this Agreement is thirty (30) days", quotes.Normalized},
		"an ellipsis":            {"The initial term ... is thirty (30) days […] unless\nterminated", "The initial term of this Agreement is thirty (30) days from 1 June 2024, unless\nterminated", quotes.Normalized},
		"an ellipsis for a no":   {"The Landlord shall … assign this Agreement", "", 0},
		"parts in another order": {"is thirty (30) days ... The initial term", "", 0},
		"parts far apart":        {"SERVICES ... 150 % of 130 days" + strings.Repeat("x", 20), "", 0},
		"a half":                 {"plus 2 1/2 % interest", "plus 2½ % interest", quotes.Normalized},
		"not half of 21":         {"plus 21/2 % interest", "", 0},

		"misspelled":             {"Either party may terminate this Agreemnet for convenience upon sixty (60) days prior written notice", "Either party may terminate this Agreement for convenience upon sixty (60) days’\nprior written notice", quotes.Fuzzy},
		"two words for one":      {"Either party may terminate this Agree ment for convenience upon six ty", "Either party may terminate this Agreement for convenience upon sixty", quotes.Normalized},
		"a word left out":        {"Either party may terminate this Agreement for convenience upon sixty (60) days' prior notice to the other party", "Either party may terminate this Agreement for convenience upon sixty (60) days’\nprior written notice to the other party", quotes.Fuzzy},
		"inflected":              {"Either parties may terminates this Agreement for convenience upon sixty (60) day", "Either party may terminate this Agreement for convenience upon sixty (60) days", quotes.Fuzzy},
		"other digits":           {"The initial term of this Agreement is thirty (60) days from 1 June 2024", "", 0},
		"another number word":    {"The initial term of this Agreement is sixty (30) days from 1 June 2024", "", 0},
		"another month":          {"The initial term of this Agreement is thirty (30) days from 1 July 2024", "", 0},
		"another unit":           {"The initial term of this Agreement is thirty (30) years from 1 June 2024", "", 0},
		"another amount":         {"The Tenant shall pay to the Landlord a fee of $1.250.00", "", 0},
		"another currency":       {"The Tenant shall pay to the Landlord a fee of €1,250.00", "", 0},
		"no negation":            {"The Landlord shall assign this Agreement without consent of the Tenant", "", 0},
		"a negation":             {"Either party may not terminate this Agreement for convenience upon sixty (60) days’ prior written notice", "", 0},
		"may for shall":          {"The Tenant may pay to the Landlord a fee of $1,250.00 (plus 2½ % interest) within sixty (60) days", "", 0},
		"parties exchanged":      {"The Landlord shall pay to the Tenant a fee of $1,250.00 (plus 2½ % interest) within sixty (60) days of each Invoice Date", "", 0},
		"another word":           {"The Tenant shall pay to the Supplier a fee of $1,250.00 (plus 2½ % interest) within sixty (60) days of each Invoice Date. The fee is non-refundable", "", 0},
		"another role":           {"Liability of the Lessor for damage is limited to the amount of the rent", "", 0},
		"another direction":      {"The Customer shall bear the cost of export of the goods to the place of use", "", 0},
		"a known direction":      {"The Customer shall bear the cost of exports of the goods to the place of use", "", 0},
		"could for would":        {"The Supplier would accept the offer of the Customer", "", 0},
		"another known word":     {"accept the offer of the Customer within twenty days of each state of the Project", "", 0},
		"a number over lines":    {"The Suplier could accept the offer of the Customer within twenty days", "The Supplier could accept the offer of the Customer within twen-\nty days", quotes.Fuzzy},
		"the first letter":       {"Cither party may terminate this Agreement for convenience", "Either party may terminate this Agreement for convenience", quotes.Fuzzy},
		"too much left out":      {"Either party may terminate this Agreement upon sixty (60) days’ prior written notice to the other party", "", 0},
		"rare letters elsewhere": {"prior notice given to the other party in time of war or of peace by any of its own officers", "prior written notice given to the other party in time of war or of peace by any of its own officers", quotes.Fuzzy},
		"a capital":              {"IS", "", 0},
		"half a word":            {"ither party may terminate this Agreemnet for convenience upon sixty (60) day", "Either party may terminate this Agreement for convenience upon sixty (60) days", quotes.Fuzzy},
		"an opposite":            {"prior written notice to the other party. The Supplier is able to accept other notices", "", 0},
		"something else":         {"The parties agree to submit all disputes to arbitration in London", "", 0},
		"number of the page":     {"The Supplier is unable to accept other notices. 4. Lаw. This Agreement is governed by the laws of the Stаte of New York", "The Supplier is unable to accept other notices.\n\n\f\n                                   12\n\n4. Lаw. This Agreement is governed by the laws of the State of New York", quotes.Fuzzy},
		"short and misspelled":   {"Servces Agr", "", 0},
		"a part of a number":     {"30 days of fees", "", 0},
		"the start of a number":  {"a fee of $1", "", 0},
		"the end of a number":    {"250.00", "", 0},
		"one digit":              {"5", "5", quotes.Exact},
		"no digit of a number":   {"0", "", 0},
		"a whole short word":     {"is", "is", quotes.Exact},
		"a short part of words":  {"rm", "", 0},
		"a part of a word":       {"nitial ter", "nitial ter", quotes.Exact},
		"whole words first":      {"final", "ﬁnal", quotes.Normalized},
		"nothing":                {"", "", 0},
		"only signs":             {"— … “”", "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			span, how, ok := quotes.New(agreed).Find(test.quote, all(agreed))
			if got := agreed[span.Start:span.End]; ok && got != test.want || !ok && test.want != "" || ok && how != test.how {
				t.Errorf("got %q, %v, %v; want %q, %v", got, how, ok, test.want, test.how)
			}
		})
	}
}

// TestWithin shows where a quote is found that occurs several times.
func TestWithin(t *testing.T) {
	const text = "The fee is due on receipt. The fees are due. Tho fee is due on receipt. The fee is due on receipt. The  fee is due on receipt."
	const quote = "The fee is due on receipt."
	later := strings.LastIndex(text[:100], "The fee")
	for name, test := range map[string]struct {
		within layout.Span
		start  int
		how    quotes.How
	}{
		"the first":                    {all(text), 0, quotes.Exact},
		"the first there":              {layout.Span{Start: 5, End: len(text)}, later, quotes.Exact},
		"normalized there":             {layout.Span{Start: later + 5, End: len(text)}, strings.Index(text, "The  fee"), quotes.Normalized},
		"exact elsewhere, fuzzy there": {layout.Span{Start: 40, End: later}, 0, quotes.Exact},
		"elsewhere":                    {layout.Span{Start: 30, End: 40}, 0, quotes.Exact},
		"nowhere in the text":          {layout.Span{Start: -5, End: -1}, 0, quotes.Exact},
		"beyond the text":              {layout.Span{Start: 5000, End: 6000}, 0, quotes.Exact},
	} {
		t.Run(name, func(t *testing.T) {
			span, how, ok := quotes.New(text).Find(quote, test.within)
			if !ok || span.Start != test.start || how != test.how {
				t.Errorf("got %v, %v, %v; want a start of %d, %v", span, how, ok, test.start, test.how)
			}
		})
	}
	const misspelled = "The fee is due on rcceipt and must be paid"
	text2 := "The fee is due on receipt and must be paid. Other text."
	if _, how, ok := quotes.New(text2).Find(misspelled, all(text2)); !ok || how != quotes.Fuzzy {
		t.Errorf("got %v, %v; want a fuzzy match", how, ok)
	}
	if span, _, ok := quotes.New(text2).Find(misspelled, layout.Span{Start: 44, End: len(text2)}); ok {
		t.Errorf("got %v, want no fuzzy match outside of what was read", span)
	}
}

// TestFirst shows which of several passages is found.
func TestFirst(t *testing.T) {
	for name, test := range map[string]struct {
		text, quote string
		start       int
	}{
		"whole words before parts":       {"unable to pay, able to pay", "able to pay", 15},
		"parts if there are only parts":  {"unable to pay", "able to pay", 2},
		"no word after non":              {"non-exclusive license, exclusive license", "exclusive license", 23},
		"a dash between letters":         {"con-tract A-1, contract A1", "contract  A1", 15},
		"no dash at the end of a letter": {"Exhibit A-1, Exhibit A 1", "Exhibit\u00a0A1", 13},
		"the same case before another":   {"THE FEE, The Fee", "The\u00a0Fee", 9},
		"the same before another form":   {"The\u00a0fee, The fee", "The fee", 10},
	} {
		t.Run(name, func(t *testing.T) {
			span, _, ok := quotes.New(test.text).Find(test.quote, all(test.text))
			if !ok || span.Start != test.start {
				t.Errorf("got %v, %v; want a start of %d", span, ok, test.start)
			}
		})
	}
}

// TestEllipsis shows how much an ellipsis may stand for.
func TestEllipsis(t *testing.T) {
	some, much := strings.Repeat("other words ", 90), strings.Repeat("other words ", 150)
	for name, test := range map[string]struct {
		text string
		ok   bool
	}{
		"some text":     {"The fee is due " + some + "in thirty days " + "and payable " + "in cash.", true},
		"much text":     {"The fee is due " + much + "in thirty days " + "and payable " + "in cash.", false},
		"too much text": {"The fee is due " + some + "in thirty days " + some + "and payable " + some + strings.Repeat(" ", 1000) + "in cash.", false},
		"no text":       {"The fee is due in thirty days and payable in cash.", true},
		"a second try":  {"The fee is due " + much + "The fee is due " + some + "in thirty days and payable in cash.", true},
	} {
		t.Run(name, func(t *testing.T) {
			_, how, ok := quotes.New(test.text).Find("The fee is due ... in thirty days ... and payable … in cash", all(test.text))
			if ok != test.ok || ok && how != quotes.Normalized {
				t.Errorf("got %v, %v; want %v", how, ok, test.ok)
			}
		})
	}
}

// TestFuzzyTwins shows that a fuzzy match is the passage with the numbers of the quote, though
// another one is as close and comes first.
func TestFuzzyTwins(t *testing.T) {
	const text = "The Seller ships the goods within 10 days of each order. The Seller ships the goods within 20 days of each order. The Seller ships the goods within 30 days of each order."
	for i, days := range []string{"10", "20", "30", "40"} {
		span, how, ok := quotes.New(text).Find("The Seler ships the goods within "+days+" days of each order", all(text))
		if want := i < 3; ok != want || ok && (how != quotes.Fuzzy || !strings.Contains(text[span.Start:span.End], days)) {
			t.Errorf("%s days: got %q, %v, %v", days, text[span.Start:span.End], how, ok)
		}
	}
}

// TestFuzzyStaysWithin shows that a fuzzy match does not reach beyond what the model read.
func TestFuzzyStaysWithin(t *testing.T) {
	const text = "The fee is due on receipt and must be paid in full by the customers. Other text."
	within := layout.Span{End: strings.Index(text, "s. Other")}
	if span, how, ok := quotes.New(text).Find("The fee is due on rceeipt and must be paid in full by the customer", within); ok {
		t.Errorf("got %v, %v; want none, since the last word is not within %v", span, how, within)
	}
}
