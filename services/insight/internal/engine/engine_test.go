package engine_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/rectohq/recto/libs/contract/annotationapi"
	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/docx"
	"github.com/rectohq/recto/libs/formats/docx/docxtext"
	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/services/insight/internal/domain"
	"github.com/rectohq/recto/services/insight/internal/engine"
	"github.com/rectohq/recto/services/insight/internal/ground"
	"github.com/rectohq/recto/services/insight/internal/rules"
	"github.com/rectohq/recto/services/insight/internal/source"
	"github.com/rectohq/recto/services/insight/internal/source/sourcetest"
)

func TestMain(m *testing.M) { os.Exit(sourcetest.Main(m)) }

// agreement says something of everything.
const agreement = `CONSULTING AGREEMENT
This Consulting Agreement is made as of January 31, 2026 between Lindqvist AB and Acme Corp.
1. Fees
The Client shall pay a fee of USD 12,500.00 within 30 days of each invoice.
2. Liability
The liability of the Consultant is limited to USD 50,000.
3. Term
This Agreement ends on December 31, 2027 and renews for successive terms of 12 months.
4. Governing Law
This Agreement is governed by the laws of Sweden.
Signature: ____________________
Name: Zoe Unal
`

// everything asks for all types, with two questions.
func everything() domain.Question {
	q := domain.Question{Requests: []insightapi.Request{{Type: insightapi.CustomPrompt, Message: "What is the fee?"}}, Context: "We are the client."}
	for _, kind := range insightapi.Types() {
		r := insightapi.Request{Type: kind}
		if kind == insightapi.CustomPrompt {
			r.Message = "Does the agreement renew for successive terms?"
		}
		q.Requests = append(q.Requests, r)
	}
	return q
}

// heard is a domain.Listener that records its calls.
type heard struct {
	all []string
	// shares are those of Progressed.
	shares []float64
	// stop is called after each key, if it is set.
	stop func()
}

// Idle implements domain.Listener.
func (h *heard) Idle(_ context.Context, wait func() error) error { return wait() }

// Progressed implements domain.Listener.
func (h *heard) Progressed(share float64) { h.shares = append(h.shares, share) }

// Reached implements domain.Listener.
func (h *heard) Reached(stage string) { h.all = append(h.all, stage) }

// Answered implements domain.Listener.
func (h *heard) Answered(key insightapi.Type, _ *insightapi.Answer) {
	h.all = append(h.all, string(key))
	if h.stop != nil {
		h.stop()
	}
}

// analyze asks everything about some material.
func analyze(t *testing.T, s *sourcetest.System, m domain.Material) domain.Analysis {
	t.Helper()
	var told heard
	a, err := engine.New(source.NewReader(s.Deps), nil).Analyze(t.Context(), m, everything(), &told)
	if err != nil {
		t.Fatal(err)
	}
	if want := steps(false); !slices.Equal(told.all, want) {
		t.Errorf("the listener heard\n%v, want\n%v", told.all, want)
	}
	return a
}

// steps lists the steps of answering all keys.
func steps(model bool) (names []string) {
	for _, step := range insightapi.Steps(model) {
		names = append(names, step.Stage+string(step.Key))
	}
	return names
}

