package docx_test

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"hash/crc32"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/docx"
)

const (
	word     = "application/vnd.openxmlformats-officedocument.wordprocessingml."
	mainType = word + "document.main+xml"
	office   = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
	strict   = "http://purl.oclc.org/ooxml/officeDocument/relationships/"
	prolog   = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\r\n"
	body     = `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>Hello</w:t></w:r></w:p></w:body></w:document>`
)

// file is an entry to write. The functions modify its headers.
type file struct {
	name, body     string
	stored         bool
	local, central func(header []byte)
	extra          string
	// share makes the entry use the data of the previous one.
	share bool
}

var le = binary.LittleEndian

// header writes the fields that both headers of an entry share.
func header(signature string, size, at int, f file, packed []byte) []byte {
	h := make([]byte, size, size+len(f.name)+len(f.extra))
	copy(h, signature)
	if !f.stored {
		le.PutUint16(h[at+2:], 8)
	}
	le.PutUint32(h[at+8:], crc32.ChecksumIEEE([]byte(f.body)))
	le.PutUint32(h[at+12:], uint32(len(packed)))
	le.PutUint32(h[at+16:], uint32(len(f.body)))
	le.PutUint16(h[at+20:], uint16(len(f.name)))
	return h
}

func deflate(t testing.TB, body string) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := flate.NewWriter(&out, flate.BestCompression)
	if err == nil {
		_, err = w.Write([]byte(body))
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// container writes a ZIP container of exactly these entries.
func container(t testing.TB, files ...file) []byte {
	t.Helper()
	var out, directory []byte
	offset := 0
	for _, f := range files {
		packed := []byte(f.body)
		if !f.stored {
			packed = deflate(t, f.body)
		}
		if !f.share {
			offset = len(out)
			local := header("PK\x03\x04", 30, 6, f, packed)
			if f.local != nil {
				f.local(local)
			}
			out = append(append(append(out, local...), f.name...), packed...)
		}
		central := header("PK\x01\x02", 46, 8, f, packed)
		le.PutUint16(central[30:], uint16(len(f.extra)))
		le.PutUint32(central[42:], uint32(offset))
		if f.central != nil {
			f.central(central)
		}
		directory = append(append(append(directory, central...), f.name...), f.extra...)
	}
	end := make([]byte, 22)
	copy(end, "PK\x05\x06")
	le.PutUint16(end[8:], uint16(len(files)))
	le.PutUint16(end[10:], uint16(len(files)))
	le.PutUint32(end[12:], uint32(len(directory)))
	le.PutUint32(end[16:], uint32(len(out)))
	return append(append(out, directory...), end...)
}

// widened puts ZIP64 records before the end record of a container, and applies change to
// all three.
func widened(b []byte, change func(record, locator, end []byte)) []byte {
	at := len(b) - 22
	end := bytes.Clone(b[at:])
	record, locator := make([]byte, 56), make([]byte, 20)
	copy(record, "PK\x06\x06")
	le.PutUint64(record[4:], 44)
	le.PutUint64(record[24:], uint64(le.Uint16(end[8:])))
	le.PutUint64(record[32:], uint64(le.Uint16(end[10:])))
	le.PutUint64(record[40:], uint64(le.Uint32(end[12:])))
	le.PutUint64(record[48:], uint64(le.Uint32(end[16:])))
	copy(locator, "PK\x06\x07")
	le.PutUint64(locator[8:], uint64(at))
	le.PutUint32(locator[16:], 1)
	change(record, locator, end)
	return bytes.Join([][]byte{b[:at], record, locator, end}, nil)
}

// contentTypes declares types for "xml" and "rels", and for the given pairs of part and
// type.
func contentTypes(overrides ...string) file {
	var out strings.Builder
	out.WriteString(prolog + `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Default Extension="PNG" ContentType="image/png"/>`)
	for i := 0; i < len(overrides); i += 2 {
		out.WriteString(`<Override PartName="` + overrides[i] + `" ContentType="` + overrides[i+1] + `"/>`)
	}
	return file{name: "[Content_Types].xml", body: out.String() + `</Types>`}
}

// relationships lists triples of an ID, a type and a target.
func relationships(name string, triples ...string) file {
	var out strings.Builder
	out.WriteString(prolog + `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`)
	for i := 0; i < len(triples); i += 3 {
		out.WriteString(`<Relationship Id="` + triples[i] + `" Type="` + triples[i+1] + `" Target="` + triples[i+2] + `"/>`)
	}
	return file{name: name, body: out.String() + `</Relationships>`}
}

// small returns the entries of a small document, followed by more.
func small(more ...file) []file {
	return append([]file{
		contentTypes("/word/document.xml", mainType),
		relationships("_rels/.rels", "rId1", office+"officeDocument", "word/document.xml"),
		{name: "word/document.xml", body: prolog + body},
	}, more...)
}

// with returns a small document with another main part.
func with(main string) []file {
	files := small()
	files[2].body = main
	return files
}

func open(b []byte) (*docx.Package, error) {
	return docx.Open(bytes.NewReader(b), int64(len(b)), docx.DefaultLimits())
}

// mustOpen opens and checks a file that must be valid.
func mustOpen(t testing.TB, files ...file) *docx.Package {
	t.Helper()
	p, err := open(container(t, files...))
	if err == nil {
		err = p.Check(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}
