package e2e

import (
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/rectohq/recto/libs/testkit/corpus"
	"github.com/rectohq/recto/tests/harness"
)

// madeTimes matches creation times. A file without one gets the time of its upload.
var madeTimes = regexp.MustCompile(`"create_datetime":[-+.0-9eE]+`)

// timeless returns a response without the parts that differ between copies of a document.
func timeless(t *testing.T, answer []byte) string {
	t.Helper()
	return madeTimes.ReplaceAllString(unsigned(t, answer), `"create_datetime":0`)
}

// TestInsightsOfCopiesAreTheSame requests the same insights about a document twice, and
// about copies of it in every possible way. All results are the same although those of
// copies are not served from the cache.
func TestInsightsOfCopiesAreTheSame(t *testing.T) {
	c := shared.NewClient(t)
	files := []string{filepath.Join(harness.Root(), "tests", "testdata", "contract.docx")}
	if dir, ok := corpus.Path("contracts/pdf"); ok {
		pdfs, _ := filepath.Glob(filepath.Join(dir, "*.pdf")) // cannot fail: the pattern is valid
		files = append(files, pdfs[:min(4, len(pdfs))]...)
	} else {
		t.Log("NOT TESTED with PDF: the benchmark documents are missing; set RECTO_TEST_DATA to their folder")
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			content := readForeign(t, file)
			asked := slices.DeleteFunc(everyInsight(), func(o object) bool { return o["type"] == "organization_matching_documents" }) // copies match
			ask := func() object {
				return object{"document_id": upload(t, c, "a"+filepath.Ext(file), content).ID, "insights": asked}
			}
			send := func(body object, header, value string) *harness.Answer {
				return c.Do(harness.Request{Method: http.MethodPost, Path: "/insights", Body: body, Header: map[string]string{header: value}})
			}
			body := ask()
			want := timeless(t, c.Post("/insights", body).OK(nil).Body)
			for what, body := range map[string]object{"the same document": body, "a copy of it": ask()} {
				if again := timeless(t, c.Post("/insights", body).OK(nil).Body); again != want {
					t.Errorf("%s gives\n%.3000s\nwant\n%.3000s", what, again, want)
				}
			}
			events := send(plus(ask(), "stream", true), "Accept", harness.EventStream).OK(nil)
			if got := timeless(t, collected(t, events)); got != want {
				t.Errorf("the event stream ends with\n%.3000s\nwant\n%.3000s", got, want)
			}
			lines := send(plus(ask(), "stream", true), "Accept", harness.JSONLines).OK(nil)
			if got := timeless(t, collected(t, lines)); !sameJSON(t, got, want) {
				t.Errorf("the JSON lines end with\n%.3000s\nwant\n%.3000s", got, want)
			}
			var job accepted
			send(ask(), "Prefer", "respond-async").Accepted(&job)
			if got := timeless(t, resultOf(t, c, job.ID)); got != want {
				t.Errorf("the job returns\n%.3000s\nwant\n%.3000s", got, want)
			}
		})
	}
}