// encoded returns an analysis as it is stored.
func encoded(t *testing.T, a domain.Analysis) []byte {
	t.Helper()
	data, err := json.Marshal(a, json.Deterministic(true))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// item holds what all items of an answer have in common.
type item struct {
	insightapi.Place
	Positions []insightapi.Position `json:"insertion_positions"`
}

// items returns the items of an answer by key. It leaves out keys whose items have no
// place, and questions without an answer.
func items(t *testing.T, a insightapi.Answer) map[string][]item {
	t.Helper()
	data, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	var keys map[string]any
	if err := json.Unmarshal(data, &keys); err != nil {
		t.Fatal(err)
	}
	found := map[string][]item{}
	for key, value := range keys {
		if _, ok := value.([]any); !ok || key == string(insightapi.MatchingDocuments) {
			continue
		}
		data, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		var list []item
		if err := json.Unmarshal(data, &list); err != nil {
			t.Fatal(err)
		}
		if key == string(insightapi.CustomPrompt) {
			answers := *a.CustomPrompt
			list = slices.DeleteFunc(list, func(item) bool {
				unanswered := answers[0].Value == nil
				answers = answers[1:]
				return unanswered
			})
		}
		found[key] = list
	}
	return found
}

// complete checks that every key that must have an item has one, and that each item has a
// reasoning and a confidence of at most four decimals.
func complete(t *testing.T, a insightapi.Answer) {
	t.Helper()
	found := items(t, a)
	for _, kind := range insightapi.Types() {
		list := found[string(kind)]
		switch kind {
		case insightapi.DocumentIDs, insightapi.DocumentFieldsPages, insightapi.MatchingDocuments, insightapi.ContractRenewalDates:
		default:
			if len(list) == 0 {
				t.Errorf("%s has no item", kind)
			}
		}
		for _, i := range list {
			digits := i.ConfidenceScore * 1e4
			if i.Reasoning == nil || *i.Reasoning == "" || i.ConfidenceScore <= 0 || i.ConfidenceScore > 1 || math.Abs(digits-math.Round(digits)) > 1e-9 {
				t.Errorf("%s: %+v has no reasoning, or the confidence %v", kind, i, i.ConfidenceScore)
			}
		}
	}
	if a.DocumentIDs == nil || a.DocumentFieldsPages == nil || a.MatchingDocuments == nil {
		t.Errorf("the answer lacks keys: %+v", a)
	}
	for _, f := range *a.DocumentFields {
		if ids := (*a.DocumentFieldsPages)[strconv.Itoa(*f.PageNumber)]; !slices.Contains(ids, f.FieldID) {
			t.Errorf("%s is not among the fields %v of page %d", f.FieldID, ids, *f.PageNumber)
		}
	}
	var asked []string
	for _, p := range *a.CustomPrompt {
		asked = append(asked, p.Message)
	}
	if got := strings.Join(slices.Compact(asked), " "); got != "What is the fee? Does the agreement renew for successive terms?" {
		t.Errorf("the answered questions are %s", got)
	}
}

func TestText(t *testing.T) {
	s := sourcetest.New(t, "text")
	for name, text := range map[string]string{
		"plain": agreement, "Windows line ends": strings.ReplaceAll(agreement, "\n", "\r\n"), "a byte order mark": "\uFEFF" + agreement,
		"multibyte characters": strings.NewReplacer("Zoe", "Zoë", "Acme", "Ünal").Replace(agreement),
	} {
		t.Run(name, func(t *testing.T) {
			m := s.Text(text)
			a := analyze(t, s, m)
			complete(t, a.Answer)
			for key, list := range items(t, a.Answer) {
				for _, i := range list {
					if i.Quote == "" || !strings.Contains(text, i.Quote) || *i.PageNumber != 1 || i.BoundingBox != nil || i.XMLPath != "" {
						t.Errorf("%s: %+v is not in the text, or has a wrong place", key, i.Place)
					}
					if i.Positions != nil {
						if err := ground.CheckPositions(text, i.Quote, i.Positions); err != nil {
							t.Errorf("%s: %v", key, err)
						}
					}
				}
			}
			if title := (*a.Answer.DocumentTitle)[0].Title; title != "CONSULTING AGREEMENT" {
				t.Errorf("the title is %q", title)
			}
			if again := encoded(t, analyze(t, s, m)); !bytes.Equal(again, encoded(t, a)) {
				t.Errorf("the second analysis is\n%s\nthe first\n%s", again, encoded(t, a))
			}
		})
	}
}

// TestOddTexts shows that odd texts are answered, and only with quotes from the text.
func TestOddTexts(t *testing.T) {
	s := sourcetest.New(t, "odd-texts")
	for name, text := range map[string]string{
		"a character": "x", "NUL": "\x00 Agreement \x00", "white space of Unicode": "\u2003\u00a0x\u2029", "one line": strings.Repeat("pays USD 5 or ", 1000),
	} {
		a := analyze(t, s, s.Text(text))
		for key, list := range items(t, a.Answer) {
			for _, i := range list {
				if !strings.Contains(text, i.Quote) || i.Quote == "" {
					t.Errorf("%s: %s: %q is not in the text", name, key, i.Quote)
				}
			}
		}
	}
}

// TestWord shows that every item of a Word document has its place in the XML and on the
// pages.
func TestWord(t *testing.T) {
	s := sourcetest.New(t, "word")
	lines := sourcetest.Lines(agreement)
	s.Converted = sourcetest.PDF{Pages: [][]string{lines[:6], lines[6:]}}.Bytes()
	var body strings.Builder
	for i, line := range lines {
		style := ""
		if i == 0 {
			style = "Title"
		}
		body.WriteString(sourcetest.Paragraph(style, line))
	}
	body.WriteString(sourcetest.Control("Date:", "agreementinput-date", ""))
	content := sourcetest.DOCX{Title: "Consulting Agreement", GUID: "{0}", Body: body.String()}.Bytes()
	m := s.Stored(s.Put("a.docx", "", content))
	s.Known = []annotationapi.Field{{FieldID: "agreementinput-date", FieldType: "DATEINPUT", Source: string(fields.ContentControl), XMLPath: "word/document.xml#/w:document[1]/w:body[1]/w:p[13]/w:sdt[1]"}}
	a := analyze(t, s, m)
	complete(t, a.Answer)
	word, err := docx.Open(bytes.NewReader(content), int64(len(content)), docx.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	pages := 0
	for key, list := range items(t, a.Answer) {
		for _, i := range list {
			if key == string(insightapi.DocumentFields) {
				continue // an empty control has no quote
			}
			text, err := docxtext.Resolve(t.Context(), word, i.XMLPath)
			if err != nil || !strings.Contains(text, i.Quote) || i.Quote == "" {
				t.Errorf("%s: the path %s of %q leads to %q, %v", key, i.XMLPath, i.Quote, text, err)
			}
			if i.BoundingBox == nil || i.BoundingBox.Page != *i.PageNumber || *i.PageNumber != 1+slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, i.Quote) })/6 {
				t.Errorf("%s: %q is on page %d, %+v", key, i.Quote, *i.PageNumber, i.BoundingBox)
			}
			pages |= *i.PageNumber
		}
	}
	if pages != 3 {
		t.Errorf("the pages with items are %b, want 11", pages)
	}
	f := (*a.Answer.DocumentFields)[0]
	if f.FieldID != "agreementinput-date" || f.Quote != "" || f.XMLPath != s.Known[0].XMLPath || f.FieldType != "DATEINPUT" {
		t.Errorf("the field is %+v", f)
	}
	if again := encoded(t, analyze(t, s, m)); !bytes.Equal(again, encoded(t, a)) {
		t.Error("the second answer differs")
	}
}

