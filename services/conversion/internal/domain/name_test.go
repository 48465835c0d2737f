package domain

import (
	"encoding/base64"
	"io"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/formats/filetype"
	"github.com/rectohq/recto/libs/formats/filetype/filetypetest"
	"github.com/rectohq/recto/libs/problem"
)

// TestEngineName shows that a document is converted under its own name, and that no name leads
// out of its folder or is too long for a file.
func TestEngineName(t *testing.T) {
	long := strings.Repeat("ä", 200)
	for _, c := range []struct {
		name string
		t    filetype.Type
		want string
	}{
		{"Offer v1.2.docx", filetype.DOCX, "Offer v1.2.docx"}, {"Offer.DOCX", filetype.DOCX, "Offer.DOCX"}, {"Offer.doc", filetype.DOCX, "Offer.docx"},
		{"Offer", filetype.RTF, "Offer.rtf"}, {"Offer.xlsm", filetype.XLSX, "Offer.xlsx"}, {"prices.tsv", filetype.CSV, "prices.csv"},
		{"../../a.odt", filetype.ODT, "_.._a.odt"}, {".docx", filetype.DOCX, "document.docx"}, {`a\b` + "\n\xff.rtf", filetype.RTF, "a_b__.rtf"},
		{long + ".xls", filetype.XLS, strings.Repeat("ä", 90) + ".xls"},
		{"secret.txt", filetype.Text, "input.txt"}, {"a.htm", filetype.HTML, "input.html"},
	} {
		if got := engineName(c.name, c.t); got != c.want {
			t.Errorf("%q of %s is converted as %q, want %q", c.name, c.t, got, c.want)
		}
	}
}

// TestNameIsPartOfTheResult shows that the same content under another name is converted again
// if it may show its name.
func TestNameIsPartOfTheResult(t *testing.T) {
	w := newWorld(t)
	w.version(t, "a.rtf", `{\rtf1 x}`)
	first, _ := w.convertLatest(t)
	w.version(t, "b.rtf", `{\rtf1 x}`)
	second, _ := w.convertLatest(t)
	w.version(t, "a.rtf", `{\rtf1 x}`)
	third, _ := w.convertLatest(t)
	if first.Result.Key == second.Result.Key || first.Result.Key != third.Result.Key || w.engine.calls != 2 {
		t.Errorf("the results are %q, %q and %q after %d conversions", first.Result.Key, second.Result.Key, third.Result.Key, w.engine.calls)
	}
}

// refusals are the reasons why text is not converted, by name and content.
var refusals = []struct{ name, content, want string }{
	{"a.doc", "<html><p>x", "is HTML, which does not match its name; change the extension to .html"},
	{"a.png", `<svg xmlns="x"/>`, "is SVG, which does not match its name; change the extension to .svg"},
	{"a.xlsx", "a,b\n1,2\n", "is plain text, which does not match its name; change the extension to .csv if it is a table"},
	{"a.docx", "words", "is plain text, which does not match its name; change the extension to .txt if it is plain text"},
	{"a.doc", "<?xml version='1.0'?><w:wordDocument/>", "is XML, which does not match its name; open it with the program that made it, and save it as PDF"},
	{"a.doc", "From: x\nMIME-Version: 1.0\n\n", "is an e-mail or a web archive (MIME), which does not match its name"},
	{"a.xml", "<?xml version='1.0'?><x/>", "is XML, which cannot be converted; send a document of Word"},
	{"a.fodt", "<?xml version='1.0'?><office:document/>", "is XML, which cannot be converted"},
	{"a.eml", "Hello", "is an e-mail or a web archive (MIME), which cannot be converted"},
	{"a.ps", "%!PS-Adobe-3.0\n", "is PostScript, which cannot be converted"},
	{"a.txt", "\x96\x7b\x8c\x5f\x96\xf1\x82\xcd", `is text that is not UTF-8; save it as UTF-8, or send its charset in its type, for example "text/plain; charset=shift_jis"`},
	{"a.csv", "\xc4\xee\xe3\xee\xe2\xee\xf0,1\n", "is text that is not UTF-8; save it as UTF-8"},
	{"a.txt", "a\x00b\x00c\x00", "is text in UTF-16 without a byte order mark, not UTF-8; save it as UTF-8"},
	{"a.txt", "a\x00\x00\x00b\x00\x00\x00", "is text in UTF-32, not UTF-8; save it as UTF-8"},
	{"a.txt", "\x01\x02", "is of an unknown type, which cannot be converted"},
}

