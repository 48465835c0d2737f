package excerpt_test

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/libs/testkit/corpus"
	"github.com/rectohq/recto/services/insight/internal/evaluation"
	"github.com/rectohq/recto/services/insight/internal/llm/excerpt"
	"github.com/rectohq/recto/services/insight/internal/rules"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// annotated is the data set of ContractNLI: documents, and the passages that decide whether
// statements about them are true.
type annotated struct {
	Documents []annotatedDocument `json:"documents"`
	Labels    map[string]struct {
		Hypothesis string `json:"hypothesis"`
	} `json:"labels"`
}

// annotatedDocument is a document with its passages. Spans are in characters.
type annotatedDocument struct {
	Text  string   `json:"text"`
	Spans [][2]int `json:"spans"`
	Sets  []struct {
		Annotations map[string]struct {
			Spans []int `json:"spans"`
		} `json:"annotations"`
	} `json:"annotation_sets"`
}

// statements calls each for each statement that passages of the document decide.
func (a annotatedDocument) statements(each func(label string, evidence []layout.Span)) {
	var at []int
	for i := range a.Text {
		at = append(at, i)
	}
	at = append(at, len(a.Text))
	annotations := a.Sets[0].Annotations
	for _, label := range slices.Sorted(maps.Keys(annotations)) {
		var evidence []layout.Span
		for _, n := range annotations[label].Spans {
			evidence = append(evidence, layout.Span{Start: at[a.Spans[n][0]], End: at[a.Spans[n][1]]})
		}
		if len(evidence) > 0 {
			each(label, evidence)
		}
	}
}

// retrieved counts what is sent with one size.
type retrieved struct {
	size int
	// passages are those of all documents, found those that are sent; long and longFound
	// are those of documents that are longer than the size.
	passages, found, long, longFound int
	// sent and whole are the bytes that are sent, and those of the documents.
	sent, whole int
}

// String returns the row of a table.
func (r *retrieved) String() string {
	percent := func(part, all int) float64 { return 100 * float64(part) / float64(max(all, 1)) }
	return fmt.Sprintf("%6d bytes | %5.1f %% of %d | %5.1f %% of %d | %5.1f %%", r.size,
		percent(r.found, r.passages), r.passages, percent(r.longFound, r.long), r.long, percent(r.sent, r.whole))
}

func (r *retrieved) add(d *structure.Document, p excerpt.Part, evidence []layout.Span) {
	r.sent, r.whole = r.sent+len(p.Text(d)), r.whole+len(d.Text)
	for _, s := range evidence {
		in := slices.ContainsFunc(p.Spans, func(o layout.Span) bool { return o.Contains(trimmed(d.Text, s)) })
		r.passages, r.found = r.passages+1, r.found+count(in)
		if len(d.Text) > r.size {
			r.long, r.longFound = r.long+1, r.longFound+count(in)
		}
	}
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

// trimmed returns a span without white space at its ends.
func trimmed(text string, s layout.Span) layout.Span {
	s.Start = s.End - len(strings.TrimLeft(text[s.Start:s.End], " \n\t\r\f\u00a0"))
	s.End = s.Start + len(strings.TrimRight(text[s.Start:s.End], " \n\t\r\f\u00a0"))
	return s
}

// TestRelevantEvidence measures how many of the passages that decide statements are sent,
// by size, and fails if they become clearly fewer.
func TestRelevantEvidence(t *testing.T) {
	corpus.Folder(t, "contract-nli")
	path, _ := corpus.Path("contract-nli", "dev.json")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var all annotated
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	rows := []*retrieved{{size: 2000}, {size: 4000}, {size: 8000}, {size: 16000}}
	for _, a := range all.Documents {
		d := structure.Read(&layout.Document{Text: a.Text})
		q := rules.NewQuestions(d, "")
		a.statements(func(label string, evidence []layout.Span) {
			for _, r := range rows {
				r.add(d, excerpt.Relevant(d, q, all.Labels[label].Hypothesis, r.size), evidence)
			}
		})
	}
	t.Log("size | passages sent | of longer documents | bytes sent")
	for i, least := range []float64{0.55, 0.7, 0.9, 0.95} {
		t.Log(rows[i])
		if float64(rows[i].found) < least*float64(rows[i].passages) {
			t.Errorf("fewer than %v of the passages are sent", least)
		}
	}
}

// TestRelevantQuestions measures how many of the passages that answer questions in everyday words are
// sent, and fails if they become clearly fewer. Questions often have no word of the passage.
func TestRelevantQuestions(t *testing.T) {
	all, err := evaluation.ReadWritten("../../../../../tests/bench/written", "everyday-fit")
	if err != nil || len(all) == 0 {
		t.Fatalf("got %d contracts, error %v", len(all), err)
	}
	rows := []*retrieved{{size: 1000}, {size: 2000}}
	for _, w := range all {
		d := structure.Read(&layout.Document{Text: w.Text})
		q := rules.NewQuestions(d, "")
		for _, x := range w.Questions {
			if x.Quote == nil {
				continue
			}
			start := strings.Index(w.Text, *x.Quote)
			for _, r := range rows {
				r.add(d, excerpt.Relevant(d, q, x.Question, r.size), []layout.Span{{Start: start, End: start + len(*x.Quote)}})
			}
		}
	}
	t.Log("  size | passages sent | of longer documents | bytes sent")
	for i, r := range rows {
		t.Log(r)
		if least := []float64{0.5, 0.72}[i]; float64(r.found) < least*float64(r.passages) {
			t.Errorf("%d of %d passages are sent, want at least %.2f", r.found, r.passages, least)
		}
	}
}
