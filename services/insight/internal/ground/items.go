package ground

import (
	"math"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/services/insight/internal/rules"
)

// Item is an item of an answer that has a Place.
type Item interface {
	insightapi.Title | insightapi.TypeName | insightapi.Party | insightapi.Signer | insightapi.Field | insightapi.Clause |
		insightapi.PromptAnswer | insightapi.ContractValue | insightapi.Date | insightapi.Limit |
		insightapi.Renewal | insightapi.Payment
}

// Items returns the found items with their places. It leaves out items that cannot be
// placed. Only a field quotes the empty box before a choice. The result is never nil: an answer without
// items is an empty list.
func Items[T Item](g *Ground, found []rules.Found[T]) []T {
	items := make([]T, 0, len(found))
	for _, f := range found {
		if _, field := any(f.Item).(insightapi.Field); !field {
			f.Span = afterBox(g.doc.Text, f.Span)
		}
		place, ok := g.Place(f.Span)
		if !ok {
			continue
		}
		if f.Reasoning != "" {
			place.Reasoning = &f.Reasoning
		}
		place.ConfidenceScore = Confidence(f.Confidence)
		item := f.Item
		set(&item, place, g.Positions(f.Span))
		items = append(items, item)
	}
	return items
}

// confidenceSteps is the resolution of confidences. More digits would reflect the
// arithmetic and not the document.
const confidenceSteps = 1e4

// Confidence returns a confidence in the form used in answers: from 0 to 1, with at most
// four decimals.
func Confidence(c float64) float64 { return math.Round(clamp(c)*confidenceSteps) / confidenceSteps }

// set sets the place of an item and, if its type has them, its positions.
func set[T Item](item *T, place insightapi.Place, at []insightapi.Position) {
	switch i := any(item).(type) {
	case *insightapi.Title:
		i.Place = place
	case *insightapi.TypeName:
		i.Place = place
	case *insightapi.Party:
		i.Place, i.InsertionPositions = place, at
	case *insightapi.Signer:
		i.Place = place
	case *insightapi.Field:
		i.Place = place
	case *insightapi.Clause:
		i.Place, i.InsertionPositions = place, &at
	case *insightapi.PromptAnswer:
		i.Place, i.Quote = place, &place.Quote
	case *insightapi.ContractValue:
		i.Place, i.InsertionPositions = place, at
	case *insightapi.Date:
		i.Place, i.InsertionPositions = place, at
	case *insightapi.Limit:
		i.Place, i.InsertionPositions = place, at
	case *insightapi.Renewal:
		i.Place, i.InsertionPositions = place, at
	case *insightapi.Payment:
		i.Place = place
	}
}