// TestTextRefusals shows that text which would become a page of garbage is refused, and that the
// reason says what to do.
func TestTextRefusals(t *testing.T) {
	w := newWorld(t)
	for _, c := range refusals {
		w.version(t, c.name, c.content)
		if _, err := w.Stored(t.Context(), principal, convert); !problem.Is(err, problem.InvalidRequest) || !strings.Contains(problem.Of(err).Detail, c.name+" "+c.want) {
			t.Errorf("%s with %q: got %v, want %q", c.name, c.content, err, c.want)
		}
	}
	if w.engine.calls != 0 {
		t.Errorf("the engine was called %d times", w.engine.calls)
	}
}

// TestCharset shows that the charset of a file's media type decides how its text is read, and is
// part of the result.
func TestCharset(t *testing.T) {
	w := newWorld(t)
	const agreement = "\x96\x7b\x8c\x5f\x96\xf1\x82\xcd" // in Shift-JIS
	w.version(t, "a.txt", agreement)
	w.versions[0][0].Type = "text/plain; charset=Shift_JIS"
	first, text := w.convertLatest(t)
	if text != "本契約は of "+string(filetype.Text) {
		t.Errorf("the text is %q", text)
	}
	w.version(t, "a.txt", agreement)
	w.versions[1][0].Type = "text/plain; charset=euc-kr"
	if _, err := w.Stored(t.Context(), principal, convert); !problem.Is(err, problem.InvalidRequest) || !strings.Contains(problem.Of(err).Detail, "is not text in euc-kr") {
		t.Errorf("with another charset: got %v", err)
	}
	w.version(t, "a.csv", "a\x00b\x00")
	w.versions[2][0].Type = "text/csv; charset=utf-16le"
	if second, text := w.convertLatest(t); text != "ab of "+string(filetype.CSV) || second.Result.Key == first.Result.Key {
		t.Errorf("UTF-16 is read as %q", text)
	}
	body := `{"file_base64":"data:text/plain;charset=shift_jis;base64,` + base64.StdEncoding.EncodeToString([]byte(agreement)) + `","filename":"a.txt"}`
	answer, err := w.Inline(t.Context(), principal, contract.Stream{Size: int64(len(body)), Body: strings.NewReader(body)})
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.(io.Closer).Close()
	got, err := io.ReadAll(answer.Body)
	if want := base64.StdEncoding.EncodeToString([]byte("本契約は of " + string(filetype.Text))); err != nil || !strings.Contains(string(got), want) {
		t.Errorf("inline: got %s, %v; want %q", got, err, want)
	}
}

// TestWorkbookWithPassword shows that a workbook which the engine cannot open is called
// encrypted if it is, and damaged otherwise.
func TestWorkbookWithPassword(t *testing.T) {
	w := newWorld(t)
	w.engine.err = ErrUnconvertible
	bof := append([]byte{0x09, 0x08, 16, 0}, make([]byte, 16)...)
	for want, next := range map[string][]byte{"is encrypted; remove its password first": {0x2F, 0, 0, 0}, "it is damaged": {0x42, 0, 0, 0}} {
		w.version(t, "a.xls", string(filetypetest.Compound("Workbook", append(bof, next...)...)))
		if _, err := w.Stored(t.Context(), principal, convert); !problem.Is(err, problem.InvalidRequest) || !strings.Contains(problem.Of(err).Detail, want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// TestBackground shows that a page loses the picture of its background, which is not fetched.
func TestBackground(t *testing.T) {
	w := newWorld(t)
	w.version(t, "a.html", `<body style="background:red url(logo.png)">words`)
	if _, text := w.convertLatest(t); strings.Contains(text, "logo.png") || !strings.Contains(text, "background:red") {
		t.Errorf("converted %q", text)
	}
}
