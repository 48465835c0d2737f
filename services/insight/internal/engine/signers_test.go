package engine_test

import (
	"maps"
	"testing"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/services/insight/internal/domain"
	"github.com/rectohq/recto/services/insight/internal/engine"
	"github.com/rectohq/recto/services/insight/internal/source"
	"github.com/rectohq/recto/services/insight/internal/source/sourcetest"
)

// signerIDs returns the signer of each field by its label.
func signerIDs(t *testing.T, a insightapi.Answer) map[string]string {
	t.Helper()
	ids := map[string]string{}
	for _, f := range *a.DocumentFields {
		ids[*f.FieldLabel] = f.SignerID
		if (f.SignerIndex == nil) != (f.SignerID == "") {
			t.Errorf("%s has the signer %v, %q", *f.FieldLabel, f.SignerIndex, f.SignerID)
		}
	}
	return ids
}

// TestSignersOfWidgets shows that form fields, which are not part of the text, get the
// signer of the block of their labels, even if they are empty and the signers are not
// asked for.
func TestSignersOfWidgets(t *testing.T) {
	s := sourcetest.New(t, "signers-of-widgets")
	form := sourcetest.PDF{Pages: [][]string{{
		"SUPPLY AGREEMENT", "The monthly fee is:", "NORDEN PUMPS LTD", "By:", "Name:", "Title:", "SUDEN FARMS INC.", "By:", "Name:",
	}}}
	for name, line := range map[string]int{"fee": 1, "first signature": 3, "first name": 4, "first title": 5, "second signature": 7, "second name": 8} {
		value := ""
		if name == "second name" {
			value = "/V(Bo Lund)"
		}
		form.Widgets = append(form.Widgets, sourcetest.Widget{Name: name, Entries: "/FT/Tx/TU(" + name + ")" + value, Line: line})
	}
	q := domain.Question{Requests: []insightapi.Request{{Type: insightapi.DocumentFields}}}
	a, err := engine.New(source.NewReader(s.Deps), nil).Analyze(t.Context(), s.Fetched("a.pdf", "", form.Bytes()), q, &heard{})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"fee": "", "first signature": "signer-1", "first name": "signer-1", "first title": "signer-1", "second signature": "signer-2", "second name": "signer-2",
	}
	if got := signerIDs(t, a.Answer); !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestSignersOfControls shows that the content controls and blanks of a Word document get
// their signers.
func TestSignersOfControls(t *testing.T) {
	s := sourcetest.New(t, "signers-of-controls")
	s.Converted = sourcetest.PDF{Pages: [][]string{{"NORDEN PUMPS LTD"}}}.Bytes()
	body := sourcetest.Control("Fee", "agreementinput-fee", "USD 5") + sourcetest.Paragraph("", "NORDEN PUMPS LTD") +
		sourcetest.Paragraph("", "Signature: ____________") + sourcetest.Paragraph("", "Name: {{agreementinput-name;type=name;label=Printed name}}") +
		sourcetest.Paragraph("", "Title: ____________") + sourcetest.Paragraph("", "Date: ____________")
	q := domain.Question{Requests: []insightapi.Request{{Type: insightapi.DocumentFields}}}
	a, err := engine.New(source.NewReader(s.Deps), nil).Analyze(t.Context(), s.Fetched("a.docx", "", sourcetest.DOCX{Body: body}.Bytes()), q, &heard{})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"Fee": "", "Signature": "signer-1", "Printed name": "signer-1", "Title": "signer-1", "Date": "signer-1"}
	if got := signerIDs(t, a.Answer); !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestOwners shows that the signer of the caller's party is marked as the owner.
func TestOwners(t *testing.T) {
	s := sourcetest.New(t, "owners")
	text := "SUPPLY AGREEMENT\n\nNORDEN PUMPS LTD\n\nBy: ____________\nName: Ada Kern\n\nSUDEN FARMS INC.\n\nBy: ____________\nName: Bo Lund\n"
	for want, q := range map[string]domain.Question{
		"":         {},
		"Ada Kern": {Organization: "Norden Pumps"},
		"Bo Lund":  {Context: "We are Suden Farms."},
	} {
		q.Requests = []insightapi.Request{{Type: insightapi.DocumentSigners}}
		a, err := engine.New(source.NewReader(s.Deps), nil).Analyze(t.Context(), s.Text(text), q, &heard{})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, signer := range *a.Answer.DocumentSigners {
			if signer.IsAgreementOwner {
				got += signer.SignerFullName
			}
		}
		if len(*a.Answer.DocumentSigners) != 2 || got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
