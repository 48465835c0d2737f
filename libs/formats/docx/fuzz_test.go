package docx_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/docx"
	"github.com/rectohq/recto/libs/testkit/corpus"
)

// counting counts the bytes read through it.
type counting struct {
	io.ReaderAt
	bytes int64
}

func (c *counting) ReadAt(b []byte, offset int64) (int, error) {
	n, err := c.ReaderAt.ReadAt(b, offset)
	c.bytes += int64(n)
	return n, err
}

// tight returns limits that a fuzzer reaches.
func tight() docx.Limits {
	return docx.Limits{
		Entries: 20, DirectoryBytes: 4 << 10, PartBytes: 64 << 10, TotalBytes: 256 << 10, XMLBytes: 32 << 10, IndexBytes: 8 << 10,
		Ratio: 50, RatioFrom: 1 << 10, Depth: 9, Attributes: 9, NameBytes: 100,
	}
}

// FuzzOpen checks that nothing panics, that every refusal has a reason, that the bytes
// read and unpacked stay within the limits, and that archive/zip finds the same content
// in every admitted file.
func FuzzOpen(f *testing.F) {
	f.Add(container(f, small()...))
	f.Add(container(f, small(file{name: "word/media/a.png", body: "x", stored: true}, file{name: "word/"}, relationships("word/_rels/document.xml.rels", "a", office+"image", "media/a.png"))...))
	f.Add(widened(container(f, small()...), func(_, _, _ []byte) {}))
	f.Add(container(f, small(file{name: "a.bin", body: strings.Repeat("x", 2000), extra: pathField("a.bin", "b.bin")})...))
	f.Add(container(f, with("\xFF\xFE<\x00a\x00/\x00>\x00")...))
	f.Add(container(f, with("<!DOCTYPE a><a/>")...))
	f.Fuzz(func(t *testing.T, b []byte) {
		limits := tight()
		r := &counting{ReaderAt: bytes.NewReader(b)}
		p, err := docx.Open(r, int64(len(b)), limits)
		if most := 66_000 + limits.DirectoryBytes + int64(limits.Entries*(30+limits.NameBytes)) + 2*int64(len(b)); r.bytes > most {
			t.Errorf("Open reads %d bytes of %d", r.bytes, len(b))
		}
		if err == nil {
			checkAdmitted(t, p, b, limits)
			r.bytes = 0
			if err = p.Check(context.Background()); r.bytes > int64(len(b)) {
				t.Errorf("Check reads %d bytes of %d", r.bytes, len(b))
			}
		}
		if refusal := new(docx.Error); err != nil && (!errors.As(err, &refusal) || refusal.Reason == "") {
			t.Errorf("refused without a reason: %v", err)
		}
	})
}

// FuzzContents is FuzzOpen for the contents of a valid container, which a fuzzer cannot
// change because of the checksums.
func FuzzContents(f *testing.F) {
	files := small(relationships("word/_rels/document.xml.rels", "a", office+"image", "../media/%61.png", "b", office+"hyperlink", "mailto:x"))
	f.Add("word/media/a.png", []byte(files[0].body), []byte(files[1].body), []byte(files[2].body), []byte(files[3].body))
	f.Add(`\a\b`, []byte(files[0].body), []byte(files[1].body), []byte("\xFE\xFF\x00<\x00a\x00/\x00>"), []byte("<?xml encoding='utf-8'?><a/>"))
	f.Fuzz(func(t *testing.T, name string, types, rels, main, mainRels []byte) {
		if len(name) > 200 {
			return
		}
		b := container(t, file{name: "[Content_Types].xml", body: string(types), stored: true}, file{name: "_rels/.rels", body: string(rels), stored: true},
			file{name: "word/document.xml", body: string(main), stored: true}, file{name: "word/_rels/document.xml.rels", body: string(mainRels), stored: true}, file{name: name, body: "x", stored: true})
		p, err := docx.Open(bytes.NewReader(b), int64(len(b)), tight())
		if err == nil {
			checkAdmitted(t, p, b, tight())
			err = p.Check(context.Background())
		}
		if refusal := new(docx.Error); err != nil && (!errors.As(err, &refusal) || refusal.Reason == "") {
			t.Errorf("refused without a reason: %v", err)
		}
	})
}

