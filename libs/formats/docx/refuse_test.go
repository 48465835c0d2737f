package docx_test

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/encoding/unicode"

	"github.com/rectohq/recto/libs/formats/docx"
)

// pathField returns an Info-ZIP Unicode Path field that gives the entry called of
// another name.
func pathField(of, name string) string {
	field := le.AppendUint16([]byte{0x75, 0x70}, uint16(5+len(name)))
	return string(le.AppendUint32(append(field, 1), crc32.ChecksumIEEE([]byte(of)))) + name
}

// put16 and put32 change a field of a header.
func put16(at int, v uint16) func([]byte) { return func(h []byte) { le.PutUint16(h[at:], v) } }
func put32(at int, v uint32) func([]byte) { return func(h []byte) { le.PutUint32(h[at:], v) } }

// patched changes the end record of a small document.
func patched(t testing.TB, change func(end []byte)) []byte {
	b := container(t, small()...)
	change(b[len(b)-22:])
	return b
}

// refused is a file that Open or Check must refuse, and the expected reason.
type refused struct {
	b      []byte
	reason string
	limits func(*docx.Limits)
}

// check opens and checks a file that must be refused.
func (r refused) check(t *testing.T) *docx.Error {
	t.Helper()
	limits := docx.DefaultLimits()
	if r.limits != nil {
		r.limits(&limits)
	}
	p, err := docx.Open(bytes.NewReader(r.b), int64(len(r.b)), limits)
	if err == nil {
		err = p.Check(t.Context())
	}
	var refusal *docx.Error
	if !errors.As(err, &refusal) || !strings.Contains(refusal.Reason, r.reason) || !strings.HasPrefix(refusal.Error(), "the file "+refusal.Reason) {
		t.Fatalf("got %v, want: %s", err, r.reason)
	}
	return refusal
}

func run(t *testing.T, cases map[string]refused) {
	t.Helper()
	for name, c := range cases {
		t.Run(name, func(t *testing.T) { c.check(t) })
	}
}

func TestContainers(t *testing.T) {
	plain := container(t, small()...)
	end := len(plain) - 22
	directory := int(le.Uint32(plain[end+16:]))
	renamed, resigned, holed := bytes.Clone(plain), bytes.Clone(plain), bytes.Clone(plain)
	copy(renamed[bytes.Index(plain, []byte("word/document.xml")):], "Word")
	resigned[0] = 'Q'
	holed[directory] = 'Q'
	volume := "is a damaged ZIP container"
	run(t, map[string]refused{
		"nothing": {b: nil, reason: "is not a complete ZIP container"}, "junk": {b: []byte("junk"), reason: "is not a complete ZIP container"},
		"cut off": {b: plain[:len(plain)-1], reason: "is not a complete ZIP container"}, "a longer comment": {b: patched(t, put16(20, 1)), reason: volume},
		"a second volume": {b: patched(t, put16(4, 1)), reason: volume}, "entries on other volumes": {b: patched(t, put16(8, 2)), reason: volume},
		"leading bytes": {b: append([]byte("junk"), plain...), reason: volume}, "bytes before the end record": {b: slices.Concat(plain[:end], []byte("junk"), plain[end:]), reason: volume},
		"a directory out of reach": {b: patched(t, put32(16, 1<<30)), reason: volume}, "a directory that is shorter": {b: patched(t, put32(12, 46)), reason: volume},
		"fewer entries":     {b: patched(t, func(e []byte) { put16(8, 2)(e); put16(10, 2)(e) }), reason: volume},
		"more entries":      {b: patched(t, func(e []byte) { put16(8, 4)(e); put16(10, 4)(e) }), reason: volume},
		"many entries":      {b: patched(t, func(e []byte) { put16(8, 9999)(e); put16(10, 9999)(e) }), reason: volume},
		"too many":          {b: patched(t, func(e []byte) { put16(8, 10001)(e); put16(10, 10001)(e) }), reason: "holds more than 10 000 entries"},
		"too many of a few": {b: plain, reason: "holds more than 2 entries", limits: func(l *docx.Limits) { l.Entries = 2 }},
		"a large directory": {b: plain, reason: "has a directory of more than 100 bytes", limits: func(l *docx.Limits) { l.DirectoryBytes = 100 }},
		"no directory":      {b: holed, reason: volume}, "a longer name": {b: container(t, small(file{name: "x", central: put16(28, 9999)})...), reason: volume},
		"no local header": {b: resigned, reason: "has a damaged part ([Content_Types].xml)"}, "another local name": {b: renamed, reason: "has a damaged part (word/document.xml)"},
		"another local method":  {b: container(t, small(file{name: "x", local: put16(8, 0)})...), reason: "has a damaged part (x)"},
		"a header out of reach": {b: container(t, small(file{name: "x", central: put32(42, 1<<30)})...), reason: "has a damaged part (x)"},
		"a header at the end":   {b: container(t, small(file{name: "x", central: func(h []byte) { put32(42, uint32(directory+33))(h) }})...), reason: "has a damaged part (x)"},
		"no room for ZIP64":     {b: container(t, small(file{name: "x", central: put32(20, 1<<32-1)})...), reason: "has a damaged part (x)"},
	})
}

