package insightapi

import "slices"

// Type is the type of an insight.
type Type string

// The types that are keys of an Answer.
const (
	DocumentTitle       Type = "document_title"
	DocumentType        Type = "document_type"
	DocumentIDs         Type = "document_ids"
	DocumentParties     Type = "document_parties"
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

// Alternative types. Each asks for the same items as one of the types above, or for some
// of them.
const (
	ContractExpirationDates   Type = "contract_expiration_dates"
	ContractRenewalDates      Type = "contract_renewal_dates"
	ContractLimitOfLiability  Type = "contract_limit_of_liability"
	ContractRenewalTermLength Type = "contract_renewal_term_length"
	PaymentDueDate            Type = "payment_due_date"
)

// Keys lists the types that are keys of an Answer, in the order of the Answer.
func Keys() []Type {
	return []Type{
		DocumentTitle, DocumentType, DocumentIDs, DocumentParties, DocumentSigners, DocumentFields, DocumentFieldsPages,
		DocumentClauses, CustomPrompt, ContractValues, DocumentDates, LimitOfLiability, RenewalTermLength, Payments, MatchingDocuments,
	}
}

// Opening lists the keys that are answered from the beginning of a document, in the order of
// Keys.
func Opening() []Type { return []Type{DocumentTitle, DocumentType, DocumentIDs} }

// Types lists every type that can be requested.
func Types() []Type {
	return append(Keys(), ContractExpirationDates, ContractRenewalDates, ContractLimitOfLiability, ContractRenewalTermLength, PaymentDueDate)
}

// Known reports whether t is one of Types.
func (t Type) Known() bool { return slices.Contains(Types(), t) }

// Key returns the key under which t is answered. For most types it is t itself.
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
