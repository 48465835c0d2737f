package insightapi

import "github.com/go-json-experiment/json/jsontext"

// Answer is the Insight object of the API, section 2.4 of its specification. A nil
// pointer is a key that was not asked for, and is absent; CustomPrompt and
// DocumentFieldsPages are null then.
type Answer struct {
	DocumentTitle       *[]Title             `json:"document_title,omitzero"`
	DocumentType        *[]TypeName          `json:"document_type,omitzero"`
	DocumentIDs         *IDs                 `json:"document_ids,omitzero"`
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

	// The same again under the names that were asked for, where these differ.
	ContractExpirationDates   *[]Date    `json:"contract_expiration_dates,omitzero"`
	ContractRenewalDates      *[]Date    `json:"contract_renewal_dates,omitzero"`
	ContractLimitOfLiability  *[]Limit   `json:"contract_limit_of_liability,omitzero"`
	ContractRenewalTermLength *[]Renewal `json:"contract_renewal_term_length,omitzero"`
	PaymentDueDate            *[]Payment `json:"payment_due_date,omitzero"`

	// SignedURL leads to the document that was read. It is signed when the answer
	// is given, so that what is kept of an answer is without it.
	SignedURL string `json:"signed_url,omitzero"`
}

// Place is where the text stands that an item rests on, and how sure that is.
// Every item has one.
type Place struct {
	// PageNumber counts from 1; plain text is one page. It is nil for a field that
	// stands on no page.
	PageNumber *int `json:"page_number"`
	// BoundingBox is nil where the document has no pages.
	BoundingBox *BoundingBox `json:"bounding_box"`
	// Quote is the text, as the document has it.
	Quote string `json:"quote"`
	// XMLPath leads to the element in which the quote begins, "" where there is no
	// XML.
	XMLPath string `json:"xml_path"`
	// Reasoning says in a sentence why the item was found.
	Reasoning *string `json:"reasoning"`
	// ConfidenceScore is from 0 to 1: how probable it is that the item is right.
	ConfidenceScore float64 `json:"confidence_score"`
}

