package merge

import (
	"strings"
	"unicode"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/services/insight/internal/rules/keydates"
)

// same reports whether two items of one type mean the same. overlap tells whether their
// texts overlap. What is the same wherever it stands, such as a date in the same role,
// need not overlap.
func same(a, b any, overlap bool) bool {
	switch a := a.(type) {
	case insightapi.Title:
		return overlap || letters(a.Title) == letters(b.(insightapi.Title).Title)
	case insightapi.TypeName:
		return letters(a.DocumentType) == letters(b.(insightapi.TypeName).DocumentType)
	case insightapi.Signer:
		return letters(a.SignerFullName) == letters(b.(insightapi.Signer).SignerFullName)
	case insightapi.Date:
		b := b.(insightapi.Date)
		return a.DateType == b.DateType && a.DateValue == b.DateValue
	case insightapi.Clause:
		return overlap && a.ClauseType == b.(insightapi.Clause).ClauseType
	case insightapi.ContractValue:
		b := b.(insightapi.ContractValue)
		return overlap && a.ContractValue == b.ContractValue && a.Currency == b.Currency
	case insightapi.Limit:
		return overlap && a.LimitType == b.(insightapi.Limit).LimitType
	case insightapi.Renewal:
		return overlap && sameTerm(a, b.(insightapi.Renewal))
	case insightapi.Payment:
		return overlap && samePayment(a, b.(insightapi.Payment))
	}
	return false
}

func sameTerm(a, b insightapi.Renewal) bool {
	return a.TermValue == b.TermValue || a.TermMonths != nil && b.TermMonths != nil && *a.TermMonths == *b.TermMonths
}

// samePayment compares amounts or, for payments without one, only their texts: both say
// what the same sentence says.
func samePayment(a, b insightapi.Payment) bool {
	if a.PaymentValueNumber == nil || b.PaymentValueNumber == nil {
		return a.PaymentValueNumber == b.PaymentValueNumber
	}
	return *a.PaymentValueNumber == *b.PaymentValueNumber && *a.PaymentCurrency == *b.PaymentCurrency
}

// letters returns the letters and digits of s in lower case.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

// only returns what an item is a value of, if there can be one value only: a document has
// one title, and one date on which it expires.
func only(item any) (string, bool) {
	switch item := item.(type) {
	case insightapi.Title:
		return "title", true
	case insightapi.TypeName:
		return "type", true
	case insightapi.Date:
		switch item.DateType {
		case insightapi.DateExecution, insightapi.DateEffective, insightapi.DateExpiration:
			return item.DateType, true
		}
	}
	return "", false
}

// quotable reports whether the document states an item, so that a model could have named
// it. It does not state a computed date, nor the name of who will sign in a blank.
func quotable(item any) bool {
	switch item := item.(type) {
	case insightapi.Date:
		return item.DateLabel != keydates.EndOfTerm
	case insightapi.Signer:
		return item.SignerFullName != ""
	}
	return true
}
