// Package structure owns what a document is made of, above its letters:
// paragraphs, headings and numbered sections, sentences, definitions, tables,
// signature blocks and exhibits. Rules work on these, and never on raw text. It
// knows no file format and looks for no meaning.
//
// Three packages below it own what can be told apart from the rest: wording, how words
// are written and where sentences end; numbering, the numbers that count paragraphs;
// and signature, the blocks in which one signs.
package structure

import (
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/structure/signature"
)

// Version names what Read finds: it changes when the same text would have another
// structure, so that what is kept of earlier ones is not used.
const Version = "3"

// Document is the structure of a text. Spans are ranges of its Text. It does not
// change once it was made.
type Document struct {
	*layout.Document
	// Paragraphs are in the order of the text and apart. Text between them is white
	// space, or what repeats on every page.
	Paragraphs []Paragraph
	// Sections are in the order of their beginnings; each is followed by those in
	// it.
	Sections []Section
	// Sentences are in the order of the text; each lies in one paragraph.
	Sentences   []Sentence
	Definitions []Definition
	Tables      []Table
	Signatures  []Signature
	Exhibits    []Exhibit
	// Margins are what repeats on every page, in the order of the text: also within
	// paragraphs and sentences that go on over the end of a page.
	Margins []layout.Span
}

// Kind is what a paragraph is.
type Kind string

// The kinds of paragraphs.
const (
	Body    Kind = "body"
	Heading Kind = "heading"
	Item    Kind = "item"   // of a list, or a numbered clause
	Cell    Kind = "cell"   // of a table
	Margin  Kind = "margin" // a header, a footer, a page number
	Note    Kind = "note"
)

// Paragraph is a paragraph, which may have several lines, on several pages.
type Paragraph struct {
	layout.Span
	Kind Kind
	// Number is what counts it, as "2.1" or "(a)", "" for none. It may be part of
	// the text, or be put before it by the program that shows the file.
	Number string
	// Level is how deep it is in the numbering or, of a heading, among the
	// headings, from 1; 0 is none.
	Level int
	// Section is the index of the innermost section that it belongs to, -1 for
	// none.
	Section int
}

// Section is a heading with all that belongs to it.
type Section struct {
	// Span is the whole section with those in it.
	layout.Span
	// Number is as that of a paragraph, Title the text of the heading without it.
	// TitleSpan is where the title stands: it is empty for a section without one.
	Number    string
	Title     string
	TitleSpan layout.Span
	// Level is from 1.
	Level int
	// Parent is the index of the section around it, -1 for none.
	Parent int
}

// Sentence is a sentence, or what stands for one, as a heading.
type Sentence struct {
	layout.Span
	// Paragraph is the index of its paragraph.
	Paragraph int
}

// Definition says what a term means in the document.
type Definition struct {
	// Term is without its quotation marks.
	Term     string
	TermSpan layout.Span
	// Span is the sentence that defines it or, where a term is defined in
	// parentheses, the text before these that it stands for.
	layout.Span
}

// Table is a table.
type Table struct {
	layout.Span
	// Rows hold the cells. An empty cell has an empty span.
	Rows [][]layout.Span
}

// Signature is the block in which one signs. What is not there is an empty span.
type Signature = signature.Block

// Exhibit is what is attached to the document.
type Exhibit struct {
	layout.Span
	// Label is what it is called, as "Exhibit A", and Title what follows that.
	Label, Title string
}