// BoundingBox is where something stands on a page, in parts of it, from 0 to 1,
// from the top left.
type BoundingBox struct {
	Page   int     `json:"page"`
	Left   float64 `json:"left"`
	Top    float64 `json:"top"`
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

// Position is a place in the text that was read, in characters (Unicode code
// points): the first one, and the one after the last.
type Position struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// Title is what the document calls itself.
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

// TypeName is what kind of document it is, in title case: "Consulting Agreement".
type TypeName struct {
	DocumentType string `json:"document_type"`
	Place
}

// IDs are what identifies the file. Hashes are in lower-case hex, of the bytes as
// they were stored or, of text, of its UTF-8.
type IDs struct {
	MD5    string `json:"md5_hash"`
	CRC32C string `json:"crc32c"`
	// DOCXGUID is the id that Word has given the document, nil where there is none.
	DOCXGUID *string `json:"docx_guid"`
	// CreateDatetime is when it was made by its own account, otherwise when it was
	// stored, in Unix seconds.
	CreateDatetime float64 `json:"create_datetime"`
	PDFHBREF       *string `json:"PDF_HBREF"`
	MIMEType       string  `json:"mime_type"`
}

// Signer is somebody who signs the document.
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

// Field is a field of the document that can be filled.
type Field struct {
	SignerIndex *int   `json:"signer_index"`
	SignerID    string `json:"signer_id"`
	// FieldID is what annotate fills it by.
	FieldID string `json:"field_id"`
	// FieldType is as insights name it ("NAMETEXTINPUT").
	FieldType  string  `json:"field_type"`
	FieldLabel *string `json:"field_label"`
	// FieldValue is what the field holds: a string, "" for an empty one; what is
	// ticked is separated by ", ".
	FieldValue string `json:"field_value"`
	Place
}

// Clause is a clause of a kind, in title case: "Governing Law".
type Clause struct {
	ClauseType        string `json:"clause_type"`
	ClauseDescription string `json:"clause_description"`
	// ParagraphIndex counts the paragraphs of the document from 0, as a string.
	ParagraphIndex     string      `json:"paragraph_index"`
	InsertionPositions *[]Position `json:"insertion_positions"`
	Place
}

// PromptAnswer answers a question, or says that the document does not: then Value,
// Quote, PageNumber and BoundingBox are nil, Reasoning says why, and ConfidenceScore
// is 0.
type PromptAnswer struct {
	Message string  `json:"message"`
	Value   *string `json:"value"`
	// Quote is shown in place of that of Place, which cannot be nil.
	Quote *string `json:"quote"`
	Place
}

// ContractValue is an amount that the contract is about.
type ContractValue struct {
	ContractValueType  string  `json:"contract_value_type"`
	ContractValueLabel string  `json:"contract_value_label"`
	ContractValue      float64 `json:"contract_value"`
	// Currency is an ISO 4217 code.
	Currency string `json:"currency"`
	// ContractValueUSD is nil where no rate is known for the currency.
	ContractValueUSD   *float64   `json:"contract_value_usd"`
	InsertionPositions []Position `json:"insertion_positions"`
	Place
}

// Date is a date of the document.
type Date struct {
	// DateType is one of the constants below.
	DateType  string `json:"date_type"`
	DateLabel string `json:"date_label"`
	// DateValue is YYYY-MM-DD where the day is known, otherwise as it is written.
	DateValue string `json:"date_value"`
	// DateEpochMS is the beginning of the day in UTC, in Unix milliseconds; nil
	// where the day is not known.
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

// Limit is a limit of somebody's liability.
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

// Renewal is for how long the contract is renewed.
type Renewal struct {
	TermType  string `json:"term_type"`
	TermLabel string `json:"term_label"`
	TermValue string `json:"term_value"`
	// TermMonths is nil where the term is no number of months.
	TermMonths         *float64   `json:"term_months"`
	InsertionPositions []Position `json:"insertion_positions"`
	Place
}

// Payment is something that has to be paid.
type Payment struct {
	PaymentType        string   `json:"payment_type"`
	PaymentLabel       string   `json:"payment_label"`
	PaymentValue       string   `json:"payment_value"`
	PaymentValueNumber *float64 `json:"payment_value_number"`
	PaymentValueUSD    *float64 `json:"payment_value_usd"`
	PaymentCurrency    *string  `json:"payment_currency"`
	Place
}

// MatchingDocument is another document of the organization that is alike.
type MatchingDocument struct {
	DocumentID string `json:"document_id"`
	Name       string `json:"name"`
	// Similarity is from 0 to 1.
	Similarity      float64 `json:"similarity"`
	Reasoning       *string `json:"reasoning"`
	ConfidenceScore float64 `json:"confidence_score"`
}

// EventKind is what an Event of a stream is.
type EventKind string

// The kinds of events of a stream. Error or Done ends it.
const (
	EventProgress EventKind = "progress"
	EventInsight  EventKind = "insight"
	EventError    EventKind = "error"
	EventDone     EventKind = "done"
)

// Event is one event of a stream. The events of a job follow from its request and
// its result alone, so that whoever does the job again tells the same ones.
type Event struct {
	// Sequence counts the events of a job from 1.
	Sequence int       `json:"sequence"`
	Kind     EventKind `json:"event"`
	// Data is a Progress, an Item, an error as the API shows it, or the Answer.
	Data jsontext.Value `json:"data"`
}

// Progress is the data of EventProgress.
type Progress struct {
	// Stage is what was just done: one of Stages, or the key that was answered.
	Stage string `json:"stage"`
	// Progress is from 0 to 1.
	Progress float64 `json:"progress"`
}

// Item is the data of EventInsight: one item of a key of the Answer, whole. Keys
// that hold no list have one Item.
type Item struct {
	Key  Type           `json:"key"`
	Item jsontext.Value `json:"item"`
}

// Stages lists what is done before the first key is answered, in order: the bytes
// were fetched, the text and its places were read, and its structure was found.
func Stages() []string { return []string{StageFetched, StageRead, StageStructured} }

// The stages of Stages.
const (
	StageFetched    = "fetched"
	StageRead       = "read"
	StageStructured = "structured"
)
