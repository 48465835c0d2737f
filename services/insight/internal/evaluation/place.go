package evaluation

import (
	"errors"
	"fmt"
	"strings"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/ground"
)

// text is a document in which the places of items are looked up.
type text struct {
	*layout.Document
	// offsets holds the offset of each character, and the length of the text.
	offsets []int
}

// newText returns the text of d.
func newText(d *layout.Document) *text {
	t := &text{Document: d, offsets: make([]int, 0, len(d.Text)+1)}
	for at := range d.Text {
		t.offsets = append(t.offsets, at)
	}
	t.offsets = append(t.offsets, len(d.Text))
	return t
}

// bytes returns the range of characters p in bytes. It reports false if p is empty or
// outside the text.
func (t *text) bytes(p insightapi.Position) (layout.Span, bool) {
	if p.Start < 0 || p.Start >= p.End || p.End >= len(t.offsets) {
		return layout.Span{}, false
	}
	return layout.Span{Start: t.offsets[p.Start], End: t.offsets[p.End]}, true
}

// characters returns the length of a span in characters.
func (t *text) characters(s layout.Span) int { return len([]rune(t.Quote(s))) }

// item is what all items of an answer have in common.
type item struct {
	key   insightapi.Type
	place insightapi.Place
	// positions is nil if items of this key have none.
	positions []insightapi.Position
}

// find returns the span of an item. The error says what is wrong with its place.
func (t *text) find(i item) (layout.Span, error) {
	if i.positions == nil {
		return t.search(i.place)
	}
	if len(i.positions) != 1 {
		return layout.Span{}, fmt.Errorf("there are %d positions", len(i.positions))
	}
	s, ok := t.bytes(i.positions[0])
	if !ok || t.Quote(s) != i.place.Quote {
		return s, fmt.Errorf("the text from %d to %d is not the quote", i.positions[0].Start, i.positions[0].End)
	}
	return s, ground.Check(t.Document, s, i.place)
}

// search returns the first span that has the quote and the place of an item without
// positions.
func (t *text) search(p insightapi.Place) (layout.Span, error) {
	found, err := t.places(p, 1)
	if len(found) == 0 {
		return layout.Span{}, err
	}
	return found[0], nil
}

// places returns the spans that have the quote and the place of an item without positions,
// at most limit. The error says why there is none.
func (t *text) places(p insightapi.Place, limit int) (found []layout.Span, err error) {
	if p.Quote == "" {
		return nil, errors.New("there is no quote")
	}
	err = errors.New("the text does not contain the quote")
	for from := 0; len(found) < limit; {
		at := strings.Index(t.Text[from:], p.Quote)
		if at < 0 {
			break
		}
		s := layout.Span{Start: from + at, End: from + at + len(p.Quote)}
		if err = ground.Check(t.Document, s, p); err == nil {
			found = append(found, s)
		}
		from = s.Start + 1
	}
	return found, err
}

// inTurn finds items without positions whose quote may occur several times in a text.
type inTurn struct {
	*text
	// next is which place the next item with a quote has.
	next map[string]int
}

// find returns the span of the next item, false if it has none. Items are in the order of the
// text, so the first item with a quote has the first place with that quote, and the second
// item the second. If there are more items than places, because a sentence gives several,
// they begin with the first place again.
func (t *inTurn) find(p insightapi.Place) (layout.Span, bool) {
	found, _ := t.places(p, maxPlaces)
	if len(found) == 0 {
		return layout.Span{}, false
	}
	n := t.next[p.Quote]
	t.next[p.Quote]++
	return found[n%len(found)], true
}

// maxPlaces is the maximum number of places that are considered for a quote.
const maxPlaces = 100

// items returns the items of an answer that have a place: all but questions without an
// answer, and fields that are declared by the file and not quoted from its text.
func items(a *insightapi.Answer) []item {
	var all []item
	each(a.DocumentTitle, func(i insightapi.Title) { all = append(all, item{insightapi.DocumentTitle, i.Place, nil}) })
	each(a.DocumentType, func(i insightapi.TypeName) { all = append(all, item{insightapi.DocumentType, i.Place, nil}) })
	each(a.DocumentParties, func(i insightapi.Party) {
		all = append(all, item{insightapi.DocumentParties, i.Place, placed(i.InsertionPositions)})
	})
	each(a.DocumentSigners, func(i insightapi.Signer) { all = append(all, item{insightapi.DocumentSigners, i.Place, nil}) })
	each(a.DocumentFields, func(i insightapi.Field) {
		if i.Quote != "" {
			all = append(all, item{insightapi.DocumentFields, i.Place, nil})
		}
	})
	each(a.DocumentClauses, func(i insightapi.Clause) {
		all = append(all, item{insightapi.DocumentClauses, i.Place, listed(i.InsertionPositions)})
	})
	each(a.CustomPrompt, func(i insightapi.PromptAnswer) {
		if answered(i) {
			all = append(all, item{insightapi.CustomPrompt, i.Place, nil})
		}
	})
	each(a.ContractValues, func(i insightapi.ContractValue) {
		all = append(all, item{insightapi.ContractValues, i.Place, placed(i.InsertionPositions)})
	})
	each(a.DocumentDates, func(i insightapi.Date) {
		all = append(all, item{insightapi.DocumentDates, i.Place, placed(i.InsertionPositions)})
	})
	each(a.LimitOfLiability, func(i insightapi.Limit) {
		all = append(all, item{insightapi.LimitOfLiability, i.Place, placed(i.InsertionPositions)})
	})
	each(a.RenewalTermLength, func(i insightapi.Renewal) {
		all = append(all, item{insightapi.RenewalTermLength, i.Place, placed(i.InsertionPositions)})
	})
	each(a.Payments, func(i insightapi.Payment) { all = append(all, item{insightapi.Payments, i.Place, nil}) })
	return all
}

// answered reports whether an item answers its question.
func answered(i insightapi.PromptAnswer) bool { return i.Value != nil }

// each calls f for the items of a list, nil for none.
func each[T any](list *[]T, f func(T)) {
	for _, i := range listed(list) {
		f(i)
	}
}

// listed returns a list that is not nil.
func listed[T any](list *[]T) []T {
	if list == nil {
		return []T{}
	}
	return placed(*list)
}

// placed returns a list that is not nil, so that an item that lacks its positions differs
// from one whose type has none.
func placed[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
