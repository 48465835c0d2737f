package insightapi

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// Answer is the Insight object of the API, section 2.4 of its specification. A nil
// pointer means that the key was not requested. It is then absent, except for
// CustomPrompt and DocumentFieldsPages, which are null.
type Answer struct {
	DocumentTitle       *[]Title             `json:"document_title,omitzero"`
	DocumentType        *[]TypeName          `json:"document_type,omitzero"`
	DocumentIDs         *IDs                 `json:"document_ids,omitzero"`
	DocumentParties     *[]Party             `json:"document_parties,omitzero"`
	DocumentSigners     *[]Signer            `json:"document_signers,omitzero"`
	DocumentFields      *[]Field             `json:"document_fields,omitzero"`
	DocumentFieldsPages *map[string][]string `json:"document_fields_pages"`
	DocumentClauses     *[]Clause            `json:"document_clauses,omitzero"`
	CustomPrompt        *[]PromptAnswer      `json:"custom_prompt"`
	ContractValues      *[]ContractValue     `json:"contract_values,omitzero"`
	DocumentDates       *[]Date              `json:"document_dates,omitzero"`
	LimitOfLiability    *[]Limit             `json:"limit_of_liability,omitzero"`
	RenewalTermLength   *[]Renewal           `json:"renewal_term_length,omitzero"`
	Payments            *[]Payment           `json:"payments,omitzero"`
	MatchingDocuments   *[]MatchingDocument  `json:"organization_matching_documents,omitzero"`

	// The same items under the requested names, if these differ from the keys.
	ContractExpirationDates   *[]Date    `json:"contract_expiration_dates,omitzero"`
	ContractRenewalDates      *[]Date    `json:"contract_renewal_dates,omitzero"`
	ContractLimitOfLiability  *[]Limit   `json:"contract_limit_of_liability,omitzero"`
	ContractRenewalTermLength *[]Renewal `json:"contract_renewal_term_length,omitzero"`
	PaymentDueDate            *[]Payment `json:"payment_due_date,omitzero"`

	// Usage is nil if no language model was asked. The order of events depends on that: see
	// Steps.
	Usage *Usage `json:"usage,omitzero"`
	// SignedURL is the presigned URL of the document that was read. It is created for
	// each response, so stored answers do not contain it.
	SignedURL string `json:"signed_url,omitzero"`
}

// Place is the position of the text that an item is based on, and how certain the item
// is. Every item has one.
type Place struct {
	// PageNumber counts from 1; plain text is one page. It is nil for a field that is
	// not on a page.
	PageNumber *int `json:"page_number"`
	// BoundingBox is nil if the document has no pages.
	BoundingBox *BoundingBox `json:"bounding_box"`
	// Quote is the text as it appears in the document.
	Quote string `json:"quote"`
	// XMLPath is the path of the element in which the quote begins, or "" if the
	// document has no XML.
	XMLPath string `json:"xml_path"`
	// Reasoning explains in a sentence why the item was found.
	Reasoning *string `json:"reasoning"`
	// ConfidenceScore is the probability that the item is correct, from 0 to 1.
	ConfidenceScore float64 `json:"confidence_score"`
}