// checkAdmitted compares all parts with what archive/zip reads.
func checkAdmitted(t *testing.T, p *docx.Package, b []byte, limits docx.Limits) {
	if p.Main() == nil || p.Kind() == "" {
		t.Error("a package without a main part was admitted")
	}
	var total int64
	found := map[string]string{}
	for _, part := range p.Parts() {
		if got, ok := p.Part(part.Name); !ok || got != part {
			t.Errorf("%q is not found", part.Name)
		}
		if _, err := p.Relationships(part); err != nil && !errors.As(err, new(*docx.Error)) {
			t.Errorf("relationships of %q: %v", part.Name, err)
		}
		content, err := io.ReadAll(part.Open())
		if total += int64(len(content)); int64(len(content)) > min(part.Size, limits.PartBytes) || total > limits.TotalBytes {
			t.Errorf("%q has %d bytes, %d in all parts", part.Name, len(content), total)
		}
		if err == nil {
			found[part.Name] = string(content)
		}
	}
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		t.Fatalf("archive/zip does not open it: %v", err)
	}
	for _, f := range z.File {
		want, ok := found[strings.TrimLeft(strings.ReplaceAll(f.Name, `\`, "/"), "/")]
		if !ok {
			continue
		}
		body, err := f.Open()
		if err != nil {
			t.Fatalf("archive/zip does not open %q: %v", f.Name, err)
		}
		if got, err := io.ReadAll(body); err == nil && string(got) != want {
			t.Errorf("archive/zip reads %q as %q, not %q", f.Name, got, want)
		}
	}
}

// TestRealFiles opens the Word files of the corpus. Some of them are damaged on purpose,
// so the test only logs which ones are refused. It fails if a refusal has no reason or if
// most files are refused.
func TestRealFiles(t *testing.T) {
	folder := corpus.Folder(t)
	var admitted, refusals int
	err := filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if err != nil || !slices.Contains([]string{".docx", ".docm", ".dotx", ".dotm"}, strings.ToLower(filepath.Ext(path))) {
			return err
		}
		var refusal *docx.Error
		switch err := openFile(t, path); {
		case err == nil:
			admitted++
		case errors.As(err, &refusal) && refusal.Reason != "":
			refusals++
			t.Logf("%s: %v", filepath.Base(path), err)
		default:
			t.Errorf("%s: %v", path, err)
		}
		return nil
	})
	t.Logf("%d files admitted, %d refused", admitted, refusals)
	if err != nil || admitted <= refusals {
		t.Errorf("%d of %d files refused, %v", refusals, admitted+refusals, err)
	}
}

// openFile opens and checks a file, and follows all its relationships.
func openFile(t *testing.T, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	p, err := docx.Open(f, info.Size(), docx.DefaultLimits())
	if err != nil {
		return err
	}
	for _, part := range p.Parts() {
		if _, err := p.Relationships(part); err != nil {
			return err
		}
	}
	return p.Check(t.Context())
}

// BenchmarkCheck measures how fast a document of some MB is unpacked and scanned. It is
// larger than real documents so that its text does not fit in a cache.
func BenchmarkCheck(b *testing.B) {
	var text strings.Builder
	text.WriteString("<w:body>")
	for i := range 1 << 14 {
		text.WriteString(strings.Replace(`<w:p w:rsidR="00A12B3C"><w:pPr><w:pStyle w:val="Normal"/></w:pPr><w:r><w:t xml:space="preserve">This is paragraph #, in which the parties agree. </w:t></w:r></w:p>`, "#", string(rune('a'+i%26)), 1))
	}
	text.WriteString("</w:body>")
	p := mustOpen(b, with(text.String())...)
	b.SetBytes(p.Main().Size)
	for b.Loop() {
		if err := p.Check(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}