func TestZIP64Lies(t *testing.T) {
	plain := container(t, small()...)
	absent := func(record, _, end []byte) {
		copy(end[8:20], strings.Repeat("\xFF", 12))
		copy(record[24:40], strings.Repeat("\xFF", 16))
	}
	run(t, map[string]refused{
		"2^64 entries":          {b: widened(plain, absent), reason: "holds more than 10 000 entries"},
		"another number":        {b: widened(plain, func(r, _, _ []byte) { r[24], r[32] = 2, 2 }), reason: "is a damaged ZIP container"},
		"a record elsewhere":    {b: widened(plain, func(_, l, _ []byte) { le.PutUint64(l[8:], 4) }), reason: "is a damaged ZIP container"},
		"a record out of reach": {b: widened(plain, func(_, l, _ []byte) { le.PutUint64(l[8:], 1<<63) }), reason: "is a damaged ZIP container"},
		"a second volume":       {b: widened(plain, func(r, _, _ []byte) { r[16] = 1 }), reason: "is a damaged ZIP container"},
		"no directory offset": {b: widened(plain, func(r, _, e []byte) {
			copy(e[16:20], "\xFF\xFF\xFF\xFF")
			copy(r[48:56], "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF")
		}), reason: "is a damaged ZIP container"},
		"no ZIP64 records": {b: patched(t, func(e []byte) { copy(e[12:20], "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF") }), reason: "has a directory of more than 8 MiB"},
	})
}

func TestNames(t *testing.T) {
	for name, c := range map[string]struct{ name, reason string }{
		"up": {"../x", "not a plain path"}, "up inside": {"word/../../x", "not a plain path"}, "up with backslashes": {`..\x`, "not a plain path"},
		"up in percents": {"%2e%2e/x", "not a plain path"}, "a hidden slash": {"a%2fb", "not a plain path"}, "a hidden backslash": {"a%5cb", "not a plain path"},
		"a hidden zero": {"a%00b", "not a plain path"}, "here": {"./x", "not a plain path"}, "an empty folder name": {"a//b", "not a plain path"}, "a drive": {`C:\x`, "not a plain path"},
		"no name": {"", "not a plain path"}, "the root": {"/", "not a plain path"}, "a folder above": {"../", "not a plain path"},
		"Latin-1": {"\xE4.png", "not UTF-8 text"}, "a line": {"a\nb", "not UTF-8 text"}, "a zero": {"a\x00b", "not UTF-8 text"}, "C1": {"a\u0085b", "not UTF-8 text"},
		"long": {strings.Repeat("x", 1025), "a name of more than 1 024 bytes"}, "twice": {"word/document.xml", "holds the part word/document.xml twice"},
		"twice in other letters": {"WORD/Document.XML", "holds the part WORD/Document.XML twice (the other one is called word/document.xml)"},
		"twice in percents":      {"word/%64ocument.xml", "twice"}, "twice with a slash": {"/word/document.xml", "twice"}, "twice with backslashes": {`word\document.xml`, "twice"},
		"below a part": {"word/document.xml/x.png", "holds the part word/document.xml/x.png below word/document.xml"},
	} {
		t.Run(name, func(t *testing.T) {
			refused{b: container(t, small(file{name: c.name})...), reason: c.reason}.check(t)
		})
	}
	got := refused{b: container(t, small(file{name: "../\u202Egnp.exe" + strings.Repeat("ä", 200)})...)}.check(t)
	if strings.Contains(got.Reason, "\u202E") || len(got.Reason) > 250 || !strings.Contains(got.Part, "\u202E") {
		t.Errorf("the reason quotes %q of %q", got.Reason, got.Part)
	}
}

