package engine_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/services/insight/internal/domain"
	"github.com/rectohq/recto/services/insight/internal/engine"
	"github.com/rectohq/recto/services/insight/internal/source"
	"github.com/rectohq/recto/services/insight/internal/source/sourcetest"
)

// index is an engine.Index that records its calls. One document matches every text.
type index struct {
	calls     []string
	add, find error
}

// Add implements engine.Index.
func (x *index) Add(_ context.Context, m domain.Material, file documentapi.Content, text string) error {
	x.calls = append(x.calls, "add "+m.DocumentID+" "+file.Name+" "+text)
	return x.add
}

// Matches implements engine.Index.
func (x *index) Matches(_ context.Context, m domain.Material, text string) ([]insightapi.MatchingDocument, error) {
	x.calls = append(x.calls, "match "+m.DocumentID+" "+text)
	return []insightapi.MatchingDocument{{DocumentID: "doc_2"}}, x.find
}

// TestIndex shows that the text of a stored document is added to the index whatever is asked,
// and that matching documents are looked for if they are asked for.
func TestIndex(t *testing.T) {
	s := sourcetest.New(t, "index")
	stored := s.Stored(s.Put("a.pdf", "application/pdf", sourcetest.PDF{Pages: [][]string{{"A letter."}}}.Bytes()))
	added, matched, sent := "add doc_1 a.pdf A letter.\n", "match doc_1 A letter.\n", "match  Another text."
	down := errors.New("the store does not answer")
	for name, c := range map[string]struct {
		material domain.Material
		asked    insightapi.Type
		index    index
		calls    []string
		err      error
	}{
		"a document":      {stored, insightapi.MatchingDocuments, index{}, []string{added, matched}, nil},
		"another insight": {stored, insightapi.DocumentTitle, index{}, []string{added}, nil},
		"a text":          {s.Text("Another text."), insightapi.MatchingDocuments, index{}, []string{"add  document.txt Another text.", sent}, nil},
		"a title of text": {s.Text("Another text."), insightapi.DocumentTitle, index{}, nil, nil},
		"cannot be added": {stored, insightapi.MatchingDocuments, index{add: down}, []string{added}, down},
		"no matches":      {stored, insightapi.MatchingDocuments, index{find: down}, []string{added, matched}, down},
	} {
		q := domain.Question{Requests: []insightapi.Request{{Type: c.asked}}}
		a, err := engine.New(source.NewReader(s.Deps), nil).WithIndex(&c.index).Analyze(t.Context(), c.material, q, &heard{})
		if !errors.Is(err, c.err) || !slices.Equal(c.index.calls, c.calls) {
			t.Errorf("%s: the index heard %q, %v; want %q, %v", name, c.index.calls, err, c.calls, c.err)
		}
		found := a.Answer.MatchingDocuments
		if wanted := c.asked == insightapi.MatchingDocuments && c.err == nil; wanted != (found != nil) || wanted && (*found)[0].DocumentID != "doc_2" {
			t.Errorf("%s: the matching documents are %v", name, found)
		}
	}
}
