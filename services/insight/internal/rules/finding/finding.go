// Package finding defines what every rule returns: an item with the text that supports
// it, the reason it was found, and a confidence.
package finding

import (
	"sort"

	"github.com/rectohq/recto/libs/formats/layout"
)

// MaxItems is the maximum number of items of one kind in an answer. Rules drop further
// items.
const MaxItems = 1000

// Found is an item with the text that supports it. The item is complete except for its
// Place and its positions, which are derived from Span.
type Found[T any] struct {
	Item T
	Span layout.Span
	// Reasoning explains in one sentence why the item was found. API clients see it.
	Reasoning string
	// Confidence is the probability that the item is correct, from 0 to 1.
	Confidence float64
}

// ByPlace sorts found by position in the text and keeps the first MaxItems.
func ByPlace[T any](found []Found[T]) []Found[T] {
	sort.SliceStable(found, func(i, j int) bool { return found[i].Span.Start < found[j].Span.Start })
	return found[:min(len(found), MaxItems)]
}