// TestForm shows that widgets are quoted by their values, and that empty ones have a place
// too.
func TestForm(t *testing.T) {
	s := sourcetest.New(t, "form")
	form := sourcetest.PDF{Pages: [][]string{{"LEASE AGREEMENT", "Name:", "Date:"}, {"Signature: ________"}}, Widgets: []sourcetest.Widget{
		{Name: "name", Entries: "/FT/Tx/V(Ann Ohm)", Line: 1}, {Name: "date", Entries: "/FT/Tx", Line: 2},
	}}
	a := analyze(t, s, s.Fetched("a.pdf", "", form.Bytes()))
	all := *a.Answer.DocumentFields
	if len(all) != 3 || all[0].FieldID != fields.IDOf("name") || all[0].FieldValue != "Ann Ohm" || all[0].Quote != "Ann Ohm" || all[1].Quote != "" {
		t.Fatalf("the fields are %+v", all)
	}
	if f := all[2]; f.FieldType != "SIGNATUREINPUT" || *f.PageNumber != 2 || f.Quote != "________" {
		t.Errorf("the blank is %+v", f)
	}
	for _, f := range all[:2] {
		if b := f.BoundingBox; *f.PageNumber != 1 || b == nil || math.Abs(b.Left-300./612) > .01 || math.Abs(b.Width-100./612) > .01 || f.ConfidenceScore != 1 {
			t.Errorf("%s is on page %d, %+v", f.FieldID, *f.PageNumber, b)
		}
	}
	if on := *a.Answer.DocumentFieldsPages; len(on) != 2 || !slices.Equal(on["1"], []string{all[0].FieldID, all[1].FieldID}) || !slices.Equal(on["2"], []string{all[2].FieldID}) {
		t.Errorf("the fields are on %v", on)
	}
}

