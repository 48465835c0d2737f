package e2e

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/rectohq/recto/tests/harness"
)

// values returns a body for annotate. Pairs are field names, without the common prefix of
// all ids, and their values, in order.
func values(pairs ...any) string {
	var members []string
	for i := 0; i < len(pairs); i += 2 {
		value, _ := json.Marshal(pairs[i+1]) // cannot fail for strings, numbers and lists of them
		members = append(members, fmt.Sprintf(`"agreementinput-%s":{"value":%s}`, pairs[i], value))
	}
	return `{"field_values":{` + strings.Join(members, ",") + `}}`
}

// at returns the path and code of an error entry for the value of a field.
func at(name, code string) string { return "field_values.agreementinput-" + name + ".value " + code }

// form creates a document with a field of each type and returns the path of its annotate
// endpoint.
func form(t *testing.T, c *harness.Client) string {
	t.Helper()
	return "/documents/" + upload(t, c, "form.docx", formDOCX()).ID + "/annotate"
}

// formTags are the text tags of fields of each type.
var formTags = []string{
	"text;type=text;max=5", "name;type=name", "company;type=company", "address;type=address", "phone;type=phone", "email;type=email", "url;type=url",
	"number;type=number", "ssn;type=ssn", "gender;type=gender", "date;type=date", "checkbox;type=checkbox;options=A|B|C;min=1;max=2",
	"dropdown;type=dropdown;options=A|B", "image;type=image", "one-image;type=image;multiple=false", "signature;type=signature",
}

// formDOCX returns a document with a text tag for each field type.
func formDOCX() []byte {
	var paragraphs []harness.Paragraph
	for _, tag := range formTags {
		name, _, _ := strings.Cut(tag, ";")
		paragraphs = append(paragraphs, harness.Paragraph{Text: name + ": {{agreementinput-" + tag + "}}."})
	}
	return harness.DOCX(paragraphs...)
}

// dataURL returns a file as a data URL, the form in which values of images are sent.
func dataURL(mediaType string, content []byte) string {
	return "data:" + mediaType + ";base64," + base64.StdEncoding.EncodeToString(content)
}

// download returns the content at a presigned URL.
func download(t *testing.T, c *harness.Client, url string) []byte {
	t.Helper()
	a := c.Raw(http.MethodGet, url, nil, nil)
	if a.Status != http.StatusOK {
		t.Fatalf("the download returns %d %s", a.Status, a.Body)
	}
	return a.Body
}

// parts returns the parts of a DOCX by their names.
func parts(t *testing.T, docx []byte) map[string]string {
	t.Helper()
	entries, err := harness.Unzip(docx)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, entry := range entries {
		found[entry[0]] = entry[1]
	}
	return found
}

var (
	endOfParagraph = regexp.MustCompile(`</w:p>`)
	markup         = regexp.MustCompile(`<[^>]*>`)
)

// docxText returns the text of the main part of a DOCX, a line for each paragraph.
func docxText(t *testing.T, docx []byte) string {
	t.Helper()
	return markup.ReplaceAllString(endOfParagraph.ReplaceAllString(parts(t, docx)["word/document.xml"], "\n"), "")
}

// says fails t unless text contains all of the others.
func says(t *testing.T, text string, all ...string) {
	t.Helper()
	for _, want := range all {
		if !strings.Contains(text, want) {
			t.Errorf("the text lacks %q:\n%s", want, text)
		}
	}
}
