package filetype_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/filetype"
	"github.com/rectohq/recto/libs/formats/filetype/filetypetest"
)

func container(t testing.TB, entries ...string) string {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for i := 0; i < len(entries); i += 2 {
		w, err := z.Create(entries[i])
		if err == nil {
			_, err = io.WriteString(w, entries[i+1])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func ooxml(t testing.TB, contentType string) string {
	return container(t, "[Content_Types].xml", `<?xml version="1.0"?><Types xmlns="x"><Default Extension="xml" ContentType="application/xml"/><Override PartName="/d.xml" ContentType="`+contentType+`"/></Types>`, "d.xml", "<d/>")
}

// manifest returns the manifest of an OpenDocument file whose content has a description.
func manifest(description string) string {
	return `<?xml version="1.0"?><m:manifest xmlns:m="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><m:file-entry m:full-path="content.xml">` + description + `</m:file-entry></m:manifest>`
}

func detect(content string) (filetype.Type, error) {
	return filetype.Detect(strings.NewReader(content), int64(len(content)))
}

func TestDetect(t *testing.T) {
	const word = "application/vnd.openxmlformats-officedocument.wordprocessingml."
	for name, tc := range map[string]struct {
		content string
		want    filetype.Type
	}{
		"empty": {"", filetype.Empty}, "pdf": {"%PDF-1.7\n", filetype.PDF}, "pdf after junk": {"junk\n%PDF-1.7\n", filetype.PDF},
		"docx": {ooxml(t, word+"document.main+xml"), filetype.DOCX}, "dotx": {ooxml(t, word+"template.main+xml"), filetype.DOTX},
		"docm":        {ooxml(t, "application/vnd.ms-word.document.macroEnabled.main+xml"), filetype.DOCM},
		"dotm":        {ooxml(t, "application/vnd.ms-word.template.macroEnabledTemplate.main+xml"), filetype.DOTM},
		"xlsx":        {ooxml(t, "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"), filetype.XLSX},
		"pptx":        {ooxml(t, "application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml"), filetype.PPTX},
		"other ooxml": {ooxml(t, "application/x"), filetype.ZIP}, "zip": {container(t, "a.txt", "x"), filetype.ZIP}, "empty zip": {container(t), filetype.ZIP},
		"odt":                 {container(t, "mimetype", "application/vnd.oasis.opendocument.text"), filetype.ODT},
		"ott":                 {container(t, "mimetype", "application/vnd.oasis.opendocument.text-template"), filetype.ODT},
		"ods":                 {container(t, "mimetype", "application/vnd.oasis.opendocument.spreadsheet"), filetype.ODS},
		"otp":                 {container(t, "mimetype", "application/vnd.oasis.opendocument.presentation-template"), filetype.ODP},
		"odg":                 {container(t, "mimetype", "application/vnd.oasis.opendocument.graphics"), filetype.ODG},
		"ods with a password": {container(t, "mimetype", "application/vnd.oasis.opendocument.spreadsheet", "META-INF/manifest.xml", manifest(`<m:encryption-data m:checksum="x"/>`)), filetype.Encrypted},
		"ods with a manifest": {container(t, "mimetype", "application/vnd.oasis.opendocument.spreadsheet", "META-INF/manifest.xml", manifest("")), filetype.ODS},
		"a damaged manifest":  {container(t, "mimetype", "application/vnd.oasis.opendocument.text", "META-INF/manifest.xml", "<m:manifest><"), filetype.ODT},
		"a formula":           {container(t, "mimetype", "application/vnd.oasis.opendocument.formula"), filetype.ODF},
		"epub":                {container(t, "mimetype", "application/epub+zip"), filetype.ZIP},
		"rtf":                 {`{\rtf1 x}`, filetype.RTF},
		"text":                {"Hello, Zoë\r\n\tbye\f", filetype.Text},
		"text with BOM":       {"\xef\xbb\xbfHello", filetype.Text}, "utf-16": {"\xff\xfeH\x00i\x00", filetype.Text}, "utf-16 BE": {"\xfe\xff\x00H\x00i", filetype.Text},
		"latin-1": {"Gr\xf6\xdfe", filetype.Text}, "utf-16 without BOM": {"H\x00i\x00", filetype.Unknown}, "binary": {"\x01\x02", filetype.Unknown},
		"late binary": {strings.Repeat("x", 1<<20) + "\x00", filetype.Unknown},
		"png":         {"\x89PNG\r\n\x1a\n", filetype.PNG}, "jpeg": {"\xff\xd8\xff\xe0", filetype.JPEG}, "gif": {"GIF89a", filetype.GIF},
		"tiff": {"II*\x00", filetype.TIFF}, "tiff BE": {"MM\x00*", filetype.TIFF},
	} {
		if got, err := detect(tc.content); err != nil || got != tc.want {
			t.Errorf("%s: got %q, %v; want %q", name, got, err, tc.want)
		}
	}
}

func TestDamaged(t *testing.T) {
	docx := ooxml(t, "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml")
	many := make([]string, 0, 20_002)
	for i := range 10_001 {
		many = append(many, string(rune('a'+i%26))+strings.Repeat("x", i/26), "")
	}
	for name, content := range map[string]string{
		"a truncated zip": docx[:len(docx)-10], "a zip signature only": "PK\x03\x04", "a bomb": container(t, "[Content_Types].xml", "", "x", strings.Repeat("\x00", 300<<20)),
		"bad content types": container(t, "[Content_Types].xml", "<Types><"), "an OLE signature only": "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1",
		"too many entries": container(t, many...),
	} {
		var damaged *filetype.Error
		if got, err := detect(content); !errors.As(err, &damaged) || damaged.Reason == "" || damaged.Error() == "" || errors.Unwrap(damaged) == nil {
			t.Errorf("%s: got %q, %v", name, got, err)
		}
	}
	if _, err := filetype.Detect(failing{}, 10); err == nil || errors.As(err, new(*filetype.Error)) {
		t.Errorf("failing reader: %v", err)
	}
}

type failing struct{}

func (failing) ReadAt([]byte, int64) (int, error) { return 0, errors.New("broken") }

func TestMatches(t *testing.T) {
	for _, tc := range []struct {
		t    filetype.Type
		name string
		want bool
	}{
		{filetype.DOCX, "a.docx", true}, {filetype.DOCX, "a.DOTX", true}, {filetype.DOCM, "a.docx", true}, {filetype.DOCX, "a", true},
		{filetype.DOCX, "a.bin", true}, {filetype.DOCX, "a.doc", false}, {filetype.DOCX, "a.txt", false}, {filetype.Text, "a.docx", false},
		{filetype.Text, "a.md", true}, {filetype.Text, "a.html", false}, {filetype.PDF, "a.pdf", true}, {filetype.PDF, "a.b.docx", false}, {filetype.RTF, "a.doc", false},
	} {
		if got := tc.t.Matches(tc.name); got != tc.want {
			t.Errorf("%s named %s: %v", tc.t, tc.name, got)
		}
	}
}

func TestDetectNamed(t *testing.T) {
	const page, svg = "<!DOCTYPE html>\n<html><p>x", `<?xml version="1.0"?><!-- x > y --><!DOCTYPE svg PUBLIC "a" "b" [<!ENTITY e "f">]><SVG xmlns="x"/>`
	for _, tc := range []struct {
		content, name string
		want          filetype.Type
	}{
		{page, "a.html", filetype.HTML}, {page, "a", filetype.HTML}, {page, "a.2", filetype.HTML}, {page, "a.txt", filetype.Text}, {page, "a.docx", filetype.Text},
		{"\ufeff \n<HTML lang=en>", "a", filetype.HTML}, {"<p>x", "a.htm", filetype.HTML}, {"<p>x", "a", filetype.Text}, {"<htmlx>", "a", filetype.Text},
		{svg, "a.svg", filetype.SVG}, {svg, "", filetype.SVG}, {svg, "a.html", filetype.HTML}, {svg, "a.png", filetype.Text}, {"no picture", "a.svg", filetype.Text},
		{"<?xml version='1.0'?>\n<office:document>", "a.fodt", filetype.XML}, {"<?xml version='1.0'?><x>", "a", filetype.XML}, {"<?xml version='1.0'?><x>", "a.xml", filetype.XML},
		{"<?xml version='1.0'?><x>", "a.txt", filetype.Text}, {"<?xml version='1.0'?><w:wordDocument>", "a.doc", filetype.Text}, {"<?xmlx", "a", filetype.Text}, {"words", "a.xml", filetype.Text},
		{"%!PS-Adobe-3.0\n", "a.ps", filetype.PS}, {"%!PS-Adobe-3.0\n", "a", filetype.PS}, {"words", "a.ps", filetype.Text}, {"words", "a.EML", filetype.MIME},
		{"From: a\r\nSubject: b\r\n c\r\nMime-Version: 1.0\r\n", "a", filetype.MIME}, {"words", "a.eml", filetype.MIME}, {"Dear Sir,\nMIME-Version: 1", "a", filetype.Text},
		{"a,b", "a.csv", filetype.CSV}, {"a,b", "a", filetype.Text}, {"%PDF-1.7\n", "a.csv", filetype.PDF}, {"", "a.html", filetype.Empty},
	} {
		got, err := filetype.DetectNamed(strings.NewReader(tc.content), int64(len(tc.content)), tc.name)
		if err != nil || got != tc.want {
			t.Errorf("%q named %q: got %q, %v; want %q", tc.content, tc.name, got, err, tc.want)
		}
	}
	if _, err := filetype.DetectNamed(failing{}, 10, "a.html"); err == nil {
		t.Error("no error of the reader")
	}
}

func TestTextReader(t *testing.T) {
	for in, want := range map[string]string{
		"Größe": "Größe", "Gr\xf6\xdfe \x80": "Größe €", "\xff\xfeG\x00\xf6\x00": "Gö", "\xfe\xff\x00G\x00\xf6": "Gö", "\xef\xbb\xbfx": "x", "": "",
	} {
		r, err := filetype.TextReader(strings.NewReader(in), "")
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(r); err != nil || string(got) != want {
			t.Errorf("%q: got %q, %v", in, got, err)
		}
	}
}

func FuzzDetect(f *testing.F) {
	f.Add([]byte(ooxml(f, "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml")))
	f.Add([]byte(container(f, "mimetype", "application/vnd.oasis.opendocument.text")))
	f.Add(filetypetest.Compound("WordDocument", 0xEC, 0xA5))
	f.Add(filetypetest.Compound("EncryptedPackage"))
	f.Add(filetypetest.Nested("Workbook", "WordDocument"))
	f.Add([]byte("\xff\xfeH\x00"))
	f.Add([]byte(`{\rtf`))
	f.Fuzz(func(t *testing.T, content []byte) {
		got, err := filetype.Detect(bytes.NewReader(content), int64(len(content)))
		if err != nil && !errors.As(err, new(*filetype.Error)) {
			t.Errorf("%q: %v", content, err)
		}
		if err == nil && got == "" {
			t.Errorf("%q has no type", content)
		}
	})
}

func TestCompoundFiles(t *testing.T) {
	word := []byte{0xEC, 0xA5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}
	secret := append(bytes.Clone(word[:11]), 1)
	for _, tc := range []struct {
		name    string
		content []byte
		want    filetype.Type
	}{
		{"WordDocument", word, filetype.DOC}, {"WordDocument", secret, filetype.Encrypted}, {"EncryptedPackage", nil, filetype.Encrypted},
		{"EncryptionInfo", nil, filetype.Encrypted}, {"Workbook", nil, filetype.XLS}, {"Book", nil, filetype.XLS}, {"PowerPoint Document", nil, filetype.PPT}, {"__properties_version1.0", nil, filetype.OLE},
	} {
		if got, err := detect(string(filetypetest.Compound(tc.name, tc.content...))); err != nil || got != tc.want {
			t.Errorf("%s with %v: %q, %v; want %q", tc.name, tc.content, got, err, tc.want)
		}
	}
	for outer, want := range map[string]filetype.Type{"WordDocument": filetype.DOC, "Workbook": filetype.XLS, "Contents": filetype.OLE} {
		for _, inner := range []string{"EncryptedPackage", "WordDocument", "Workbook"} {
			if got, err := detect(string(filetypetest.Nested(outer, inner, word...))); err != nil || got != want {
				t.Errorf("%s with an object that has %s: %q, %v; want %q", outer, inner, got, err, want)
			}
		}
	}
	for name, at := range map[string]int{"an invalid sector size": 30, "a FAT out of reach": 77, "a directory out of reach": 49} {
		file := filetypetest.Compound("Workbook", word...)
		file[at] = 200
		if got, err := detect(string(file)); !errors.As(err, new(*filetype.Error)) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	circle := filetypetest.Compound("Workbook", word...)
	copy(circle[516:], []byte{1, 0, 0, 0}) // the directory's sector chain loops
	if got, err := detect(string(circle)); !errors.As(err, new(*filetype.Error)) {
		t.Errorf("a loop: %q, %v", got, err)
	}
}

// TestHasPassword checks the records at the beginning of a workbook.
func TestHasPassword(t *testing.T) {
	bof := append([]byte{0x09, 0x08, 16, 0}, make([]byte, 16)...)
	protect, password := []byte{0x86, 0, 0, 0}, []byte{0x2F, 0, 6, 0, 0, 0, 1, 2, 3, 4}
	codepage := []byte{0x42, 0, 2, 0, 0xB0, 4}
	for name, c := range map[string]struct {
		stream  string
		content [][]byte
		want    bool
	}{
		"a password": {"Workbook", [][]byte{bof, password}, true}, "protected": {"Book", [][]byte{bof, protect, password}, true},
		"none": {"Workbook", [][]byte{bof, codepage, password}, false}, "nothing": {"Workbook", nil, false}, "a long record": {"Workbook", [][]byte{{0x09, 0x08, 0xFF, 0xFF}}, false},
		"no workbook": {"WordDocument", [][]byte{bof, password}, false},
	} {
		file := filetypetest.Compound(c.stream, bytes.Join(c.content, nil)...)
		if got := filetype.HasPassword(bytes.NewReader(file), int64(len(file))); got != c.want {
			t.Errorf("%s: got %v", name, got)
		}
		if filetype.HasPassword(bytes.NewReader(file), 600) {
			t.Errorf("%s: a truncated file has a password", name)
		}
	}
	if filetype.HasPassword(strings.NewReader("x"), 1) {
		t.Error("no container has a password")
	}
}
