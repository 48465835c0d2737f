package renewals_test

import (
	"testing"

	"github.com/rectohq/recto/services/insight/internal/rules/renewals"
	"github.com/rectohq/recto/services/insight/internal/rules/rulestest"
)

// TestFormsOfRenewals shows that a renewal is automatic if no party has to request it,
// and that a notice period is not taken for its length.
func TestFormsOfRenewals(t *testing.T) {
	for text, want := range map[string][2]string{
		"It shall be tacitly renewed for periods of one year unless a party ends it three months before.":  {"automatic", "1 year"},
		"It shall automatically renew for further periods of 6 (six) months each, unless it is cancelled.": {"automatic", "6 months"},
		"The term is extended by a further five years in each case if it is not ended in writing.":         {"automatic", "5 years"},
		"This Agreement renews annually.": {"automatic", "1 year"},
		"This Agreement renews for a year at a time, unless a party gives notice of its end 60 days before that.":     {"automatic", "1 year"},
		"The term shall be renewed, unless a party gives 60 days' notice, for one further year.":                      {"automatic", "1 year"},
		"Thereafter the lease shall continue month-to-month.":                                                         {"automatic", "1 month"},
		"This Agreement may be renewed for a further period of 2 (two) years by mutual consent.":                      {"optional", "2 years"},
		"The Tenant has the option to renew the lease for one additional term of five years.":                         {"optional", "5 years"},
		"The term may be renewed for three years unless the hall is sold.":                                            {"optional", "3 years"},
		"The agreement for two years shall not be renewed for further years.":                                         {"", ""},
		"This agreement of one year will not renew automatically for further years.":                                  {"", ""},
		"It is established by calendar year and renewed tacitly every year.":                                          {"automatic", "1 year"},
		"The Initial Term shall automatically be extended for an additional period of half a year.":                   {"automatic", "6 months"},
		"The Contract Term shall extend for a period of fifty (50) years.":                                            {"", ""},
		"In any renewal term of the agreement, and for one year after its expiration or earlier termination, he may.": {"", ""},
		"The agreement shall be renewed for one further year after the expiration of the first term.":                 {"optional", "1 year"},
		"This Agreement shall continue automatically for successive annual periods unless it is cancelled.":           {"automatic", "1 year"},
		"It shall automatically continue for an additional period of three years, unless a party ends this Contract.": {"automatic", "3 years"},
		"This Agreement will extend automatically for monthly periods unless a party ends it.":                        {"automatic", "1 month"},
		"Unless Elm ends it within a period of 3 months, this Agreement renews for one year.":                         {"automatic", "1 year"},
		"The contract is in force through 2023, and then from year to year, until a party ends it.":                   {"automatic", "1 year"},
		"This agreement has a term of a year. It extends itself for five-year periods unless it is cancelled.":        {"automatic", "5 years"},
		"The term ends in 2024. It may be prolonged once, for a period of two years, if Elm so requests.":             {"optional", "2 years"},
		"The term ends in 2024. We may extend it once, by up to three months, by telling you in writing.":             {"optional", "3 months"},
		"This engagement ends in June. After that it rolls over for one financial year at a time unless you write.":   {"automatic", "1 year"},
		"The contract lasts one year. It is thereafter extended by twelve months at a time unless a party objects.":   {"automatic", "12 months"},
		"The service runs for a year. After that it carries on from month to month until one of us stops it.":         {"automatic", "1 month"},
		"This SOW ends in June. Client may ask for one extension of up to eight weeks by written request.":            {"optional", "8 weeks"},
		"Maintenance runs for one year, and will renew each year unless you write to us.":                             {"automatic", "1 year"},
		"The Principal may extend the engagement once, for not more than two months, by written notice.":              {"optional", "2 months"},
		"At the end of the term this Lease shall continue from crop year to crop year unless a party ends it.":        {"automatic", "1 year"},
		"The lamp hangs in the hall. We may extend it once, by up to three months.":                                   {"", ""},
		"The fee in this contract varies, and it increases from year to year.":                                        {"", ""},
		"This Agreement continues from year to year only if such continuance is approved by the board.":               {"", ""},
		"There is no right of renewal of the agreement for another two years.":                                        {"", ""},
		"The licence key must be entered again each 12 months under this agreement, and the successive keys are new.": {"", ""},
	} {
		got := renewals.Find(rulestest.Read("The parties have met several times.\n\n" + text + "\n"))
		switch {
		case want[0] == "" && len(got) > 0:
			t.Errorf("%q: got %+v, want none", text, got)
		case want[0] != "" && (len(got) != 1 || got[0].Item.TermType != want[0] || got[0].Item.TermValue != want[1]):
			t.Errorf("%q: got %+v, want %v", text, got, want)
		}
	}
}
