package docx_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/text/encoding/unicode"

	"github.com/rectohq/recto/libs/formats/docx"
)

func TestOpen(t *testing.T) {
	p := mustOpen(t, small(
		file{name: "word/"}, file{name: "word/media/image 1.png", body: "picture", stored: true},
		relationships("word/_rels/document.xml.rels",
			"rId1", office+"image", "media/image%201.png", "rId2", office+"image", "/word/media/IMAGE 1.png#x",
			"rId3", office+"image", "../word/./media/none.png", "rId4", office+"hyperlink", "mailto:a@b.c",
			"rId5", office+"hyperlink", "//host/x", "rId6", office+"hyperlink", "#bookmark", "rId7", office+"image", `..\..\word\document.xml?a/b`),
	)...)
	if p.Kind() != docx.Document || p.Main().Name != "word/document.xml" || p.Main().ContentType != mainType || !p.Main().XML {
		t.Errorf("%s with %+v", p.Kind(), p.Main())
	}
	var names []string
	for _, part := range p.Parts() {
		names = append(names, part.Name)
	}
	if want := []string{"[Content_Types].xml", "_rels/.rels", "word/document.xml", "word/media/image 1.png", "word/_rels/document.xml.rels"}; !slices.Equal(names, want) {
		t.Errorf("parts %q", names)
	}
	got, err := p.Relationships(p.Main())
	if err != nil {
		t.Fatal(err)
	}
	want := []docx.Relationship{
		{ID: "rId1", Type: office + "image", Target: "word/media/image%201.png"}, {ID: "rId2", Type: office + "image", Target: "word/media/IMAGE 1.png"},
		{ID: "rId3", Type: office + "image", Target: "word/media/none.png"}, {ID: "rId4", Type: office + "hyperlink", Target: "mailto:a@b.c", External: true},
		{ID: "rId5", Type: office + "hyperlink", Target: "//host/x", External: true}, {ID: "rId6", Type: office + "hyperlink", Target: "word/document.xml"},
		{ID: "rId7", Type: office + "image", Target: "word/document.xml"},
	}
	if !slices.Equal(got, want) {
		t.Errorf("relationships\n%+v, want\n%+v", got, want)
	}
	for _, rel := range got[:2] {
		part, ok := p.Part(rel.Target)
		if !ok || part.ContentType != "image/png" || part.XML || read(t, part.Open()) != "picture" {
			t.Errorf("%s: %+v", rel.ID, part)
		}
	}
	if _, ok := p.Part(got[2].Target); ok {
		t.Error("a part that does not exist was found")
	}
	if got, err := p.Relationships(p.Parts()[3]); err != nil || got != nil {
		t.Errorf("a part without relationships has %v, %v", got, err)
	}
}