func TestEntries(t *testing.T) {
	bomb := file{name: "bomb.bin", body: strings.Repeat("\x00", 100_000)}
	tight := func(l *docx.Limits) { l.RatioFrom = 99_999 }
	half := func(name string) file { return file{name: name, central: put32(24, 9<<20)} }
	next := file{name: "y", body: "y", stored: true}
	run(t, map[string]refused{
		"encrypted":              {b: container(t, small(file{name: "x", central: put16(8, 1)})...), reason: "is encrypted: x cannot be read without a password"},
		"encrypted locally":      {b: container(t, small(file{name: "x", local: put16(6, 1)})...), reason: "has a damaged part (x)"},
		"strongly encrypted":     {b: container(t, small(file{name: "x", central: put16(8, 1<<6|1)})...), reason: "is encrypted"},
		"AES":                    {b: container(t, small(file{name: "x", central: put16(10, 99)})...), reason: "is encrypted"},
		"an unknown method":      {b: container(t, small(file{name: "x", central: put16(10, 14)})...), reason: "has a part (x) that uses the unknown compression method 14"},
		"stored in two sizes":    {b: container(t, small(file{name: "x", body: "abc", stored: true, central: put32(24, 4)})...), reason: "has a damaged part (x)"},
		"a folder with a body":   {b: container(t, small(file{name: "x/", body: "abc"})...), reason: "has a folder (x/) with content of its own"},
		"two names":              {b: container(t, small(file{name: "x", extra: pathField("x", "word/document.xml")})...), reason: "has two names for the part x: the other one is word/document.xml"},
		"a large part":           {b: container(t, small(file{name: "x", central: put32(24, 300<<20)})...), reason: "has a part (x) of more than 256 MiB"},
		"a large total":          {b: container(t, small(file{name: "x", body: "abc"})...), reason: "unpacks to more than 800 bytes", limits: func(l *docx.Limits) { l.TotalBytes = 800 }},
		"a bomb":                 {b: container(t, small(bomb)...), reason: "has a part (bomb.bin) that is compressed more than 1:200", limits: tight},
		"a bomb of two parts":    {b: container(t, small(half("a.bin"), half("b.bin"))...), reason: "is compressed more than 1:200"},
		"no compressed bytes":    {b: container(t, small(file{name: "x", central: func(h []byte) { put32(20, 0)(h); put32(24, 17<<20)(h) }})...), reason: "compressed more than 1:200"},
		"shared bytes":           {b: container(t, small(file{name: "x", body: "abc"}, file{name: "x2", body: "abc", share: true})...), reason: "has a part (x2) that overlaps with another one"},
		"a quoted header":        {b: container(t, small(file{name: "x", body: "x", stored: true, central: func(h []byte) { put32(20, 30)(h); put32(24, 30)(h) }}, next)...), reason: "has a part (y) that overlaps"},
		"overlaps the directory": {b: container(t, small(file{name: "x", body: "x", stored: true, central: func(h []byte) { put32(20, 30)(h); put32(24, 30)(h) }})...), reason: "overlaps with its directory"},
		"large XML":              {b: container(t, with(body+strings.Repeat(" ", 999))...), reason: "has an XML part (word/document.xml) of more than 1 000 bytes", limits: func(l *docx.Limits) { l.XMLBytes = 1000 }},
		"large types":            {b: container(t, small()...), reason: "has a list of content types of more than 100 bytes", limits: func(l *docx.Limits) { l.IndexBytes = 100 }},
		"large relationships":    {b: container(t, small(relationships("x/_rels/y.rels", "a", strings.Repeat("x", 900), "c"))...), reason: "has a list of relationships (x/_rels/y.rels) of more than 900 bytes", limits: func(l *docx.Limits) { l.IndexBytes = 900 }},
	})
}

func TestFalseSizes(t *testing.T) {
	size := uint32(len(prolog + body))
	lie := func(at int, v uint32) []byte {
		files := small()
		files[2].central = put32(at, v)
		return container(t, files...)
	}
	cut := small(file{name: "z.bin", body: strings.Repeat("abcdefg", 99), central: put32(20, 9)})
	bad := small(file{name: "z.bin", body: "abc", stored: true, local: put16(8, 8), central: put16(10, 8)})
	run(t, map[string]refused{
		"more than declared":  {b: lie(24, size-1), reason: "has a damaged part (word/document.xml)"},
		"fewer than declared": {b: lie(24, size+1), reason: "has a damaged part (word/document.xml)"},
		"another checksum":    {b: lie(16, 1), reason: "has a damaged part (word/document.xml)"},
		"cut off":             {b: container(t, cut...), reason: "has a damaged part (z.bin)"},
		"not Deflate":         {b: container(t, bad...), reason: "has a damaged part (z.bin)"},
	})
	p, err := open(lie(24, 10))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(p.Main().Open()); len(got) != 10 || err == nil {
		t.Errorf("a part that declares 10 bytes gives %d, %v", len(got), err)
	}
}

