package docx_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/docx"
)

// written writes the edit and opens the result, which must be valid.
func written(t testing.TB, e *docx.Edit) ([]byte, *docx.Package) {
	t.Helper()
	var out bytes.Buffer
	n, err := e.WriteTo(&out)
	if err != nil || n != int64(out.Len()) {
		t.Fatalf("wrote %d of %d bytes: %v", n, out.Len(), err)
	}
	p, err := open(out.Bytes())
	if err == nil {
		err = p.Check(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), p
}

// raw returns, for each entry of a container, everything in its header and its data.
func raw(t testing.TB, b []byte) map[string]string {
	t.Helper()
	r, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, f := range r.File {
		body, err := f.OpenRaw()
		if err != nil {
			t.Fatal(err)
		}
		packed, err := io.ReadAll(body)
		if err != nil {
			t.Fatal(err)
		}
		h := f.FileHeader
		all[f.Name] = strings.Join([]string{string(packed), string(h.Extra), h.Comment, h.Modified.String(), string(rune(h.Method)), string(rune(h.Flags)), string(rune(h.CRC32 % 65536)), string(rune(h.ExternalAttrs))}, "\x00")
	}
	return all
}

// described returns an entry with a date, flags, a comment, attributes and an extra
// field.
func described(name, body string) file {
	change := func(at int) func([]byte) {
		return func(h []byte) {
			le.PutUint16(h[at:], 1<<11)
			le.PutUint32(h[at+4:], 0x5A21_6B3C)
		}
	}
	central := func(h []byte) {
		change(8)(h)
		le.PutUint32(h[38:], 0x20)
	}
	return file{name: name, body: body, local: change(6), central: central, extra: "\xCA\xFE\x02\x00ab"}
}

func TestEditNothing(t *testing.T) {
	b := container(t, small(described("word/ä.bin", strings.Repeat("packed", 100)), file{name: "word/"}, file{name: "word/media/a.png", body: "stored", stored: true})...)
	p, err := open(b)
	if err != nil {
		t.Fatal(err)
	}
	out, again := written(t, docx.NewEdit(p))
	before, after := raw(t, b), raw(t, out)
	if len(before) != len(after) {
		t.Errorf("%d entries became %d", len(before), len(after))
	}
	for name := range before {
		if name != "word/" && before[name] != after[name] {
			t.Errorf("%s: %q became %q", name, before[name], after[name])
		}
	}
	var names []string
	for _, part := range again.Parts() {
		names = append(names, part.Name)
	}
	if want := []string{"[Content_Types].xml", "_rels/.rels", "word/document.xml", "word/ä.bin", "word/media/a.png"}; !slices.Equal(names, want) {
		t.Errorf("parts %q", names)
	}
}

// TestEditStreamed copies a container written without seeking: the sizes follow the data.
func TestEditStreamed(t *testing.T) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range small() {
		entry, err := w.Create(f.name)
		if err == nil {
			_, err = io.WriteString(entry, f.body)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	p, err := open(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	out, _ := written(t, docx.NewEdit(p))
	if !bytes.Equal(out, b.Bytes()) {
		t.Error("the copy differs")
	}
	changed := docx.NewEdit(p)
	changed.Replace(p.Main(), []byte(body))
	out, again := written(t, changed)
	if got := read(t, again.Main().Open()); got != body {
		t.Errorf("the main part is %q", got)
	}
	if raw(t, out)["_rels/.rels"] != raw(t, b.Bytes())["_rels/.rels"] {
		t.Error("another part has changed")
	}
}

// bytesOf returns a Body with the text.
func bytesOf(s string) docx.Body {
	return docx.Body{Size: int64(len(s)), Open: func() io.Reader { return strings.NewReader(s) }}
}

func TestEditAdd(t *testing.T) {
	p := mustOpen(t, small(file{name: "word/header.xml", body: "<a/>"}, file{name: "word/media/Image1.PNG", body: "x"}, file{name: "other/part.xml", body: "<a/>"},
		relationships("word/_rels/document.xml.rels", "rId1", office+"header", "header.xml"))...)
	header, _ := p.Part("word/header.xml")
	other, _ := p.Part("other/part.xml")
	e := docx.NewEdit(p)
	name := e.Unused("word/media/image", "png")
	if name != "word/media/image2.png" {
		t.Errorf("unused is %s", name)
	}
	for name, contentType := range map[string]string{name: "image/png", "word/media/image1.jpeg": "image/jpeg", "word/media/b.xml": "image/svg+xml"} {
		if err := e.Add(name, contentType, bytesOf("<svg/>")); err != nil {
			t.Fatal(err)
		}
	}
	if got := e.Unused("word/media/image", "png"); got != "word/media/image3.png" {
		t.Errorf("unused is %s", got)
	}
	for _, from := range []*docx.Part{p.Main(), header, other, header} {
		if _, err := e.Relate(from, "image", name); err != nil {
			t.Fatal(err)
		}
	}
	out, again := written(t, e)
	for _, c := range []struct {
		from string
		ids  []string
	}{{"word/document.xml", []string{"rId1", "rId2"}}, {"word/header.xml", []string{"rId1", "rId2"}}, {"other/part.xml", []string{"rId1"}}} {
		from, _ := again.Part(c.from)
		list, err := again.Relationships(from)
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, rel := range list {
			ids = append(ids, rel.ID)
			if rel.IsOf("image") && (rel.Target != name || rel.External) {
				t.Errorf("%s leads to %s", c.from, rel.Target)
			}
		}
		if !slices.Equal(ids, c.ids) {
			t.Errorf("%s has %q, want %q", c.from, ids, c.ids)
		}
	}
	for name, want := range map[string]string{name: "image/png", "word/media/image1.jpeg": "image/jpeg", "word/media/b.xml": "image/svg+xml", "word/header.xml": "application/xml"} {
		if part, ok := again.Part(name); !ok || part.ContentType != want {
			t.Errorf("%s: %+v, want %s", name, part, want)
		}
	}
	r, err := zip.NewReader(bytes.NewReader(out), int64(len(out)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.File {
		if strings.HasPrefix(f.Name, "word/media/image") && (f.Method != zip.Store || f.Flags&8 != 0) {
			t.Errorf("%s has compression method %d and flags %d", f.Name, f.Method, f.Flags)
		}
	}
}

// TestEditStrict checks that relationships added to a strict document have strict types.
func TestEditStrict(t *testing.T) {
	files := small()
	files[1] = relationships("_rels/.rels", "rId1", strict+"officeDocument", "word/document.xml")
	p := mustOpen(t, files...)
	e := docx.NewEdit(p)
	if _, err := e.Relate(p.Main(), "image", "word/media/a.png"); err != nil {
		t.Fatal(err)
	}
	_, again := written(t, e)
	if list, err := again.Relationships(again.Main()); err != nil || len(list) != 1 || list[0].Type != strict+"image" {
		t.Errorf("%v, %v", list, err)
	}
}

// TestEditBroken adds bodies that do not have their declared size.
func TestEditBroken(t *testing.T) {
	broken := errors.New("broken")
	for name, body := range map[string]docx.Body{
		"short":  {Size: 3, Open: func() io.Reader { return strings.NewReader("ab") }},
		"long":   {Size: 1, Open: func() io.Reader { return strings.NewReader("ab") }},
		"broken": {Size: 3, Open: func() io.Reader { return io.MultiReader(strings.NewReader("a"), breaking{broken}) }},
	} {
		t.Run(name, func(t *testing.T) {
			e := docx.NewEdit(mustOpen(t, small()...))
			if err := e.Add("word/a.png", "image/png", body); err != nil {
				t.Fatal(err)
			}
			if _, err := e.WriteTo(io.Discard); err == nil || name == "broken" && !errors.Is(err, broken) {
				t.Errorf("WriteTo: %v", err)
			}
		})
	}
	p := mustOpen(t, small()...)
	if _, err := docx.NewEdit(p).WriteTo(breaking{broken}); !errors.Is(err, broken) {
		t.Errorf("WriteTo a broken writer: %v", err)
	}
}

// breaking fails on every call.
type breaking struct{ err error }

func (f breaking) Read([]byte) (int, error)  { return 0, f.err }
func (f breaking) Write([]byte) (int, error) { return 0, f.err }

func TestTextParts(t *testing.T) {
	p := mustOpen(t, small(
		file{name: "word/b.xml", body: "<b/>"}, file{name: "word/a.xml", body: "<a/>"}, file{name: "word/notes.xml", body: "<n/>"}, file{name: "word/ends.xml", body: "<e/>"},
		file{name: "word/header1.xml", body: "<h/>"}, file{name: "word/empty.xml"},
		relationships("word/_rels/document.xml.rels", "1", office+"endnotes", "ends.xml", "2", strict+"footnotes", "notes.xml", "3", office+"footer", "a.xml",
			"4", office+"header", "b.xml", "5", office+"header", "B.xml", "6", office+"header", "none.xml", "7", office+"header", "empty.xml", "8", office+"styles", "header1.xml"),
	)...)
	parts, err := p.TextParts()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, part := range parts {
		names = append(names, part.Name)
	}
	if want := []string{"word/document.xml", "word/b.xml", "word/a.xml", "word/notes.xml", "word/ends.xml"}; !slices.Equal(names, want) {
		t.Errorf("parts %q, want %q", names, want)
	}
}

// TestTree writes trees back: the results are equivalent XML.
func TestTree(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"markup":      {`<?xml version="1.0" encoding="UTF-8"?><!-- a --><a xmlns="u" b='1' a:c="&lt;&#10;&quot;'" xmlns:a="v"><?x y?><![CDATA[<&]]> <b/>&amp;&gt;&#13;` + "\n</a>", `<?xml version="1.0" encoding="UTF-8"?><!-- a --><a xmlns="u" b="1" a:c="&lt;&#xA;&quot;'" xmlns:a="v"><?x y?><![CDATA[<&]]> <b/>&amp;&gt;&#xD;` + "\n</a>"},
		"declaration": {"\xFF\xFE" + utf16le(`<?xml version="1.0" encoding="UTF-16"?><a>ä</a>`), `<?xml version="1.0" encoding="UTF-8" standalone="yes"?><a>ä</a>`},
		"BOM":         {"\xEF\xBB\xBF<a/>", "<a/>"},
	} {
		t.Run(name, func(t *testing.T) {
			p := mustOpen(t, with(c.text)...)
			tree, _, err := docx.ReadTree(p.Main(), 100)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := docx.WriteTree(tree); err != nil || string(got) != c.want {
				t.Errorf("got %q, %v; want %q", got, err, c.want)
			}
		})
	}
	many := strings.Repeat(`<a b0="" b1="" b2="" b3="" b4="" b5="" b6="" b7="" b8="" b9="" c0="" c1="" c2="" c3="" c4="" c5="" c6="" c7="" c8="" c9="">`, 101) + strings.Repeat("</a>", 101)
	for name, text := range map[string]string{"tags": "<a>" + strings.Repeat("<b/>", 1000) + "</a>", "names": "<a></b>", "entity": "<a>&b;</a>", "attributes": many} {
		p, err := open(container(t, with(text)...))
		if err != nil {
			t.Fatal(err)
		}
		_, _, err = docx.ReadTree(p.Main(), 900)
		if refusal := new(docx.Error); !errors.As(err, &refusal) || refusal.Part != "word/document.xml" || !strings.Contains(refusal.Reason, "word/document.xml") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// utf16le returns the text in UTF-16LE, without a byte order mark.
func utf16le(s string) string {
	var out []byte
	for _, c := range s {
		out = le.AppendUint16(out, uint16(c))
	}
	return string(out)
}
