// Package finding owns what every rule returns: an item, with the text that it rests
// on, why it was found, and how sure that is.
package finding

import (
	"sort"

	"github.com/rectohq/recto/libs/formats/layout"
)

// MaxItems is how many items of a kind are found in a document; later ones are
// not.
const MaxItems = 1000

// Found is an item, and the text that it rests on. The item is complete but for
// its Place and its positions, which follow from Span.
type Found[T any] struct {
	Item T
	Span layout.Span
	// Reasoning says in a sentence why it was found.
	Reasoning string
	// Confidence is from 0 to 1: how probable it is that it is right.
	Confidence float64
}

// ByPlace puts what was found in the order of the text, and bounds it.
func ByPlace[T any](found []Found[T]) []Found[T] {
	sort.SliceStable(found, func(i, j int) bool { return found[i].Span.Start < found[j].Span.Start })
	return found[:min(len(found), MaxItems)]
}
