package bench

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/testkit/pdfforms"
	"github.com/rectohq/recto/tests/harness"
)

// TestBenchPages prints the time of page images, rendered and kept, against GET of the same
// document, and that of page 1,000 of a long document against page 1.
func TestBenchPages(t *testing.T) {
	s := start(t)
	client := &http.Client{Transport: s.Transport()}
	defer client.CloseIdleConnections()
	contract, err := os.ReadFile(filepath.Join(harness.Root(), "tests", "testdata", "contract.docx"))
	if err != nil {
		t.Fatal(err)
	}
	url := stored(t, s, "a.docx", contract)
	read := func(int) *http.Request { return get(t, url, s.APIKey) }
	image := func(width, page int) *http.Request {
		return get(t, fmt.Sprintf("%s/pages/%d.png?width=%d", url, page, width), s.APIKey)
	}
	run(t, client, 1, 1, func(int) *http.Request { return image(999, 1) }) // converts
	run(t, client, 50, 1, read)                                            // warm
	base := run(t, client, 200, 1, read)
	t.Logf("%-22s %s", "GET document", base)
	// Each width is another image, of about the same size.
	cold := run(t, client, 40, 1, func(i int) *http.Request { return image(1000+i, 1) })
	t.Logf("%-22s %s", "page image, rendered", cold.against(base))
	t.Logf("%-22s %s", "page image, kept", run(t, client, 200, 1, func(i int) *http.Request { return image(1000+i%40, 1) }).against(base))
	t.Logf("%-22s %s", "page image, 20 clients", run(t, client, 400, 20, func(i int) *http.Request { return image(1000+i%40, 1) }).against(base))
	words := func(int) *http.Request { return get(t, url+"/pages/1/words", s.APIKey) }
	run(t, client, 1, 1, words)
	t.Logf("%-22s %s", "words, kept", run(t, client, 200, 1, words).against(base))

	url = stored(t, s, "a.pdf", longPDF(2000))
	run(t, client, 1, 1, func(int) *http.Request { return image(999, 1) })
	first := run(t, client, 20, 1, func(i int) *http.Request { return image(1000+i, 1) })
	t.Logf("%-22s %s", "page 1 of 2,000", first.against(base))
	t.Logf("%-22s %s", "page 1,000 of 2,000", run(t, client, 20, 1, func(i int) *http.Request { return image(1000+i, 1000) }).against(first))
}

// stored creates a document with a file and returns its URL.
func stored(t *testing.T, s *harness.System, name string, content []byte) string {
	t.Helper()
	c := s.Client(t)
	var d struct {
		ID    string
		Files []struct {
			UploadURL string `json:"upload_url"`
		}
	}
	c.Post("/documents", map[string]any{"name": name, "files": []any{map[string]any{"name": name, "type": "a/b"}}}).OK(&d)
	if a := c.Raw(http.MethodPut, d.Files[0].UploadURL, content, nil); a.Status != http.StatusOK {
		t.Fatalf("upload: %d %s", a.Status, a.Body)
	}
	return s.BaseURL + "/documents/" + d.ID
}

// longPDF returns a PDF with a number of pages of forty lines.
func longPDF(pages int) []byte {
	var kids strings.Builder
	objects := []string{"<</Type/Catalog/Pages 2 0 R>>", "", "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"}
	for i := range pages {
		fmt.Fprintf(&kids, "%d 0 R ", 4+2*i)
		content := "BT /F 10 Tf 14 TL 72 740 Td\n" + strings.Repeat(fmt.Sprintf("(Page %d: the Supplier shall pay within thirty days of the invoice.) Tj T*\n", i+1), 40) + "ET"
		objects = append(objects,
			fmt.Sprintf("<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<</Font<</F 3 0 R>>>>/Contents %d 0 R>>", 5+2*i),
			fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", len(content), content))
	}
	objects[1] = fmt.Sprintf("<</Type/Pages/Count %d/Kids[%s]>>", pages, kids.String())
	return pdfforms.Assemble("/Root 1 0 R", objects...)
}
