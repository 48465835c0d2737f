package e2e

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/tests/harness"
)

// matchingDocument is an item of organization_matching_documents.
type matchingDocument struct {
	DocumentID      string  `json:"document_id"`
	Name            string  `json:"name"`
	Similarity      float64 `json:"similarity"`
	Reasoning       string  `json:"reasoning"`
	ConfidenceScore float64 `json:"confidence_score"`
}

// matching returns the documents that match a source. Each call is a new request, whose
// result is not cached.
func matching(t *testing.T, c *harness.Client, source, value string) map[string]matchingDocument {
	t.Helper()
	var answer struct {
		Matching []matchingDocument `json:"organization_matching_documents"`
	}
	c.Post("/insights", object{source: value, "insights": []object{{"type": "organization_matching_documents"}}, "context": time.Now().String()}).OK(&answer)
	found := map[string]matchingDocument{}
	for _, m := range answer.Matching {
		found[m.DocumentID] = m
	}
	return found
}

// matchUntil waits until exactly the documents match.
func matchUntil(t *testing.T, c *harness.Client, source, value string, want ...string) map[string]matchingDocument {
	t.Helper()
	var found map[string]matchingDocument
	for end := time.Now().Add(patience.Limit()); time.Now().Before(end); pause() {
		found = matching(t, c, source, value)
		right := len(found) == len(want)
		for _, id := range want {
			right = right && found[id].DocumentID == id
		}
		if right {
			return found
		}
	}
	t.Errorf("%s %.40q matches %v, want %v", source, value, found, want)
	return found
}

// TestMatchingDocuments uploads documents in every format that is read without a conversion,
// and waits until each finds the others. No insights about them were requested before.
// Another organization finds nothing, and a deleted document is no longer found.
func TestMatchingDocuments(t *testing.T) {
	s := harness.Start(t, harness.Options{Env: []string{"DOCUMENT_SEAL_EVERY=200ms"}})
	c, other := s.NewClient(t), s.NewClient(t)
	filled := strings.NewReplacer("USD 12,500.00", "EUR 99.90", "December 31, 2027", "May 1, 2031").Replace(agreementText)
	lines := strings.Split(strings.TrimSpace(agreementText), "\n")
	var paragraphs []harness.Paragraph
	for _, line := range lines {
		paragraphs = append(paragraphs, harness.Paragraph{Text: line})
	}
	text := upload(t, c, "a.txt", []byte(agreementText))
	word := upload(t, c, "a.docx", harness.DOCX(paragraphs...))
	portable := upload(t, c, "a.pdf", textPDF(wrapped(agreementText)...))
	page := upload(t, c, "a.html", []byte("<html><body><p>"+strings.Join(lines, "</p>\n<p>")+"</p></body></html>"))
	values := upload(t, c, "b.txt", []byte(filled))
	upload(t, c, "c.txt", []byte("An invoice for paper and pencils."))
	theirs := upload(t, other, "a.txt", []byte(agreementText))

	found := matchUntil(t, c, "document_id", text.ID, word.ID, portable.ID, page.ID, values.ID)
	for _, id := range []string{word.ID, page.ID} {
		if m := found[id]; m.Similarity != 1 || !strings.HasPrefix(m.Reasoning, "The text is the same") || m.ConfidenceScore < 0.9 {
			t.Errorf("a copy matches as %+v", m)
		}
	}
	if m := found[portable.ID]; m.Similarity < 0.5 { // its page has no room for the last lines
		t.Errorf("the PDF matches as %+v", m)
	}
	if m := found[values.ID]; m.Similarity < 0.5 || m.Similarity >= 1 || m.Name != values.Name {
		t.Errorf("the document with other values matches as %+v", m)
	}
	matchUntil(t, c, "doc_text", agreementText, text.ID, word.ID, portable.ID, page.ID, values.ID)
	matchUntil(t, other, "doc_text", agreementText, theirs.ID)
	matchUntil(t, other, "document_id", theirs.ID)

	c.Do(harness.Request{Method: http.MethodPatch, Path: "/documents/" + word.ID, Body: object{"name": "A new name"}}).OK(nil)
	c.Do(harness.Request{Method: http.MethodDelete, Path: "/documents/" + page.ID}).OK(nil)
	if m := matching(t, c, "document_id", text.ID); len(m) != 3 || m[word.ID].Name != "A new name" {
		t.Errorf("after a document was renamed and another deleted, %+v match", m)
	}
}

// wrapped returns a text in lines of at most 90 characters, which fit on a page.
func wrapped(text string) (lines []string) {
	line := ""
	for _, word := range strings.Fields(text) {
		if len(line)+len(word) > 90 {
			lines, line = append(lines, line), ""
		}
		line += word + " "
	}
	return append(lines, line)
}
