package harness_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/rectohq/recto/tests/harness"
)

var update = flag.Bool("update", false, "rewrite testdata")

// TestAgreement checks that the sample document of the tour and the tests matches
// its source.
func TestAgreement(t *testing.T) {
	want := harness.DOCX(
		harness.Paragraph{Style: "Title", Text: "Consulting Agreement"},
		harness.Paragraph{Text: "This Consulting Agreement is made on March 1, 2026 between Lindqvist & Söhne GmbH, Hafenstraße 12, 20457 Hamburg (the “Client”), and Zoë Ünal (the “Consultant”)."},
		harness.Paragraph{Style: "Heading1", Text: "1. Services"},
		harness.Paragraph{Text: "The Consultant advises the Client on the selection and introduction of a document service. The parties agree on the details of each engagement in writing."},
		harness.Paragraph{Style: "Heading1", Text: "2. Fees"},
		harness.Paragraph{Text: "The Client pays EUR 120.00 for each hour of work. Invoices are due within 30 days of receipt."},
		harness.Paragraph{Style: "Heading1", Text: "3. Term"},
		harness.Paragraph{Text: "This Agreement begins on the date above and ends on December 31, 2027. It renews for one year at a time unless a party gives notice of 60 days."},
		harness.Paragraph{Style: "Heading1", Text: "4. Confidentiality"},
		harness.Paragraph{Text: "Each party keeps the confidential information of the other secret for five years after the end of this Agreement."},
		harness.Paragraph{Style: "Heading1", Text: "5. Liability"},
		harness.Paragraph{Text: "The liability of either party is limited to EUR 50,000, except for intent and gross negligence."},
		harness.Paragraph{Style: "Heading1", Text: "6. Governing law"},
		harness.Paragraph{Text: "This Agreement is governed by the laws of Germany."},
		harness.Paragraph{Text: "Client: ______________________________        Consultant: ______________________________"},
	)
	isSample(t, "agreement.docx", want)
}

// TestContract checks that the contract of docs/tour.md, and the signature that
// fills it, match their sources.
func TestContract(t *testing.T) {
	isSample(t, "contract.docx", harness.Contract())
	isSample(t, "signature.png", harness.Signature())
}

// isSample fails t unless the file in testdata has the bytes that its source generates.
func isSample(t *testing.T, name string, want []byte) {
	t.Helper()
	path := filepath.Join(harness.Root(), "tests", "testdata", name)
	if *update {
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s differs from what its source generates (%v): run go test ./harness -update", path, err)
	}
}