// TestFieldsPagesAlone shows that the fields themselves are left out if only their pages
// are asked for.
func TestFieldsPagesAlone(t *testing.T) {
	s := sourcetest.New(t, "fields-pages")
	q := domain.Question{Requests: []insightapi.Request{{Type: insightapi.DocumentFieldsPages}}}
	var told heard
	a, err := engine.New(source.NewReader(s.Deps), nil).Analyze(t.Context(), s.Text(agreement), q, &told)
	if err != nil {
		t.Fatal(err)
	}
	if a.Answer.DocumentFields != nil || len(*a.Answer.DocumentFieldsPages) != 1 || told.all[len(told.all)-1] != string(insightapi.DocumentFieldsPages) {
		t.Errorf("got %+v, the listener heard %v", a.Answer, told.all)
	}
}

// TestCancelled shows that the engine stops between two keys, with the context's cause. The
// text itself is still read.
func TestCancelled(t *testing.T) {
	s := sourcetest.New(t, "cancelled")
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("nobody waits")
	told := heard{stop: func() { cancel(cause) }}
	_, err := engine.New(source.NewReader(s.Deps), nil).Analyze(ctx, s.Text(agreement), everything(), &told)
	if !errors.Is(err, cause) || !slices.Equal(told.all, []string{"fetched", "document_title", "read"}) {
		t.Errorf("got %v after %v", err, told.all)
	}
}

// TestFaults shows that errors of reading, and of looking up the fields, are returned.
func TestFaults(t *testing.T) {
	s := sourcetest.New(t, "faults")
	e := engine.New(source.NewReader(s.Deps), nil)
	if _, err := e.Analyze(t.Context(), s.Fetched("a", "", []byte("\x00\x01")), everything(), &heard{}); !problem.Is(err, problem.InvalidRequest) {
		t.Errorf("got %v", err)
	}
	s.Converted = sourcetest.PDF{Pages: [][]string{{"x"}}}.Bytes()
	s.Unknown = problem.New(problem.Unavailable, "Later.")
	m := s.Stored(s.Put("a.docx", "", sourcetest.DOCX{Body: sourcetest.Paragraph("", "x")}.Bytes()))
	for _, kind := range []insightapi.Type{insightapi.DocumentFields, insightapi.DocumentFieldsPages} {
		q := domain.Question{Requests: []insightapi.Request{{Type: kind}}}
		if _, err := e.Analyze(t.Context(), m, q, &heard{}); !problem.Is(err, problem.Unavailable) {
			t.Errorf("%s: got %v", kind, err)
		}
	}
}

