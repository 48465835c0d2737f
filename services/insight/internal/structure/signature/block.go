package signature

import "github.com/rectohq/recto/libs/formats/layout"

// Block is the block in which one signs. What is not there is an empty span.
type Block struct {
	layout.Span
	// Party is for whom is signed, Name and Title are of who signs, Email and Date
	// as they are written there.
	Party, Name, Title, Email, Date layout.Span
	// Line is where is to be signed, with its label, where nobody has yet.
	Line layout.Span
	// Parts are the pieces of text that the block is made of, in the order in which they
	// were read: each label with its value, or with the blank for one. Blocks that stand
	// side by side share their Span, but no part.
	Parts []layout.Span
}
