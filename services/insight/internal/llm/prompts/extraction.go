// Package prompts holds what Recto says to language models: versioned text files and
// schemas, and the form of the answers.
package prompts

// Extraction is the answer to a Prompt. Every string that is called Quote is to be a
// passage of the document, word for word; nothing may be believed before it was found
// there. A value that the document does not state is "".
type Extraction struct {
	Titles   []Title   `json:"document_title,omitzero"`
	Types    []Type    `json:"document_type,omitzero"`
	Signers  []Signer  `json:"document_signers,omitzero"`
	Clauses  []Clause  `json:"document_clauses,omitzero"`
	Values   []Amount  `json:"contract_values,omitzero"`
	Dates    []Date    `json:"document_dates,omitzero"`
	Limits   []Limit   `json:"limit_of_liability,omitzero"`
	Renewals []Renewal `json:"renewal_term_length,omitzero"`
	Payments []Amount  `json:"payments,omitzero"`
	Answers  []Answer  `json:"custom_prompt,omitzero"`
}

// Title is a title of the document. Its quote is the title itself.
type Title struct {
	Quote string `json:"quote"`
}

// Type is the kind of the document, such as "Consulting Agreement".
type Type struct {
	Type  string `json:"document_type"`
	Quote string `json:"quote"`
}

// Signer is a person who signs.
type Signer struct {
	Name  string `json:"name"`
	Role  string `json:"role"`
	Party string `json:"party"`
	Quote string `json:"quote"`
}

// Clause is a clause. Its type is one of rules.ClauseKinds.
type Clause struct {
	Type  string `json:"clause_type"`
	Quote string `json:"quote"`
}

// Amount is a monetary value or a payment.
type Amount struct {
	// Label names the purpose of the amount, in words of the document.
	Label string `json:"label"`
	// Amount is a decimal number such as "12500.00".
	Amount string `json:"amount"`
	// Currency is an ISO 4217 code.
	Currency string `json:"currency"`
	Quote    string `json:"quote"`
}

// Date is a date.
type Date struct {
	// Type is one of the date types of insightapi.
	Type string `json:"date_type"`
	// Date is YYYY-MM-DD.
	Date  string `json:"date"`
	Quote string `json:"quote"`
}

// Limit is a limit of liability.
type Limit struct {
	// Type is one of the limit types of insightapi.
	Type  string `json:"limit_type"`
	Quote string `json:"quote"`
}

// Renewal is a period for which the contract is renewed.
type Renewal struct {
	// Term is the length in words of the document, such as "one year".
	Term  string `json:"term"`
	Quote string `json:"quote"`
}

// Answer is an answer to a question.
type Answer struct {
	// Question is the number of the question, from 1.
	Question int `json:"question"`
	// Answer is a short answer in words of the document.
	Answer string `json:"answer"`
	Quote  string `json:"quote"`
}