// TestVersion shows that the version names every part that answers depend on.
func TestVersion(t *testing.T) {
	version := engine.New(source.NewReader(source.Deps{}), nil).Version("org_1")
	parts := map[string]bool{}
	for part := range strings.FieldsSeq(version) {
		name, number, _ := strings.Cut(part, "-")
		parts[name] = number != ""
	}
	for _, name := range []string{"rules", "weights", "rates", "structure", "pdf", "docx", "fields", "source"} {
		if !parts[name] {
			t.Errorf("%q has no version of %s", version, name)
		}
	}
	for _, rates := range []rules.Rates{{}, {Day: "2026-03-02", Dollars: map[string]float64{"EUR": 1.1}}, {Day: "2026-03-02", Dollars: map[string]float64{"EUR": 1.2}}} {
		other := engine.New(source.NewReader(source.Deps{}), nil).WithRates(rates).Version("org_1")
		if parts[other] = !parts[other]; !parts[other] || other == version {
			t.Errorf("other rates have the same version, %s", other)
		}
	}
}

// TestRates shows that amounts are converted by the rates of the engine, and that the
// reason names their day. US dollars need no rate.
func TestRates(t *testing.T) {
	s := sourcetest.New(t, "rates")
	rates := rules.Rates{Day: "2026-03-02", Dollars: map[string]float64{"EUR": 2}}
	q := domain.Question{Requests: []insightapi.Request{{Type: insightapi.ContractValues}, {Type: insightapi.Payments}}}
	text := "Elm shall pay a setup fee of EUR 700 within 10 days of the Effective Date.\n\nElm shall pay a deposit of USD 500 within 20 days of the Effective Date.\n"
	a, err := engine.New(source.NewReader(s.Deps), nil).WithRates(rates).Analyze(t.Context(), s.Text(text), q, &heard{})
	if err != nil {
		t.Fatal(err)
	}
	values, payments := *a.Answer.ContractValues, *a.Answer.Payments
	if len(values) != 2 || len(payments) != 2 {
		t.Fatalf("got %+v and %+v, want two each", values, payments)
	}
	const day = "exchange rate of 2026-03-02"
	if *values[0].ContractValueUSD != 1400 || *payments[0].PaymentValueUSD != 1400 || !strings.Contains(*values[0].Reasoning, day) || !strings.Contains(*payments[0].Reasoning, day) {
		t.Errorf("euros: got %+v and %+v", values[0], payments[0])
	}
	if *values[1].ContractValueUSD != 500 || *payments[1].PaymentValueUSD != 500 || strings.Contains(*values[1].Reasoning+*payments[1].Reasoning, day) {
		t.Errorf("dollars: got %+v and %+v", values[1], payments[1])
	}
}

// TestUnanswered shows that a question without an answer gets an item, without a value
// and a quote.
func TestUnanswered(t *testing.T) {
	s := sourcetest.New(t, "unanswered")
	q := domain.Question{}
	for _, message := range []string{"How many elephants live there?", "What is the fee?", "the of"} {
		q.Requests = append(q.Requests, insightapi.Request{Type: insightapi.CustomPrompt, Message: message})
	}
	a, err := engine.New(source.NewReader(s.Deps), nil).Analyze(t.Context(), s.Text(agreement), q, &heard{})
	if err != nil {
		t.Fatal(err)
	}
	got := *a.Answer.CustomPrompt
	if len(got) < 3 || got[0].Message != q.Requests[0].Message || got[1].Message != q.Requests[1].Message || got[len(got)-1].Message != "the of" {
		t.Fatalf("got %+v", got)
	}
	for i, p := range got {
		unanswered := i == 0 || i == len(got)-1
		if (p.Value == nil) != unanswered || (p.Quote == nil) != unanswered || (p.PageNumber == nil) != unanswered || (p.ConfidenceScore == 0) != unanswered || p.Reasoning == nil {
			t.Errorf("%q: got %+v", p.Message, p)
		}
	}
	if *got[0].Reasoning == *got[len(got)-1].Reasoning {
		t.Error("a question without words has the reasoning of one with words")
	}
}
