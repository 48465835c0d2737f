package insightapi

import "slices"

// Type is what is asked of a document.
type Type string

// The types under whose names answers are given.
const (
	DocumentTitle       Type = "document_title"
	DocumentType        Type = "document_type"
	DocumentIDs         Type = "document_ids"
	DocumentSigners     Type = "document_signers"
	DocumentFields      Type = "document_fields"
	DocumentFieldsPages Type = "document_fields_pages"
	DocumentClauses     Type = "document_clauses"
	CustomPrompt        Type = "custom_prompt"
	ContractValues      Type = "contract_values"
	DocumentDates       Type = "document_dates"
	LimitOfLiability    Type = "limit_of_liability"
	RenewalTermLength   Type = "renewal_term_length"
	Payments            Type = "payments"
	MatchingDocuments   Type = "organization_matching_documents"
)

// The types of the other set of names, which ask for what a type above asks for,
// or for a part of it.
const (
	ContractExpirationDates   Type = "contract_expiration_dates"
	ContractRenewalDates      Type = "contract_renewal_dates"
	ContractLimitOfLiability  Type = "contract_limit_of_liability"
	ContractRenewalTermLength Type = "contract_renewal_term_length"
	PaymentDueDate            Type = "payment_due_date"
)

// Keys lists the types under whose names answers are given, in the order of the
// answer.
func Keys() []Type {
	return []Type{
		DocumentTitle, DocumentType, DocumentIDs, DocumentSigners, DocumentFields, DocumentFieldsPages, DocumentClauses,
		CustomPrompt, ContractValues, DocumentDates, LimitOfLiability, RenewalTermLength, Payments, MatchingDocuments,
	}
}

// Types lists every type that may be asked for.
func Types() []Type {
	return append(Keys(), ContractExpirationDates, ContractRenewalDates, ContractLimitOfLiability, ContractRenewalTermLength, PaymentDueDate)
}

// Known reports whether there is such a type.
func (t Type) Known() bool { return slices.Contains(Types(), t) }

// Key returns the type under whose name t is answered. For most it is t.
func (t Type) Key() Type {
	switch t {
	case ContractExpirationDates, ContractRenewalDates:
		return DocumentDates
	case ContractLimitOfLiability:
		return LimitOfLiability
	case ContractRenewalTermLength:
		return RenewalTermLength
	case PaymentDueDate:
		return Payments
	}
	return t
}
