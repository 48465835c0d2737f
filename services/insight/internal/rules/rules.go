// Package rules is what Recto knows of contracts: rules that find in the structure
// of a document what it is called, what it is, when it holds, and what it is
// worth. Each answers with the text it rests on. They know no file and ask nobody.
package rules

import "github.com/rectohq/recto/libs/formats/layout"

// Version names what the rules find: it changes when the same document would be
// answered otherwise, so that what is kept of earlier ones is not used.
const Version = "3"

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