func TestPackages(t *testing.T) {
	types, rels, main := small()[0], small()[1], small()[2]
	listed := func(f file) []byte { return container(t, types, f, main) }
	typed := func(f file) []byte { return container(t, f, rels, main) }
	external := rels
	external.body = strings.Replace(rels.body, "Target=", `TargetMode="External" Target=`, 1)
	foreign, nameless := types, rels
	foreign.body = strings.Replace(types.body, "package/2006", "package/2007", 1)
	nameless.body = strings.Replace(rels.body, "package/2006", "package/2007", 1)
	run(t, map[string]refused{
		"nothing":          {b: container(t), reason: "is not a Word document: it lists no content types"},
		"no types":         {b: container(t, rels, main), reason: "is not a Word document: it lists no content types"},
		"damaged types":    {b: typed(file{name: types.name, body: "<Types></Type>"}), reason: "has an XML part ([Content_Types].xml) that is not well-formed"},
		"cut types":        {b: typed(file{name: types.name, body: "<Types>"}), reason: "has an XML part ([Content_Types].xml) that is cut off"},
		"types by entity":  {b: typed(file{name: types.name, body: `<!DOCTYPE a [<!ENTITY b "c">]>` + "<Types/>"}), reason: "([Content_Types].xml) that declares a DOCTYPE"},
		"foreign types":    {b: typed(foreign), reason: `is not a Word document: its main part, word/document.xml, has the content type ""`},
		"two types":        {b: typed(contentTypes("/word/document.xml", mainType, "/word/Document.xml", "x/y")), reason: "declares two content types of word/document.xml"},
		"not Word":         {b: typed(contentTypes("/word/document.xml", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml")), reason: "is not a Word document: its main part"},
		"no relationships": {b: container(t, types, main), reason: "is not a Word document: its relationships name no main part"},
		"no main":          {b: listed(relationships("_rels/.rels", "a", office+"x", "word/document.xml")), reason: "name no main part"},
		"foreign main":     {b: listed(nameless), reason: "name no main part"},
		"missing main":     {b: listed(relationships("_rels/.rels", "a", office+"officeDocument", "x.xml")), reason: "lacks its main part, x.xml"},
		"external main":    {b: listed(external), reason: "has a main part outside of the file"},
		"two mains":        {b: listed(relationships("_rels/.rels", "a", office+"officeDocument", "word/document.xml", "b", strict+"officeDocument", "_rels/.rels")), reason: "names two main parts, word/document.xml and _rels/.rels"},
		"damaged rels":     {b: listed(file{name: "_rels/.rels", body: "<a b='&c;'/>"}), reason: "has an XML part (_rels/.rels) that is not well-formed"},
		"an empty main":    {b: container(t, types, rels, file{name: main.name}), reason: "has an XML part (word/document.xml) that holds no element"},
	})
}

// TestXML checks that Check scans everything that a program may read as XML, in any
// encoding.
func TestXML(t *testing.T) {
	laughs := `<!DOCTYPE lolz [<!ENTITY lol "lol"><!ENTITY lol2 "&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;">]><lolz>&lol2;</lolz>`
	utf16, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String(laughs)
	if err != nil {
		t.Fatal(err)
	}
	nested := func(n int) string { return strings.Repeat("<a>", n) + strings.Repeat("</a>", n) }
	attributes := func(n int) string { return "<a" + strings.Repeat(" b='1'", n) + "/>" }
	typed := func(name, contentType string) []byte {
		files := small(file{name: name, body: laughs})
		files[0] = contentTypes("/word/document.xml", mainType, "/"+name, contentType)
		return container(t, files...)
	}
	doctype := "that declares a DOCTYPE, which is not allowed"
	run(t, map[string]refused{
		"in the document":      {b: container(t, with(prolog+laughs)...), reason: "has an XML part (word/document.xml) " + doctype},
		"in UTF-16":            {b: container(t, with(utf16)...), reason: doctype},
		"in relationships":     {b: container(t, small(file{name: "word/_rels/x.rels", body: laughs})...), reason: "has an XML part (word/_rels/x.rels) " + doctype},
		"under another type":   {b: typed("x.xml", "image/png"), reason: "has an XML part (x.xml) " + doctype},
		"by content type":      {b: typed("x.svg", "image/svg+xml"), reason: "has an XML part (x.svg) " + doctype},
		"by a general type":    {b: typed("x.bin", "Text/XML; charset=utf-8"), reason: "has an XML part (x.bin) " + doctype},
		"too deep":             {b: container(t, with(nested(257))...), reason: "that nests elements more than 256 deep"},
		"too many attributes":  {b: container(t, with(attributes(257))...), reason: "that has an element with more than 256 attributes"},
		"a long name":          {b: container(t, with("<"+strings.Repeat("x", 1025)+"/>")...), reason: "that has a name of more than 1 024 bytes"},
		"in Latin-1":           {b: container(t, with("<?xml version='1.0' encoding='iso-8859-1'?><a>\xE4</a>")...), reason: `that declares the encoding "iso-8859-1", but must be UTF-8 or UTF-16 and declare it correctly`},
		"in UTF-7":             {b: container(t, with("<?xml encoding='UTF-7'?>+ADwAIQ-DOCTYPE a><a/>")...), reason: "UTF-7"},
		"half a UTF-16 unit":   {b: container(t, with("\xFF\xFE<\x00a\x00/\x00>\x00 ")...), reason: "has text outside of its root element"},
		"more than one buffer": {b: container(t, with("<a>"+strings.Repeat("x", 200_000)+"</a><b/>")...), reason: "that has a second root element"},
	})
	mustOpen(t, with(nested(256))...)
	mustOpen(t, with(attributes(256))...)
	// A form of identical paragraphs compresses better than 1:250 and is not a bomb.
	mustOpen(t, with("<a>"+strings.Repeat(`<w:p><w:pPr><w:pStyle w:val="Normal"/></w:pPr></w:p>`, 20_000)+"</a>")...)
}

// failing is a reader that fails after some reads.
type failing struct {
	io.ReaderAt
	left int
}

var errBroken = errors.New("broken")

func (f *failing) ReadAt(b []byte, offset int64) (int, error) {
	if f.left--; f.left < 0 {
		return 0, errBroken
	}
	return f.ReaderAt.ReadAt(b, offset)
}

// TestReaderErrors makes each read fail in turn. No failure may look like a fault of
// the file.
func TestReaderErrors(t *testing.T) {
	files := small(relationships("word/_rels/document.xml.rels", "a", office+"x", "y"))
	files[2].body = "\uFEFF" + files[2].body
	b := widened(container(t, files...), func(_, _, _ []byte) {})
	for n := 0; ; n++ {
		r := &failing{bytes.NewReader(b), n}
		p, err := docx.Open(r, int64(len(b)), docx.DefaultLimits())
		if err == nil {
			err = p.Check(t.Context())
		}
		if r.left >= 0 {
			if err != nil || n < 10 {
				t.Errorf("after %d reads: %v", n, err)
			}
			return
		}
		if !errors.Is(err, errBroken) || err.Error() != "read the file: broken" || errors.As(err, new(*docx.Error)) {
			t.Fatalf("read %d fails: %v", n, err)
		}
	}
}

// TestShortReader opens readers that have fewer bytes than the declared size.
func TestShortReader(t *testing.T) {
	b := container(t, small()...)
	for n := range b {
		if _, err := docx.Open(bytes.NewReader(b[:n]), int64(len(b)), docx.DefaultLimits()); !errors.As(err, new(*docx.Error)) {
			t.Fatalf("%d bytes: %v", n, err)
		}
	}
}

// TestEveryByte damages each byte in turn. Nothing may panic, and every refusal must have
// a reason.
func TestEveryByte(t *testing.T) {
	plain := container(t, small()...)
	for i := range plain {
		b := bytes.Clone(plain)
		b[i] ^= 0x55
		p, err := open(b)
		if err == nil {
			err = p.Check(t.Context())
		}
		if refusal := new(docx.Error); err != nil && (!errors.As(err, &refusal) || refusal.Reason == "") {
			t.Fatal(fmt.Errorf("byte %d: %w", i, err))
		}
	}
}
