package structure

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rectohq/recto/libs/formats/layout"
)

// FuzzRead reads texts as plain text, as words on pages and as blocks.
func FuzzRead(f *testing.F) {
	f.Add("By:/s/Ada B. KernAda B. Kern\n\nBy: Isl J. Doe (John Doe) Name Ada Kern\n| Party | Name | Signature |\n|---|---|---|\n| A | Ada Kern | |\n\tA\tB\nSignature\t\t\nName\tAda Kern\tBo Lund\n")
	f.Add("1. Term. (a) It begins.\f2\n(b) \"End\" means the end (the \"End\").\n\nBy: /s/ A B   By: ____\nName: C\n\nEXHIBIT A\nARTICLE II\nFORM")
	f.Add("A  B  C\nD  E  F\nG  H  I\n\n\n\n\n\n3\n\nSource: X, 10-Q, 5/1/2019")
	f.Add("i.e. No. 5 \u00a7 4 “x” ‘’ ``'' \xff\xfe \u2028 ...")
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<16 {
			return
		}
		checkInvariants(t, "text", Read(&layout.Document{Text: text}))
		if utf8.ValidString(text) {
			checkInvariants(t, "words", Read(wordsOf(text)))
			checkInvariants(t, "blocks", Read(blocksOfLines(text)))
		}
	})
}

// wordsOf puts the words of a text on pages, at positions derived from its bytes.
func wordsOf(text string) *layout.Document {
	d := &layout.Document{Text: text, Pages: []layout.Page{{Width: 600, Height: 800}, {Width: 600, Height: 800}}}
	at, page := 0, 1
	for word := range strings.FieldsSeq(text) {
		at += strings.Index(text[at:], word)
		left, top := float64(at%97)/97, float64(at%89)/89
		if word[0] == '1' {
			page = page%3 + 1
		}
		d.Words = append(d.Words, layout.Word{
			Span: layout.Span{Start: at, End: at + len(word)}, Page: page,
			Box: layout.Box{Left: left, Top: top, Right: left + float64(len(word))/100, Bottom: top + 0.01},
		})
		at += len(word)
	}
	return d
}

// blocksOfLines makes a block of each line, with properties derived from its first bytes.
func blocksOfLines(text string) *layout.Document {
	d := &layout.Document{Text: text}
	at := 0
	for l := range strings.SplitSeq(text, "\n") {
		b := layout.Block{Span: layout.Span{Start: at, End: at + len(l)}}
		if len(l) > 3 {
			b.Heading, b.Label = int(l[0]%5)*int(l[1]%2), strings.ToValidUTF8(l[:3], "")
			b.Cell = layout.Cell{Table: int(l[1] % 3), Row: int(l[2] % 4), Column: int(l[3] % 4)}
			b.Role = []layout.Role{layout.Body, layout.Body, layout.Header, layout.Note}[l[2]%4]
		}
		d.Blocks = append(d.Blocks, b)
		at += len(l) + 1
	}
	return d
}

func TestLongTexts(t *testing.T) {
	for _, part := range []string{
		"1. A. ", "(a) ", "By: ", "\"A\" ", "(the \"A", "EXHIBIT A\n", "3\n", "A.   ", "    ", ". ", "Name: ____   ", "1.1 Title. Text of it. ", "\n\n\n\n\n4\n",
	} {
		d := Read(&layout.Document{Text: strings.Repeat(part, 1<<16/len(part))})
		checkInvariants(t, part, d)
	}
}
