package engine_test

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/annotationapi"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/telemetry"
	"github.com/rectohq/recto/libs/testkit/corpus"
	"github.com/rectohq/recto/libs/testkit/modelserver"
	"github.com/rectohq/recto/services/insight/internal/domain"
	"github.com/rectohq/recto/services/insight/internal/engine"
	"github.com/rectohq/recto/services/insight/internal/matching"
	"github.com/rectohq/recto/services/insight/internal/source"
	"github.com/rectohq/recto/services/insight/internal/source/sourcetest"
	"github.com/rectohq/recto/services/insight/internal/sqlitestore"
)

// specified holds the keys of section 2.4 of the specification, and the members of each. The
// members of renewal_term_length, custom_prompt and organization_matching_documents are
// those that Recto adds, since the specification shows none.
const specified = `
document_title: title title_source page_number reasoning confidence_score
document_type: document_type page_number reasoning confidence_score
document_ids: md5_hash crc32c docx_guid create_datetime PDF_HBREF mime_type
document_signers: signer_index signer_id signer_full_name first_name last_name email signer_role is_agreement_owner page_number reasoning confidence_score
document_fields: signer_index signer_id field_id field_type field_label field_value page_number reasoning bounding_box xml_path confidence_score
document_fields_pages:
document_clauses: clause_type clause_description paragraph_index page_number confidence_score insertion_positions reasoning
custom_prompt: message value page_number quote reasoning confidence_score
contract_values: contract_value_type contract_value_label contract_value currency contract_value_usd page_number confidence_score insertion_positions reasoning
document_dates: date_type date_label date_value date_epochms page_number confidence_score insertion_positions reasoning
limit_of_liability: limit_type limit_label limit_value page_number confidence_score insertion_positions reasoning
renewal_term_length: term_type term_label term_value term_months page_number confidence_score insertion_positions reasoning
payments: payment_type payment_label payment_value payment_value_number payment_value_usd payment_currency page_number confidence_score reasoning
organization_matching_documents: document_id name similarity reasoning confidence_score
contract_expiration_dates: date_value
contract_renewal_dates: date_value
contract_limit_of_liability: limit_value
contract_renewal_term_length: term_value
payment_due_date: payment_value
signed_url:
`

// atDelivery is the member that the service sets when it delivers an answer. It is no part of
// what the engine returns.
const atDelivery = "signed_url"

// TestSpecifiedMembers shows that an answer declares every key and every member of the
// specification.
func TestSpecifiedMembers(t *testing.T) {
	declared := members{}
	declared.declare("", reflect.TypeFor[insightapi.Answer]())
	for line := range strings.Lines(strings.TrimSpace(specified)) {
		key, names, _ := strings.Cut(strings.TrimSpace(line), ":")
		if _, ok := declared[key]; !ok {
			t.Errorf("the answer lacks %s", key)
		}
		for name := range strings.FieldsSeq(names) {
			if _, ok := declared[key+"."+name]; !ok {
				t.Errorf("%s lacks %s", key, name)
			}
		}
	}
}

// members maps the path of each member of an answer, such as payments.payment_value, to
// whether it had a value.
type members map[string]bool

// declare adds the members that a type declares.
func (m members) declare(path string, t reflect.Type) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return
	}
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && name == "" {
			m.declare(path, f.Type)
			continue
		}
		inner := strings.TrimPrefix(path+"."+name, ".")
		m[inner] = m[inner] || false
		m.declare(inner, f.Type)
	}
}

// see records which members of a JSON value are set. Null, false, 0 and empty values do not
// count.
func (m members) see(path string, value any) {
	switch v := value.(type) {
	case map[string]any:
		for name, inner := range v {
			m.see(strings.TrimPrefix(path+"."+name, "."), inner)
		}
		m.mark(path, len(v) > 0)
	case []any:
		for _, inner := range v {
			m.see(path, inner)
		}
		m.mark(path, len(v) > 0)
	default:
		m.mark(path, v != nil && !reflect.ValueOf(v).IsZero())
	}
}

// mark records a member, if it is declared: the pages of document_fields_pages are not.
func (m members) mark(path string, valued bool) {
	if _, declared := m[path]; declared && valued {
		m[path] = true
	}
}

// empty returns the members that never had a value, in alphabetical order.
func (m members) empty() []string {
	var names []string
	for _, path := range slices.Sorted(maps.Keys(m)) {
		if !m[path] {
			names = append(names, path)
		}
	}
	return names
}

// in records the members of an answer.
func (m members) in(t *testing.T, a insightapi.Answer) {
	t.Helper()
	data, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	var value map[string]any
	if err := json.Unmarshal(data, &value); err != nil {
		t.Fatal(err)
	}
	m.see("", value)
}

// supply is a contract with something for every insight that reads texts.
const supply = `SUPPLY AGREEMENT
This Supply Agreement is made as of January 31, 2026 between Lindqvist Aktiebolag, a Swedish company with offices at Storgatan 1, 111 22 Stockholm ("Supplier"), and Norden Farms, Inc. ("Customer").
1. Fees
The Customer shall pay a setup fee of EUR 12,500.00 within 30 days of each invoice.
2. Liability
The liability of the Supplier is limited to USD 50,000.
3. Term
This Agreement ends on December 31, 2027 and renews for successive terms of 12 months.
It shall be renewed on January 1, 2028.
4. Governing Law
This Agreement is governed by the laws of Sweden.
LINDQVIST AKTIEBOLAG
By: ____________________
Name: Zoe Unal
Title: Managing Director
Email: zoe@example.com
NORDEN FARMS, INC.
By: ____________________
Name: Bo Lund
Email: bo@example.com
`

