package e2e

import (
	"net/http"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/rectohq/recto/libs/testkit/corpus"
	"github.com/rectohq/recto/tests/harness"
)

// madeTimes are when documents were made; a file that does not say it has the time of
// its upload.
var madeTimes = regexp.MustCompile(`"create_datetime":[-+.0-9eE]+`)

// timeless returns an answer without what differs between copies of a document.
func timeless(t *testing.T, answer []byte) string {
	t.Helper()
	return madeTimes.ReplaceAllString(unsigned(t, answer), `"create_datetime":0`)
}

// TestInsightsOfCopiesAreTheSame asks for the same of a document twice, and of copies
// of it in every way that there is: none of these is answered with what was kept of
// another.
func TestInsightsOfCopiesAreTheSame(t *testing.T) {
	c := shared.NewClient(t)
	files := []string{filepath.Join(harness.Root(), "tests", "testdata", "contract.docx")}
	if dir, ok := corpus.Path("contracts/pdf"); ok {
		pdfs, _ := filepath.Glob(filepath.Join(dir, "*.pdf")) // the pattern is right
		files = append(files, pdfs[:min(4, len(pdfs))]...)
	} else {
		t.Log("NOT TESTED with PDF: the documents for benches are not there; RECTO_TEST_DATA names their folder")
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			content := readForeign(t, file)
			ask := func() object {
				return object{"document_id": upload(t, c, "a"+filepath.Ext(file), content).ID, "insights": everyInsight()}
			}
			send := func(body object, header, value string) *harness.Answer {
				return c.Do(harness.Request{Method: http.MethodPost, Path: "/insights", Body: body, Header: map[string]string{header: value}})
			}
			body := ask()
			want := timeless(t, c.Post("/insights", body).OK(nil).Body)
			for what, body := range map[string]object{"the same document": body, "a copy of it": ask()} {
				if again := timeless(t, c.Post("/insights", body).OK(nil).Body); again != want {
					t.Errorf("%s answers\n%.3000s\nand before\n%.3000s", what, again, want)
				}
			}
			events := send(plus(ask(), "stream", true), "Accept", harness.EventStream).OK(nil)
			if got := timeless(t, collected(t, events)); got != want {
				t.Errorf("the stream ends with\n%.3000s\nwithout one it is\n%.3000s", got, want)
			}
			lines := send(plus(ask(), "stream", true), "Accept", harness.JSONLines).OK(nil)
			if got := timeless(t, collected(t, lines)); !sameJSON(t, got, want) {
				t.Errorf("the lines end with\n%.3000s\nwithout a stream it is\n%.3000s", got, want)
			}
			var job accepted
			send(ask(), "Prefer", "respond-async").Accepted(&job)
			if got := timeless(t, resultOf(t, c, job.ID)); got != want {
				t.Errorf("the job answers\n%.3000s\nand a request\n%.3000s", got, want)
			}
		})
	}
}