// BoundingBox is the position of an item on a page. Coordinates are fractions of the
// page size, from 0 to 1, measured from the top left.
type BoundingBox struct {
	Page   int     `json:"page"`
	Left   float64 `json:"left"`
	Top    float64 `json:"top"`
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

// Position is a range of the text that was read, in characters (Unicode code points).
// Start is inclusive, and End is exclusive.
type Position struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// Title is a title of the document.
type Title struct {
	Title string `json:"title"`
	// TitleSource is one of the constants below.
	TitleSource string `json:"title_source"`
	Place
}

// The sources of titles.
const (
	FromHeading   = "heading"
	FromFirstLine = "first_line"
	FromMetadata  = "metadata"
)

// TypeName is the kind of document, in title case: "Consulting Agreement".
type TypeName struct {
	DocumentType string `json:"document_type"`
	Place
}

// IDs identify the file. Hashes are in lower-case hex. They are computed over the stored
// bytes or, for a text, over its UTF-8 encoding.
type IDs struct {
	MD5    string `json:"md5_hash"`
	CRC32C string `json:"crc32c"`
	// DOCXGUID is the id that Word assigned to the document, or nil if there is none.
	DOCXGUID *string `json:"docx_guid"`
	// CreateDatetime is the creation time from the document's metadata, or else the
	// time when it was stored, in Unix seconds.
	CreateDatetime float64 `json:"create_datetime"`
	// PDFHBREF is the entry HBREF in the document information of a PDF, or nil if there is
	// none.
	PDFHBREF *string `json:"PDF_HBREF"`
	MIMEType string  `json:"mime_type"`
}

// Party is a party to the document.
type Party struct {
	// PartyIndex counts from 0, in the order of the document.
	PartyIndex int `json:"party_index"`
	// PartyName is the full name as written: "Acme Holdings, Inc."
	PartyName string `json:"party_name"`
	// ReferenceName is the short name that the document defines for the party, such as
	// "Acme" or "Supplier". It is nil if there is none.
	ReferenceName *string `json:"reference_name"`
	// PartyRole is the role of the party in the contract, such as "Licensor". It is nil if
	// the document states none.
	PartyRole *string `json:"party_role"`
	// PartyKind is one of the constants below.
	PartyKind string `json:"party_kind"`
	// Jurisdiction is where an organization is organized: "Delaware". It is nil if the
	// document does not say, as is Address, which is on one line.
	Jurisdiction       *string    `json:"jurisdiction"`
	Address            *string    `json:"address"`
	InsertionPositions []Position `json:"insertion_positions"`
	Place
}

// The kinds of parties.
const (
	PartyOrganization = "organization"
	PartyPerson       = "person"
)

// Signer is a person who signs the document.
type Signer struct {
	SignerIndex      *int    `json:"signer_index"`
	SignerID         string  `json:"signer_id"`
	SignerFullName   string  `json:"signer_full_name"`
	FirstName        string  `json:"first_name"`
	LastName         string  `json:"last_name"`
	Email            *string `json:"email"`
	SignerRole       string  `json:"signer_role"`
	IsAgreementOwner bool    `json:"is_agreement_owner"`
	Place
}

// Field is a fillable field of the document.
type Field struct {
	SignerIndex *int   `json:"signer_index"`
	SignerID    string `json:"signer_id"`
	// FieldID identifies the field in annotate requests.
	FieldID string `json:"field_id"`
	// FieldType is the type as insights name it ("NAMETEXTINPUT").
	FieldType  string  `json:"field_type"`
	FieldLabel *string `json:"field_label"`
	// FieldValue is the value of the field, or "" if it is empty. Several selected
	// options are separated by ", ".
	FieldValue string `json:"field_value"`
	Place
}

// Clause is a clause of the document. Its type is in title case: "Governing Law".
type Clause struct {
	ClauseType        string `json:"clause_type"`
	ClauseDescription string `json:"clause_description"`
	// ParagraphIndex is the index of the paragraph in the document, from 0, as a string.
	ParagraphIndex     string      `json:"paragraph_index"`
	InsertionPositions *[]Position `json:"insertion_positions"`
	Place
}

// PromptAnswer is the answer to a question. If the document does not answer it, Value,
// Quote, PageNumber and BoundingBox are nil, Reasoning explains why, and ConfidenceScore
// is 0.
type PromptAnswer struct {
	Message string  `json:"message"`
	Value   *string `json:"value"`
	// Quote replaces the Quote of Place in the output, because that one cannot be nil.
	Quote *string `json:"quote"`
	Place
}

// ContractValue is a monetary value of the contract.
type ContractValue struct {
	ContractValueType  string  `json:"contract_value_type"`
	ContractValueLabel string  `json:"contract_value_label"`
	ContractValue      float64 `json:"contract_value"`
	// Currency is an ISO 4217 code.
	Currency string `json:"currency"`
	// ContractValueUSD is nil if no exchange rate is known for the currency.
	ContractValueUSD   *float64   `json:"contract_value_usd"`
	InsertionPositions []Position `json:"insertion_positions"`
	Place
}

// Date is a date of the document.
type Date struct {
	// DateType is one of the constants below.
	DateType  string `json:"date_type"`
	DateLabel string `json:"date_label"`
	// DateValue is YYYY-MM-DD if the day is known, and otherwise the text of the document.
	DateValue string `json:"date_value"`
	// DateEpochMS is the start of the day in UTC, in Unix milliseconds, or nil if the
	// day is not known.
	DateEpochMS        *int64     `json:"date_epochms"`
	InsertionPositions []Position `json:"insertion_positions"`
	Place
}

// The types of dates.
const (
	DateExecution  = "execution"
	DateEffective  = "effective"
	DateExpiration = "expiration"
	DateRenewal    = "renewal"
	DateNotice     = "notice"
	DatePayment    = "payment"
	DateOther      = "other"
)

// Limit is a limit of liability.
type Limit struct {
	// LimitType is one of the constants below.
	LimitType          string     `json:"limit_type"`
	LimitLabel         string     `json:"limit_label"`
	LimitValue         string     `json:"limit_value"`
	InsertionPositions []Position `json:"insertion_positions"`
	Place
}

// The types of limits.
const (
	LimitCap       = "cap"
	LimitUncapped  = "uncapped"
	LimitExclusion = "exclusion"
)

// Renewal is a period for which the contract is renewed.
type Renewal struct {
	TermType  string `json:"term_type"`
	TermLabel string `json:"term_label"`
	TermValue string `json:"term_value"`
	// TermMonths is nil if the term is not a number of months.
	TermMonths         *float64   `json:"term_months"`
	InsertionPositions []Position `json:"insertion_positions"`
	Place
}

// Payment is a payment obligation.
type Payment struct {
	PaymentType        string   `json:"payment_type"`
	PaymentLabel       string   `json:"payment_label"`
	PaymentValue       string   `json:"payment_value"`
	PaymentValueNumber *float64 `json:"payment_value_number"`
	PaymentValueUSD    *float64 `json:"payment_value_usd"`
	PaymentCurrency    *string  `json:"payment_currency"`
	Place
}

// MatchingDocument is a similar document of the same organization.
type MatchingDocument struct {
	DocumentID string `json:"document_id"`
	Name       string `json:"name"`
	// Similarity is from 0 to 1.
	Similarity      float64 `json:"similarity"`
	Reasoning       *string `json:"reasoning"`
	ConfidenceScore float64 `json:"confidence_score"`
}

// EventKind is the kind of an Event.
type EventKind string

// The kinds of events in a stream. EventError or EventDone ends the stream.
const (
	EventProgress EventKind = "progress"
	EventInsight  EventKind = "insight"
	EventError    EventKind = "error"
	EventDone     EventKind = "done"
)

// Event is one event of a stream. The events of a job depend only on its request and its
// result, so that another worker that repeats the job sends the same events.
type Event struct {
	// Sequence numbers the events of a job from 1.
	Sequence int       `json:"sequence"`
	Kind     EventKind `json:"event"`
	// Data is a Progress, an Item, an error in the API's format, or the Answer.
	Data jsontext.Value `json:"data"`
}

// Progress is the data of EventProgress.
type Progress struct {
	// Stage is the step that was just completed: one of Stages, or the answered key.
	Stage string `json:"stage"`
	// Progress is from 0 to 1.
	Progress float64 `json:"progress"`
}

// Item is the data of EventInsight: one complete item of a key of the Answer. A key that
// is not a list has one Item.
type Item struct {
	Key  Type           `json:"key"`
	Item jsontext.Value `json:"item"`
}

// Stages lists the stages of reading a document, in order: fetching the bytes, reading the
// text with its positions, and finding its structure.
func Stages() []string { return []string{StageFetched, StageRead, StageStructured} }

// Step is a step of a job: a completed stage or, if Stage is "", an answered key.
type Step struct {
	Stage string
	Key   Type
}

// Steps lists the steps of a job that answers all Keys, in order. The keys of Opening are
// answered as soon as the beginning of the document is read, so a client has them long
// before the end of a long one. If a language model is asked, they wait for its answer, like
// the other keys.
func Steps(model bool) []Step {
	var steps []Step
	early := Opening()
	if model {
		early = nil
	}
	for _, stage := range Stages() {
		if stage == StageRead {
			for _, key := range early {
				steps = append(steps, Step{Key: key})
			}
		}
		steps = append(steps, Step{Stage: stage})
	}
	for _, key := range Keys() {
		if !slices.Contains(early, key) {
			steps = append(steps, Step{Key: key})
		}
	}
	return steps
}

// The stages of Stages.
const (
	StageFetched    = "fetched"
	StageRead       = "read"
	StageStructured = "structured"
)