// TestEveryMemberHasAValue shows that no member of any insight is always empty. The members
// are those that the types of the answer declare, so a new one fails until an engine fills
// it.
func TestEveryMemberHasAValue(t *testing.T) {
	seen := members{}
	seen.declare("", reflect.TypeFor[insightapi.Answer]())
	delete(seen, atDelivery)

	s := sourcetest.New(t, "members")
	e := engine.New(source.NewReader(s.Deps), nil).WithIndex(similarTo(t, s, supply))
	q := everything()
	q.Context = "We are Norden Farms."
	form := sourcetest.PDF{
		HBREF: "lease-7", Pages: [][]string{{"LEASE AGREEMENT", "Rent:"}},
		Widgets: []sourcetest.Widget{{Name: "rent", Entries: "/FT/Tx/TU(Rent)/V(500)", Line: 1}},
	}
	for name, m := range map[string]domain.Material{"a Word document": supplyDOCX(s), "a form": s.Fetched("lease.pdf", "", form.Bytes())} {
		m.Job.ID = "job_" + name
		a, err := e.Analyze(t.Context(), m, q, &heard{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		seen.in(t, a.Answer)
	}
	seen.in(t, withUsage(t))
	if names := seen.empty(); names != nil {
		t.Errorf("these members never have a value: %v", names)
	}
}

// supplyDOCX returns the material of supply as a stored Word document, in which the name of
// the second signer is a field.
func supplyDOCX(s *sourcetest.System) domain.Material {
	lines := sourcetest.Lines(supply)
	s.Converted = sourcetest.PDF{Pages: [][]string{lines[:9], lines[9:]}}.Bytes()
	var body strings.Builder
	for _, line := range lines {
		body.WriteString(sourcetest.Paragraph("", line))
	}
	body.WriteString(sourcetest.Control("Title:", "agreementinput-title", "Treasurer"))
	s.Known = []annotationapi.Field{{
		FieldID: "agreementinput-title", FieldType: "FREETEXTINPUT", Label: new("Title"), Value: new("Treasurer"),
		Source: string(fields.ContentControl), XMLPath: "word/document.xml#/w:document[1]/w:body[1]/w:p[20]/w:sdt[1]",
	}}
	return s.Stored(s.Put("supply.docx", "", sourcetest.DOCX{Title: "Supply", GUID: "{12345678-0000-0000-0000-000000000000}", Body: body.String()}.Bytes()))
}

// similarTo returns an index of the organization that has another document with a text.
func similarTo(t *testing.T, s *sourcetest.System, text string) *matching.Index {
	t.Helper()
	store, err := sqlitestore.Open(t.Context(), filepath.Join(t.TempDir(), "insight.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	x := matching.New(matching.Deps{
		Store: store, Log: telemetry.Discard(),
		Document: func(_ context.Context, _ contract.Principal, r documentapi.GetRequest) (documentapi.Document, error) {
			return documentapi.Document{ID: r.DocumentID, Name: "The draft", VersionNumber: 1}, nil
		},
		Contents: func(_ context.Context, _ contract.Principal, r documentapi.GetRequest) (documentapi.ContentsResponse, error) {
			return documentapi.ContentsResponse{DocumentID: r.DocumentID, VersionNumber: 1}, nil
		},
		Status: func(context.Context, contract.Principal, string) (bool, error) { return false, nil },
	})
	draft := domain.Material{Principal: sourcetest.Principal, DocumentID: "doc_2", VersionNumber: 1}
	if err := x.Add(t.Context(), draft, s.Put("draft.txt", "text/plain", []byte(text)), text); err != nil {
		t.Fatal(err)
	}
	return x
}

// withUsage returns an answer that a language model had a part in.
func withUsage(t *testing.T) insightapi.Answer {
	t.Helper()
	m := withModel(t, modelserver.OpenAI, func(r modelserver.Request) modelserver.Reply {
		return modelserver.Reply{JSON: answerTo(t, r, good), Usage: modelserver.Usage{Input: 1000, Cached: 500, Output: 100}}
	}, nil)
	a, err := m.ask(t, agreement, wanted())
	if err != nil {
		t.Fatal(err)
	}
	return a.Answer
}

// notInTexts are the keys and members that a contract as text alone cannot have: those of
// files, of stored documents, of a language model and of a known caller. E-mail addresses of
// signers are too rare in the contracts.
var notInTexts = []string{
	"bounding_box", "xml_path", "field_value", "docx_guid", "PDF_HBREF", string(insightapi.MatchingDocuments), "usage", "is_agreement_owner", "email",
}

// TestEveryMemberInContracts shows the same for real contracts, as far as texts go.
func TestEveryMemberInContracts(t *testing.T) {
	folder := corpus.Folder(t, "contracts", "txt")
	names, err := filepath.Glob(filepath.Join(folder, "c0[0-4]*.txt"))
	if err != nil || names == nil {
		t.Fatalf("there are no contracts in %s: %v", folder, err)
	}
	seen := members{}
	seen.declare("", reflect.TypeFor[insightapi.Answer]())
	delete(seen, atDelivery)
	for path := range seen {
		if slices.ContainsFunc(strings.Split(path, "."), func(name string) bool { return slices.Contains(notInTexts, name) }) {
			delete(seen, path)
		}
	}
	s := sourcetest.New(t, "contracts")
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		seen.in(t, analyze(t, s, s.Text(string(text))).Answer)
	}
	if empty := seen.empty(); empty != nil {
		t.Errorf("in %d contracts, these members never have a value: %v", len(names), empty)
	}
}
