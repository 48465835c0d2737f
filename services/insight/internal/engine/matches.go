package engine

import (
	"context"
	"slices"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/services/insight/internal/domain"
)

// match adds the document to the index, and finds the documents that match it if they are
// asked for.
func (a *analysis) match(ctx context.Context, index Index, m domain.Material, told domain.Listener) error {
	a.matches = []insightapi.MatchingDocument{}
	asked := slices.Contains(insightapi.Asked(a.question.Requests), insightapi.MatchingDocuments)
	if index == nil || m.DocumentID == "" && !asked {
		return nil
	}
	file, text := a.reading.Plain()
	if err := index.Add(ctx, m, file, text); err != nil || !asked {
		return err
	}
	return told.Idle(ctx, func() (err error) { // the document service is asked about each match
		a.matches, err = index.Matches(ctx, m, text)
		return err
	})
}
