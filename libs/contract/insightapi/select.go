package insightapi

import "slices"

// Asked returns the keys that the requests ask for, without duplicates, in the order of Keys.
func Asked(requests []Request) []Type {
	var keys []Type
	for _, key := range Keys() {
		if slices.ContainsFunc(requests, func(r Request) bool { return r.Type.Key() == key }) {
			keys = append(keys, key)
		}
	}
	return keys
}

// Select returns the parts of an answer that the requests ask for, under the requested
// names and under those of Keys. A requested list is present even if it is empty.
// Selecting from the result again has no effect. Select does not change a.
func (a *Answer) Select(requests []Request) Answer {
	var s selection
	for _, r := range requests {
		s = append(s, r.Type)
	}
	dates := s.dates(a.DocumentDates)
	out := Answer{
		DocumentTitle:     listed(s.asks(DocumentTitle), a.DocumentTitle),
		DocumentType:      listed(s.asks(DocumentType), a.DocumentType),
		DocumentParties:   listed(s.asks(DocumentParties), a.DocumentParties),
		DocumentSigners:   listed(s.asks(DocumentSigners), a.DocumentSigners),
		DocumentFields:    listed(s.asks(DocumentFields), a.DocumentFields),
		DocumentClauses:   listed(s.asks(DocumentClauses), a.DocumentClauses),
		CustomPrompt:      listed(s.asks(CustomPrompt), a.CustomPrompt),
		ContractValues:    listed(s.asks(ContractValues), a.ContractValues),
		DocumentDates:     listed(s.asks(DocumentDates), dates),
		LimitOfLiability:  listed(s.asks(LimitOfLiability), a.LimitOfLiability),
		RenewalTermLength: listed(s.asks(RenewalTermLength), a.RenewalTermLength),
		Payments:          listed(s.asks(Payments), a.Payments),
		MatchingDocuments: listed(s.asks(MatchingDocuments), a.MatchingDocuments),

		ContractExpirationDates:   listed(s.names(ContractExpirationDates), ofKind(dates, DateExpiration)),
		ContractRenewalDates:      listed(s.names(ContractRenewalDates), ofKind(dates, DateRenewal)),
		ContractLimitOfLiability:  listed(s.names(ContractLimitOfLiability), a.LimitOfLiability),
		ContractRenewalTermLength: listed(s.names(ContractRenewalTermLength), a.RenewalTermLength),
		PaymentDueDate:            listed(s.names(PaymentDueDate), a.Payments),
		Usage:                     a.Usage,
		SignedURL:                 a.SignedURL,
	}
	if s.asks(DocumentIDs) {
		out.DocumentIDs = a.DocumentIDs
	}
	if s.asks(DocumentFieldsPages) {
		out.DocumentFieldsPages = a.DocumentFieldsPages
		if out.DocumentFieldsPages == nil {
			out.DocumentFieldsPages = &map[string][]string{}
		}
	}
	return out
}

// selection lists the requested types as they were sent.
type selection []Type

// names reports whether t was requested under this name.
func (s selection) names(t Type) bool { return slices.Contains(s, t) }

// asks reports whether key was requested under any name.
func (s selection) asks(key Type) bool {
	return slices.ContainsFunc(s, func(t Type) bool { return t.Key() == key })
}

// dates returns the requested dates: all dates, or those of the requested kinds.
func (s selection) dates(all *[]Date) *[]Date {
	if s.names(DocumentDates) {
		return all
	}
	var kinds []string
	if s.names(ContractExpirationDates) {
		kinds = append(kinds, DateExpiration)
	}
	if s.names(ContractRenewalDates) {
		kinds = append(kinds, DateRenewal)
	}
	return ofKind(all, kinds...)
}

// ofKind returns the dates with one of the kinds.
func ofKind(all *[]Date, kinds ...string) *[]Date {
	chosen := []Date{}
	if all != nil {
		for _, d := range *all {
			if slices.Contains(kinds, d.DateType) {
				chosen = append(chosen, d)
			}
		}
	}
	return &chosen
}

// listed returns list, which may be empty, if it was requested, and nil otherwise.
func listed[T any](asked bool, list *[]T) *[]T {
	switch {
	case !asked:
		return nil
	case list == nil || *list == nil:
		return &[]T{}
	}
	return list
}