// read reads the whole of a part.
func read(t testing.TB, body io.ReadCloser) string {
	t.Helper()
	defer body.Close()
	b, err := io.ReadAll(body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestKinds(t *testing.T) {
	for contentType, want := range map[string]docx.Kind{
		mainType: docx.Document, word + "template.main+xml": docx.Template, strings.ToUpper(mainType) + " ; charset=utf-8": docx.Document,
		"application/vnd.ms-word.document.macroEnabled.main+xml":         docx.MacroDocument,
		"application/vnd.ms-word.template.macroEnabledTemplate.main+xml": docx.MacroTemplate,
	} {
		files := small()
		files[0] = contentTypes("/word/document.xml", contentType)
		if p := mustOpen(t, files...); p.Kind() != want {
			t.Errorf("%s: %s", contentType, p.Kind())
		}
	}
}

// TestTolerated opens files with flaws that Word or LibreOffice accept.
func TestTolerated(t *testing.T) {
	types, rels, main := small()[0], small()[1], small()[2]
	named := func(f file, name string) file {
		f.name = name
		return f
	}
	external := relationships("_rels/.rels", "rId1", office+"officeDocument", "word/document.xml", "rId2", office+"x", "word/document.xml")
	external.body = strings.Replace(external.body, `Id="rId2"`, `Id="rId2" TargetMode="external"`, 1)
	utf16 := func(order unicode.Endianness, policy unicode.BOMPolicy, text string) string {
		out, err := unicode.UTF16(order, policy).NewEncoder().String(text)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	declared := strings.Replace(prolog, "UTF-8", "utf-16", 1) + body
	for name, files := range map[string][]file{
		"other letter case":                  {named(types, "[CONTENT_types].xml"), named(rels, "_RELS/.Rels"), named(main, "WORD/Document.XML")},
		"leading slashes":                    {named(types, "/[Content_Types].xml"), named(rels, "/_rels/.rels"), named(main, "/word/document.xml")},
		"backslashes":                        {types, named(rels, `_rels\.rels`), named(main, `word\document.xml`)},
		"percent-encoding":                   {types, rels, named(main, "word/%64ocument.xml"), {name: "100%.bin"}},
		"not packed":                         {types, rels, {name: main.name, body: main.body, stored: true}},
		"strict":                             {types, relationships("_rels/.rels", "rId1", strict+"officeDocument", "/word/document.xml"), main},
		"two relationships to the main part": {types, relationships("_rels/.rels", "a", office+"officeDocument", "word/document.xml", "b", office+"officeDocument", "/word/document.xml"), main},
		"an external relationship":           {types, external, main},
		"duplicate content types":            {contentTypes("/word/document.xml", mainType, "/WORD/document.xml", mainType, "/none.xml", "x/y"), rels, main},
		"no content type":                    small(file{name: "[trash]/0000.dat", body: "\xFF\xFF"}, file{name: "x", body: "y"}),
		"empty XML":                          small(file{name: "customXml/item1.xml"}),
		"an encrypted-looking name":          small(file{name: "EncryptedPackage", body: "x"}),
		"a path field of its own":            small(file{name: "a.bin", extra: pathField("a.bin", "a.bin")}),
		"a path field of another entry":      small(file{name: "a.bin", extra: pathField("b.bin", "c.bin")}),
		"odd extra fields":                   small(file{name: "a.bin", extra: "\x0a\x00\x02\x00xx\x99\x99\xff\xffx"}),
		"UTF-8 with a BOM":                   with("\xEF\xBB\xBF" + prolog + body),
		"no declaration":                     with(body),
		"a declaration in apostrophes":       with(strings.ReplaceAll(prolog, `"`, `'`) + body),
		"ASCII":                              with(strings.Replace(prolog, "UTF-8", "us-ascii", 1) + body),
		"UTF-16 LE":                          with(utf16(unicode.LittleEndian, unicode.UseBOM, declared)),
		"UTF-16 BE":                          with(utf16(unicode.BigEndian, unicode.UseBOM, declared)),
		"UTF-16 LE without a BOM":            with(utf16(unicode.LittleEndian, unicode.IgnoreBOM, declared)),
		"UTF-16 BE without a BOM":            with(utf16(unicode.BigEndian, unicode.IgnoreBOM, declared)),
		"UTF-16 that declares UTF-8":         with(utf16(unicode.LittleEndian, unicode.UseBOM, prolog+body)),
		"UTF-16 that declares nothing":       with(utf16(unicode.LittleEndian, unicode.UseBOM, body)),
		"UTF-16 content types":               {{name: types.name, body: utf16(unicode.LittleEndian, unicode.UseBOM, strings.Replace(types.body, "UTF-8", "UTF-16", 1))}, rels, main},
	} {
		t.Run(name, func(t *testing.T) {
			p := mustOpen(t, files...)
			if got := read(t, p.Main().OpenXML()); !strings.HasSuffix(got, body) || strings.HasPrefix(got, "\uFEFF") {
				t.Errorf("the text is %q", got)
			}
		})
	}
}

// TestEnds opens containers with unusual but valid ends.
func TestEnds(t *testing.T) {
	plain := container(t, small()...)
	commented := append(slices.Clone(plain), "hello"...)
	le.PutUint16(commented[len(plain)-2:], 5)
	for name, b := range map[string][]byte{
		"a comment": commented, "bytes after the end": append(slices.Clone(plain), "\r\n"...),
		"unnecessary ZIP64": widened(plain, func(_, _, _ []byte) {}),
		"ZIP64": widened(plain, func(_, _, end []byte) {
			copy(end[8:20], strings.Repeat("\xFF", 12))
		}),
	} {
		if p, err := open(b); err != nil || p.Check(t.Context()) != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestLargeEntry(t *testing.T) {
	wide := func(h []byte) { copy(h[20:28], "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF") }
	p := mustOpen(t, small(file{name: "a.bin", body: "abc", stored: true, central: wide, extra: "\x01\x00\x10\x00\x03\x00\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x00\x00\x00\x00"})...)
	if part, ok := p.Part("/A.BIN"); !ok || part.Size != 3 || read(t, part.Open()) != "abc" {
		t.Errorf("%+v", part)
	}
}

func TestClosed(t *testing.T) {
	p := mustOpen(t, small()...)
	for _, body := range []io.ReadCloser{p.Main().Open(), p.Main().OpenXML()} {
		if n, err := body.Read(nil); n != 0 || err != nil {
			t.Errorf("empty read: %d, %v", n, err)
		}
		if err := errors.Join(body.Close(), body.Close()); err != nil {
			t.Error(err)
		}
		if n, err := body.Read(make([]byte, 9)); n != 0 || err == nil {
			t.Errorf("after Close: %d, %v", n, err)
		}
	}
}

// TestRepair shows that a damaged theme is replaced, because a document is shown without it,
// and that a damaged part with text is refused.
func TestRepair(t *testing.T) {
	const theme, notes = "application/vnd.openxmlformats-officedocument.theme+xml", "application/vnd.openxmlformats-officedocument.wordprocessingml.footnotes+xml"
	for _, c := range []struct {
		contentType, body string
		sound, repaired   bool
	}{
		{theme, "<a:theme/>", true, false}, {theme, "<a:theme><a:", true, true}, {theme, `<!DOCTYPE a [<!ENTITY e SYSTEM "x">]><a>&e;</a>`, true, true},
		{theme, "", true, true}, {notes, "<a:", false, false},
	} {
		files := small(file{name: "word/more.xml", body: c.body})
		files[0] = contentTypes("/word/document.xml", mainType, "/word/more.xml", c.contentType)
		p, err := open(container(t, files...))
		if err == nil {
			err = p.Check(t.Context())
		}
		if (err == nil) != c.sound {
			t.Errorf("%q as %s: %v", c.body, c.contentType, err)
		}
		if err != nil {
			continue
		}
		edit, err := p.Repair(t.Context())
		if err != nil || (edit != nil) != c.repaired {
			t.Errorf("%q as %s is repaired: %v, %v", c.body, c.contentType, edit != nil, err)
		}
		if edit == nil {
			continue
		}
		var b bytes.Buffer
		if _, err := edit.WriteTo(&b); err != nil {
			t.Fatal(err)
		}
		again, err := open(b.Bytes())
		if err == nil {
			edit, err = again.Repair(t.Context())
		}
		if err != nil || edit != nil {
			t.Errorf("%q: the repaired package is repaired again, %v", c.body, err)
		}
	}
}

func TestCheckHonorsContext(t *testing.T) {
	p := mustOpen(t, small()...)
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	if err := p.Check(ctx); !errors.Is(err, why) {
		t.Errorf("got %v", err)
	}
}

// TestConcurrentUse is for the race detector.
func TestConcurrentUse(t *testing.T) {
	p := mustOpen(t, small()...)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if _, err := p.Relationships(nil); err != nil || p.Check(t.Context()) != nil {
				t.Errorf("%v", err)
			}
		})
	}
	all.Wait()
}
