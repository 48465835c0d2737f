// Package structure finds the structure of a document: paragraphs, headings and numbered
// sections, sentences, definitions, tables, signature blocks and exhibits. Rules work on
// these, and never on raw text. The package depends on no file format and does not interpret
// the text.
//
// Three subpackages own separate parts: wording, how words are written and where sentences
// end; numbering, the numbers of paragraphs; and signature, the signature blocks.
package structure

import (
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/structure/signature"
)

// Version is the version of the result of Read. It changes when the same text would get
// another structure, so that stored results of earlier versions are not used.
const Version = "12"

// Document is the structure of a text. Spans are ranges of its Text. It is immutable.
type Document struct {
	*layout.Document
	// Paragraphs are in text order and do not overlap. The text between them is white
	// space, or margins.
	Paragraphs []Paragraph
	// Sections are in the order of their beginnings. Each is followed by its subsections.
	Sections []Section
	// Sentences are in text order. Each is within one paragraph.
	Sentences   []Sentence
	Definitions []Definition
	Tables      []Table
	Signatures  []Signature
	Exhibits    []Exhibit
	// Margins are headers, footers and page numbers, in text order. They may be within
	// paragraphs and sentences that continue after a page break.
	Margins []layout.Span

	segments []signature.Segment
}

// Kind is the kind of a paragraph.
type Kind string

// The kinds of paragraphs.
const (
	Body    Kind = "body"
	Heading Kind = "heading"
	Item    Kind = "item"   // a list item, or a numbered clause
	Cell    Kind = "cell"   // in a table
	Margin  Kind = "margin" // a header, a footer, a page number
	Note    Kind = "note"
)

// Paragraph is a paragraph. It may have several lines, and extend over several pages.
type Paragraph struct {
	layout.Span
	Kind Kind
	// Number is its number, such as "2.1" or "(a)", "" for none. It may be part of the
	// text, or added by the program that shows the file.
	Number string
	// Level is its depth in the numbering or, for a heading, among the headings. It counts
	// from 1; 0 means none.
	Level int
	// Section is the index of its innermost section, -1 for none.
	Section int
}

// Section is a heading with everything below it.
type Section struct {
	// Span is the whole section, including subsections.
	layout.Span
	// Number is the number of its heading, as in Paragraph, and Title the text of the
	// heading without the number. TitleSpan is the span of the title, empty for a section
	// without one.
	Number    string
	Title     string
	TitleSpan layout.Span
	// Level counts from 1.
	Level int
	// Parent is the index of the enclosing section, -1 for none.
	Parent int
}

// Sentence is a sentence, or a text that takes its place, such as a heading.
type Sentence struct {
	layout.Span
	// Paragraph is the index of its paragraph.
	Paragraph int
	// Lower is its text as wording.Lower returns it, truncated to MaxSentence bytes before. Most
	// rules read this.
	Lower string
}

// Definition is the definition of a term in the document.
type Definition struct {
	// Term is the term without quotation marks.
	Term     string
	TermSpan layout.Span
	// Span is the sentence that defines the term. For a term defined in parentheses, it is
	// the text before them that the term stands for.
	layout.Span
}

// Table is a table.
type Table struct {
	layout.Span
	// Rows holds the cells. An empty cell has an empty span.
	Rows [][]layout.Span
}

// Signature is a signature block. A missing part is an empty span.
type Signature = signature.Block

// Exhibit is an attachment of the document.
type Exhibit struct {
	layout.Span
	// Label is its label, such as "Exhibit A", and Title the text after the label.
	Label, Title string
}
