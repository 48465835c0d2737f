package revision

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/rectohq/recto/libs/testkit/corpus"
	"github.com/rectohq/recto/libs/testkit/pdfforms"
)

// withTable returns a file with one object and this cross-reference table.
func withTable(table string) []byte {
	b := "%PDF-1.7\n1 0 obj\n<<>>\nendobj\n"
	return []byte(b + table + fmt.Sprintf("\nstartxref\n%d\n%%%%EOF\n", len(b)))
}

// withStream returns a file with one object and this cross-reference stream.
func withStream(entries, content string) []byte {
	return withTable(fmt.Sprintf("2 0 obj\n<</Type/XRef/Root 1 0 R/Length %d%s>>\nstream\n%s\nendstream\nendobj", len(content), entries, content))
}

func deflated(b string) string {
	var out bytes.Buffer
	z := zlib.NewWriter(&out)
	_, _ = z.Write([]byte(b))
	_ = z.Close()
	return out.String()
}

const goodTable = "xref\n0 2\n0000000000 65535 f \n0000000009 00000 n \ntrailer\n<</Size 2/Root 1 0 R>>"

func TestParse(t *testing.T) {
	for _, c := range []struct {
		name   string
		file   []byte
		stream bool
		size   int
	}{
		{"table", withTable(goodTable), false, 2},
		{"table in parts", withTable("xref\r\n0 1\r\n0000000000 65535 f\r\n1 1\r\n0000000009 00000 n\r\n5 1\r\n0000000000 00000 n\r\ntrailer <</Size 2/Root 1 0 R>>"), false, 6},
		{"table with wide rows", withTable("\nxref\n0 2\n0000000000 65535 f \r\n0000000009 00000 n \r\ntrailer<</Size 2/Root 1 0 R>>"), false, 2},
		{"stream", withStream("/Size 2/W[1 1 1]", "\x00\x00\x00\x01\x09\x00"), true, 2},
		{"stream without types", withStream("/Size 9/W[0 1 0]/Index[1 1]", "\x09"), true, 9},
		{"compressed stream", withStream("/Size 2/W[1 1 1]/Filter/FlateDecode", deflated("\x00\x00\x00\x01\x09\x00")), true, 2},
		{"predicted stream", withStream("/Size 2/W[1 1 1]/Filter[/FlateDecode]/DecodeParms[<</Predictor 12/Columns 3>>]", deflated("\x00\x00\x00\x00\x02\x01\x09\x00")), true, 2},
		{"predicted by means", withStream("/Size 2/W[1 1 1]/Filter/FlateDecode/DecodeParms<</Predictor 13/Columns 3>>", deflated("\x03\x00\x00\x00\x03\x01\x09\xfc")), true, 2},
		{"predicted by Paeth", withStream("/Size 2/W[1 1 1]/Filter/FlateDecode/DecodeParms<</Predictor 14/Columns 3>>", deflated("\x04\x00\x00\x00\x04\x01\x08\xf7")), true, 2},
		{"predicted bytes", withStream("/Size 2/W[1 1 1]/Filter/FlateDecode/DecodeParms<</Predictor 12>>", deflated("\x00\x00\x00\x00\x00\x00\x00\x01\x00\x09\x00\x00")), true, 2},
		{"predicted from the left", withStream("/Size 2/W[1 1 1]/Filter/FlateDecode/DecodeParms<</Predictor 15/Columns 3>>", deflated("\x00\x00\x00\x00\x01\x01\x08\xf7")), true, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := Parse(c.file)
			if err != nil {
				t.Fatal(err)
			}
			if !s.Has(c.file, 1) || s.Has(c.file, 0) || s.Has(c.file, 5) || s.Stream != c.stream || s.Size != c.size {
				t.Errorf("got %+v", s)
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	for name, file := range map[string][]byte{
		"nothing":            nil,
		"junk in front":      append([]byte("x"), withTable(goodTable)...),
		"no startxref":       []byte("%PDF-1.7"),
		"startxref 0":        []byte("%PDF-1.7\nstartxref\n0\n%%EOF"),
		"startxref too far":  []byte("%PDF-1.7\nstartxref\n99\n%%EOF"),
		"no table":           withTable("xyz"),
		"no subsection":      withTable("xref\nfoo"),
		"short row":          withTable("xref\n0 1\n0 65535 f \ntrailer<<>>"),
		"missing row":        withTable("xref\n0 2\n0000000000 65535 f \ntrailer<<>>"),
		"high number":        withTable("xref\n99999999 1\n0000000009 00000 n \ntrailer<<>>"),
		"no trailer":         withTable("xref\n0 1\n0000000000 65535 f \n"),
		"trailer is a name":  withTable("xref\n0 1\n0000000000 65535 f \ntrailer\n/Root"),
		"trailer is cut":     withTable("xref\n0 1\n0000000000 65535 f \ntrailer\n(Root"),
		"bad Prev":           withTable(strings.Replace(goodTable, "/Size", "/Prev/A/Size", 1)),
		"negative Prev":      withTable(strings.Replace(goodTable, "/Size", "/Prev -9/Size", 1)),
		"Prev to an object":  withTable(strings.Replace(goodTable, "/Size", "/Prev 9/Size", 1)),
		"Prev past the end":  withTable(strings.Replace(goodTable, "/Size", "/Prev 9999/Size", 1)),
		"loop":               withTable(strings.Replace(goodTable, "/Size", "/Prev 29/Size", 1)),
		"hybrid with object": withTable(strings.Replace(goodTable, "/Size", "/XRefStm 9/Size", 1)),
		"hybrid with table":  withTable(strings.Replace(goodTable, "/Size", "/XRefStm 29/Size", 1)),
		"no W":               withStream("/Size 2", "abc"),
		"wide W":             withStream("/Size 2/W[9 1 1]", "abc"),
		"negative W":         withStream("/Size 2/W[-1 1 1]", "abc"),
		"empty W":            withStream("/Size 2/W[0 0 0]", "abc"),
		"W of names":         withStream("/Size 2/W[/A 1 1]", "abc"),
		"too few rows":       withStream("/Size 2/W[1 1 1]", "abc"),
		"high index":         withStream("/Size 2/W[1 1 1]/Index[9999999 1]", "abc"),
		"unknown filter":     withStream("/Size 1/W[1 1 1]/Filter/ASCII85Decode", "abc"),
		"bad filter":         withStream("/Size 1/W[1 1 1]/Filter/FlateDecode", "abc"),
		"cut filter":         withStream("/Size 1/W[1 1 1]/Filter/FlateDecode", deflated("abc")[:6]),
		"unknown predictor":  withStream("/Size 1/W[1 1 1]/Filter/FlateDecode/DecodeParms<</Predictor 15/Columns 3>>", deflated("\x05abc")),
		"TIFF predictor":     withStream("/Size 1/W[1 1 1]/Filter/FlateDecode/DecodeParms<</Predictor 2/Columns 3>>", deflated("abc")),
		"no columns":         withStream("/Size 1/W[1 1 1]/Filter/FlateDecode/DecodeParms<</Predictor 15/Columns 0>>", deflated("\x00abc")),
		"many columns":       withStream("/Size 1/W[1 1 1]/Filter/FlateDecode/DecodeParms<</Predictor 15/Columns 65>>", deflated("\x00abc")),
		"negative index":     withStream("/Size 2/W[1 1 1]/Index[0 -1]", "abc"),
		"high first index":   withStream("/Size 2/W[1 1 1]/Index[9223372036854775807 1]", "abc"),
		"11 digits":          withTable("xref\n0 2\n0000000000 65535 f \n00000000009 00000 n \ntrailer\n<</Size 2/Root 1 0 R>>"),
		"free, high number":  withTable("xref\n8388608 1\n0000000000 65535 f \ntrailer<<>>"),
		"more than there is": withTable("xref\n0 99999999\n0000000000 65535 f \ntrailer<<>>"),
		"endless stream":     withTable("2 0 obj\n<</Type/XRef/Size 1/W[1 1 1]/Length 9223372036854775807>>\nstream\nabc"),
		"long":               bytes.Replace(withStream("/Size 1/W[1 1 1]", "abc"), []byte("/Length 3"), []byte("/Length 9999"), 1),
		"no stream":          withTable("2 0 obj\n<</Type/XRef>>"),
		"another object":     withTable("2 0 obj\n<</Type/Catalog>>\nstream\n"),
		"no object":          withTable("2 0 obj\n)"),
	} {
		if s, err := Parse(file); err == nil {
			t.Errorf("%s: got %+v", name, s)
		}
	}
}

func TestParsePrefersNewerSections(t *testing.T) {
	first := withTable(goodTable)
	n := len(first)
	second := fmt.Sprintf("xref\n1 1\n0000000000 00001 f \ntrailer\n<</Size 2/Root 1 0 R/Prev 29/Encrypt 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", n)
	s, err := Parse(append(first, second...))
	if err != nil || s.Has(first, 1) || !s.Encrypted || s.Start != int64(n) {
		t.Errorf("got %+v, %v", s, err)
	}
}

func TestParseHybrid(t *testing.T) {
	b := "%PDF-1.7\n1 0 obj\n<<>>\nendobj\n"
	stream := "2 0 obj\n<</Type/XRef/Size 2/W[1 1 1]/Index[1 1]/Length 3>>\nstream\n\x01\x09\x00\nendstream\nendobj\n"
	table := fmt.Sprintf("xref\n0 2\n0000000000 65535 f \n0000000000 00000 f \ntrailer\n<</Size 2/Root 1 0 R/XRefStm %d>>", len(b))
	file := []byte(b + stream + table + fmt.Sprintf("\nstartxref\n%d\n%%%%EOF\n", len(b)+len(stream)))
	s, err := Parse(file)
	if err != nil || !s.Has(file, 1) || s.Stream {
		t.Errorf("got %+v, %v", s, err)
	}
}

// TestRevision checks the numbers of revisions in an original file, also if it is linearized,
// and in those appended to it.
func TestRevision(t *testing.T) {
	file := withTable(goodTable)
	s, err := Parse(file)
	if err != nil || s.Revision(1) != 0 || s.Revision(9) != 0 {
		t.Fatalf("got %+v, %v", s, err)
	}
	for _, file := range [][]byte{file, pdfforms.FormInStreams(2), linearized(t, pdfforms.Form(2))} {
		for want := 1; want <= 3; want++ {
			s, err := Parse(file)
			if err != nil {
				t.Fatal(err)
			}
			number := s.Size
			update, err := Append(file, s, []Object{{Number: number, Value: types.Dict{}}}, Trailer{Root: types.NewIndirectRef(1, 0), Size: number + 1}, nil)
			if err != nil {
				t.Fatal(err)
			}
			file = append(file, update...)
			if s, err = Parse(file); err != nil || s.Revision(number) != want || s.Revision(1) != 0 {
				t.Errorf("got the revisions %d and %d, %v; want %d and 0", s.Revision(number), s.Revision(1), err, want)
			}
		}
	}
}

// linearized returns the file as qpdf linearizes it.
func linearized(t *testing.T, file []byte) []byte {
	t.Helper()
	cmd := exec.Command(corpus.Program(t, "qpdf"), "--linearize", "-", "-")
	in := filepath.Join(t.TempDir(), "in.pdf")
	if err := os.WriteFile(in, file, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd.Args[2] = in
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestAppendAgain(t *testing.T) {
	for _, file := range [][]byte{withTable(goodTable), pdfforms.FormInStreams(2)} {
		s, err := Parse(file)
		if err != nil {
			t.Fatal(err)
		}
		objects := []Object{{1, 0, types.Dict{"A b": types.Name("#"), "S": types.StringLiteral("x")}}, {s.Size + 3, 0, types.Integer(1)}}
		update, err := Append(file, s, objects, Trailer{Root: types.NewIndirectRef(1, 0), Size: s.Size + 4}, nil)
		if err != nil {
			t.Fatal(err)
		}
		out := append(bytes.Clone(file), update...)
		again, err := Parse(out)
		if err != nil || again.Stream != s.Stream || !again.Has(out, 1) || !again.Has(out, s.Size+3) || again.at[1] < int64(len(file)) {
			t.Errorf("got %+v, %v", again, err)
		}
		if !bytes.Contains(update, []byte("<</A#20b /#23/S (x)>>")) {
			t.Errorf("got %s", update)
		}
	}
}

func TestSerialize(t *testing.T) {
	for _, c := range []struct {
		object types.Object
		want   string
	}{
		{nil, "null"},
		{types.Boolean(true), "true"},
		{types.Integer(-3), "-3"},
		{types.Float(0.5), "0.5"},
		{types.Float(1e-7), "0.0000001"},
		{types.Float(math.NaN()), "0"},
		{types.Float(math.Inf(1)), "0"},
		{types.Name("a/ü"), "/a#2F#C3#BC"},
		{types.HexLiteral("0A"), "<0A>"},
		{types.Array{types.Integer(1), nil, *types.NewIndirectRef(7, 2)}, "[1 null 7 2 R]"},
		{types.StreamDict{Dict: types.Dict{"Length": types.Integer(9)}, Raw: []byte("abc")}, "<</Length 3>>\nstream\nabc\nendstream"},
		{types.ObjectStreamDict{StreamDict: types.StreamDict{Raw: []byte("x")}}, "<</Length 1>>\nstream\nx\nendstream"},
	} {
		var b bytes.Buffer
		if err := write(&b, c.object, 0); err != nil || b.String() != c.want {
			t.Errorf("got %s, %v, want %s", &b, err, c.want)
		}
	}
}

// TestDeep checks that objects that are nested too deeply, or of an unknown type, are
// errors wherever they stand.
func TestDeep(t *testing.T) {
	deep := types.Object(types.Integer(1))
	for range maxDepth + 1 {
		deep = types.Array{deep}
	}
	key := &Cipher{Key: make([]byte, 16), Revision: 4, AESStrings: true}
	for _, c := range []struct {
		object types.Object
		cipher *Cipher
	}{
		{deep, nil},
		{deep, key},
		{types.Dict{"A": deep}, nil},
		{types.Dict{"A": deep}, key},
		{types.StreamDict{Dict: types.Dict{"A": deep}}, nil},
		{types.StreamDict{Dict: types.Dict{"A": deep}}, key},
		{types.LazyObjectStreamObject{}, nil},
		{types.HexLiteral("zz"), key},
		{types.StringLiteral("x"), &Cipher{Key: make([]byte, 7), Revision: 5, AESStrings: true}},
		{types.StringLiteral("x"), &Cipher{Revision: 5}},
	} {
		if _, err := Write([]Object{{1, 0, c.object}}, Trailer{Root: types.NewIndirectRef(1, 0), Size: 2}, c.cipher); err == nil {
			t.Errorf("%T: no error", c.object)
		}
		if _, err := Append(nil, &Sections{}, []Object{{1, 0, c.object}}, Trailer{Root: types.NewIndirectRef(1, 0), Size: 2}, c.cipher); err == nil {
			t.Errorf("%T: no error", c.object)
		}
	}
	if err := write(&bytes.Buffer{}, deep, 0); !errors.Is(err, errDepth) {
		t.Errorf("got %v", err)
	}
}

// TestPlain checks what stays as it is in an encrypted file.
func TestPlain(t *testing.T) {
	c := &Cipher{Key: make([]byte, 16), Revision: 4, AESStrings: true, AESStreams: true, PlainMetadata: true, Dictionary: 9}
	for _, o := range []Object{
		{9, 0, types.Dict{"O": types.StringLiteral("owner")}},
		{1, 0, types.Dict{"Type": types.Name("Sig"), "Contents": types.StringLiteral("owner")}},
		{1, 0, types.StreamDict{Dict: types.Dict{"Type": types.Name("Metadata")}, Raw: []byte("owner")}},
		{1, 0, types.StreamDict{Dict: types.Dict{"Type": types.Name("XRef")}, Raw: []byte("owner")}},
		{1, 0, types.StreamDict{Dict: types.Dict{}, Raw: []byte("owner"), FilterPipeline: []types.PDFFilter{{Name: "Crypt"}}}},
	} {
		b, err := Write([]Object{o}, Trailer{Root: types.NewIndirectRef(1, 0), Size: 10}, c)
		if err != nil || !bytes.Contains(b, []byte("owner")) {
			t.Errorf("%v: got %s, %v", o.Value, b, err)
		}
	}
}

func TestWriteLeavesGaps(t *testing.T) {
	b, err := Write([]Object{{1, 0, types.Dict{}}, {8_000_000, 0, types.Dict{}}}, Trailer{Root: types.NewIndirectRef(1, 0), Size: 8_000_001}, nil)
	if err != nil || len(b) > 1000 {
		t.Errorf("%d bytes, %v", len(b), err)
	}
	if s, err := Parse(b); err != nil || !s.Has(b, 8_000_000) {
		t.Errorf("got %+v, %v", s, err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(withTable(goodTable))
	f.Add(withStream("/Size 2/W[1 1 1]", "\x00\x00\x00\x01\x09\x00"))
	f.Add(pdfforms.FormInStreams(1))
	f.Add(pdfforms.Revised())
	f.Fuzz(func(t *testing.T, file []byte) {
		s, err := Parse(file)
		if err != nil {
			return
		}
		if s.Start <= 0 || s.Start >= int64(len(file)) || s.Size > maxNumber+1 {
			t.Errorf("got %+v", s)
		}
		s.Has(file, 1)
	})
}
