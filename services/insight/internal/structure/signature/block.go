package signature

import "github.com/rectohq/recto/libs/formats/layout"

// Block is a signature block. A missing part is an empty span.
type Block struct {
	layout.Span
	// Party is the party on whose behalf the block is signed. Name and Title are those of
	// the signer. Email and Date are as written there.
	Party, Name, Title, Email, Date layout.Span
	// TitleRest is the second line of a title that goes over two lines.
	TitleRest layout.Span
	// Others are further parties on whose behalf the same person signs here: a list of companies
	// above one signature.
	Others []layout.Span
	// Line is the blank signature line with its label, if the block is not signed yet.
	Line layout.Span
	// Parts are the pieces of text in the block, in the order in which they were read: each
	// label with its value, or with the blank for it. The Spans of blocks that are side by
	// side overlap, but their parts do not.
	Parts []layout.Span
}
