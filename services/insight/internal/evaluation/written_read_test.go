package evaluation_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rectohq/recto/services/insight/internal/evaluation"
)

// TestReadQuestions shows that questions and titles are read with the texts of the sets that they are about.
func TestReadQuestions(t *testing.T) {
	dir := t.TempDir()
	write := func(set, content string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, set+".jsonl"), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("sections-fit", `{"id":"a1","text":"CHARTER"}`+"\n"+`{"id":"a2","text":"LEASE"}`)
	write("questions-fit", `{"set":"sections-fit","id":"a2","questions":[{"question":"Which?","quote":"LEASE","value":null}]}`)
	all, err := evaluation.ReadWritten(dir, "questions-fit")
	if err != nil || len(all) != 1 || all[0].ID != "a2" || all[0].Text != "LEASE" || len(all[0].Questions) != 1 || *all[0].Questions[0].Quote != "LEASE" {
		t.Errorf("got %+v, %v", all, err)
	}
	write("titles-fit", `{"set":"sections-fit","id":"a1","title":"CHARTER"}`)
	if all, err = evaluation.ReadWritten(dir, "titles-fit"); err != nil || len(all) != 1 || all[0].Text != "CHARTER" || *all[0].Title != "CHARTER" {
		t.Errorf("got %+v, %v", all, err)
	}
	for content, want := range map[string]string{
		`{"set":"sections-fit","id":"a3","questions":[]}`: "a3",
		`{"set":"unknown","id":"a2","questions":[]}`:      "unknown.jsonl",
		`{"other":1}`: "other",
	} {
		write("questions-fit", content)
		if _, err := evaluation.ReadWritten(dir, "questions-fit"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got the error %v, want one about %s", content, err, want)
		}
	}
}
