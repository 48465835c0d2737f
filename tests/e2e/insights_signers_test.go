package e2e

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/rectohq/recto/tests/harness"
)

// signingInsights holds the parts of a response that are about signers.
type signingInsights struct {
	Signers []struct {
		Index *int   `json:"signer_index"`
		ID    string `json:"signer_id"`
		Name  string `json:"signer_full_name"`
		Owner bool   `json:"is_agreement_owner"`
	} `json:"document_signers"`
	Fields []signedField `json:"document_fields"`
}

// signedField is a field with the signer that it refers to.
type signedField struct {
	Index *int    `json:"signer_index"`
	ID    string  `json:"signer_id"`
	Label *string `json:"field_label"`
}

// supplyText returns an agreement of two parties with their signature blocks.
func supplyText(seller, buyer string) string {
	return "SUPPLY AGREEMENT\n\nMonthly fee: ____________\n\n" + seller + "\n\nSignature: ____________\nName: Ada Kern\nTitle: ____________\n\n" +
		buyer + "\n\nSignature: ____________\nName: Bo Lund\nDate: ____________\n"
}

// supplyDOCX returns the same agreement as a Word document.
func supplyDOCX(seller, buyer string) []byte {
	return harness.DOCX(
		harness.Paragraph{Text: "SUPPLY AGREEMENT"}, harness.Paragraph{Text: "Monthly fee: ____________"},
		harness.Paragraph{Text: seller}, harness.Paragraph{Text: "Signature: ____________"}, harness.Paragraph{Text: "Name: Ada Kern"}, harness.Paragraph{Text: "Title: ____________"},
		harness.Paragraph{Text: buyer}, harness.Paragraph{Text: "Signature: ____________"}, harness.Paragraph{Text: "Name: Bo Lund"}, harness.Paragraph{Text: "Date: ____________"},
	)
}

// askSigning requests insights of the types and decodes the parts about signers.
func askSigning(t *testing.T, c *harness.Client, body object, types ...string) (got signingInsights) {
	t.Helper()
	var insights []object
	for _, name := range types {
		insights = append(insights, object{"type": name})
	}
	if err := json.Unmarshal(c.Post("/insights", plus(body, "insights", insights)).OK(nil).Body, &got); err != nil {
		t.Fatal(err)
	}
	return got
}

// TestInsightsLinkFieldsToSigners checks that each field in a signature block refers to
// the signer of the block, whether signers are requested or not.
func TestInsightsLinkFieldsToSigners(t *testing.T) {
	c := shared.NewClient(t)
	seller, buyer := "NORDEN PUMPS LTD", "SUDEN FARMS INC."
	want := []string{"Monthly fee ", "Signature Ada Kern", "Title Ada Kern", "Signature Bo Lund", "Date Bo Lund"}
	for name, body := range map[string]object{
		"text": {"doc_text": supplyText(seller, buyer)}, "document": {"document_id": upload(t, c, "a.docx", supplyDOCX(seller, buyer)).ID},
	} {
		both := askSigning(t, c, body, "document_signers", "document_fields")
		if len(both.Fields) != len(want) {
			t.Fatalf("%s: %d fields, want %d", name, len(both.Fields), len(want))
		}
		for i, f := range both.Fields {
			if got := labelOf(f) + " " + signerOf(t, both, f); got != want[i] {
				t.Errorf("%s: field %d is %q, want %q", name, i, got, want[i])
			}
		}
		alone := askSigning(t, c, body, "document_fields")
		if len(alone.Signers) != 0 || fmt.Sprint(signersNamed(alone)) != fmt.Sprint(signersNamed(both)) {
			t.Errorf("%s: requested alone, the fields refer to %v; requested with signers, to %v", name, signersNamed(alone), signersNamed(both))
		}
	}
}

func labelOf(f signedField) string {
	if f.Label == nil {
		return ""
	}
	return *f.Label
}

// signerOf returns the name of the signer that a field refers to, "" for none.
func signerOf(t *testing.T, all signingInsights, f signedField) string {
	t.Helper()
	for _, s := range all.Signers {
		if s.ID == f.ID {
			if f.Index == nil || s.Index == nil || *f.Index != *s.Index {
				t.Errorf("the signer_index of field %s is not that of signer %s", labelOf(f), s.ID)
			}
			return s.Name
		}
	}
	if f.Index != nil || f.ID != "" {
		t.Errorf("field %s refers to an unknown signer %q", labelOf(f), f.ID)
	}
	return ""
}

// signersNamed returns the ids of the signers that the fields refer to.
func signersNamed(all signingInsights) (ids []string) {
	for _, f := range all.Fields {
		ids = append(ids, f.ID)
	}
	return ids
}

// TestInsightsKnowTheOwner checks that the agreement owner is the signer of the caller's
// organization, however its name is written, or of the party that context calls "we".
func TestInsightsKnowTheOwner(t *testing.T) {
	mark := rand.Text()[:8]
	c := shared.NewClient(t, "--organization", "Norden "+mark+" Pumps, Inc.")
	other := shared.NewClient(t)
	text := supplyText("NORDEN "+mark+" PUMPS LTD", "SUDEN FARMS INC.")
	d := upload(t, c, "a.docx", supplyDOCX("NORDEN "+mark+" PUMPS LTD", "SUDEN FARMS INC."))
	for name, tc := range map[string]struct {
		c    *harness.Client
		body object
		want string
	}{
		"the organization":             {c, object{"doc_text": text}, "Ada Kern"},
		"the organization, a document": {c, object{"document_id": d.ID}, "Ada Kern"},
		"another organization":         {other, object{"doc_text": text}, ""},
		"the context":                  {other, object{"doc_text": text, "context": "We are Suden Farms, and read this before we sign."}, "Bo Lund"},
		"a context about others":       {other, object{"doc_text": text, "context": "Suden Farms has sent this to us."}, ""},
	} {
		owners := ""
		got := askSigning(t, tc.c, tc.body, "document_signers")
		for _, s := range got.Signers {
			if s.Owner {
				owners += s.Name
			}
		}
		if len(got.Signers) != 2 || owners != tc.want {
			t.Errorf("%s: there are %d signers and the owner is %q, want 2 and %q", name, len(got.Signers), owners, tc.want)
		}
	}
}
