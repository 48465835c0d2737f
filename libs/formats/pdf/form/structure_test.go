package form

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/libs/testkit/pdfforms"
)

// TestStructures fills files that qpdf has written in all structures.
func TestStructures(t *testing.T) {
	file := widgets("", textWidget+"/V(old)/TU(A label with \\(parentheses\\) and \\\\)>>")
	for _, c := range []struct {
		name    string
		options []string
	}{
		{"object streams", []string{"--object-streams=generate"}},
		{"linearized", []string{"--linearize"}},
		{"linearized object streams", []string{"--linearize", "--object-streams=generate"}},
		{"RC4 of 40 bits", []string{"--allow-weak-crypto", "--encrypt", "", "x", "40", "--"}},
		{"RC4", []string{"--allow-weak-crypto", "--encrypt", "", "x", "128", "--"}},
		{"AES of 128 bits", []string{"--allow-weak-crypto", "--encrypt", "", "x", "128", "--use-aes=y", "--"}},
		{"AES of 128 bits in object streams", []string{"--object-streams=generate", "--allow-weak-crypto", "--encrypt", "", "x", "128", "--use-aes=y", "--"}},
		{"AES of 256 bits", []string{"--encrypt", "", "x", "256", "--"}},
		{"AES of 256 bits, revision 5", []string{"--allow-weak-crypto", "--encrypt", "", "x", "256", "--force-R5", "--"}},
		{"plain metadata", []string{"--encrypt", "", "x", "256", "--cleartext-metadata", "--"}},
		{"filling only", []string{"--encrypt", "", "x", "256", "--modify=form", "--"}},
		{"annotating only", []string{"--encrypt", "", "x", "256", "--modify=annotate", "--"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := convert(t, file, c.options...)
			out := fill(t, in, text(0, "Łukasz"))
			if !bytes.HasPrefix(out, in) {
				t.Error("the file itself has changed")
			}
			got := run(t, "qpdf", "--json", "--json-key=acroform", save(t, out))
			if !strings.Contains(got, `"value": "u:Łukasz"`) || !strings.Contains(got, `"A label with (parentheses) and \\"`) {
				t.Errorf("qpdf reads %s", got)
			}
			if got := run(t, "pdftotext", save(t, out), "-"); !strings.Contains(got, "Łukasz") {
				t.Errorf("pdftotext reads %q", got)
			}
		})
	}
}

func TestPermissions(t *testing.T) {
	file := widgets("", textWidget+">>")
	for _, c := range []struct {
		name    string
		user    string
		options []string
		value   Value
		refused error
	}{
		{"no filling", "", []string{"256", "--modify=none"}, text(0, "x"), Forbidden},
		{"assembly only", "", []string{"256", "--modify=assembly"}, text(0, "x"), Forbidden},
		{"filling", "", []string{"256", "--modify=form"}, text(0, "x"), nil},
		{"filling without printing", "", []string{"256", "--modify=form", "--print=none", "--extract=n"}, text(0, "x"), nil},
		{"filling without annotating", "", []string{"128", "--annotate=n", "--form=y", "--modify-other=n"}, text(0, "x"), nil},
		{"annotating without filling", "", []string{"128", "--annotate=y", "--form=n", "--modify-other=n"}, text(0, "x"), nil},
		{"neither", "", []string{"128", "--annotate=n", "--form=n", "--modify-other=y"}, text(0, "x"), Forbidden},
		{"neither, but a stamp", "", []string{"128", "--annotate=n", "--form=n", "--modify-other=y"}, stampValue("x"), nil},
		{"40 bits, annotating", "", []string{"40", "--annotate=y", "--modify=n"}, text(0, "x"), nil},
		{"40 bits, no annotating", "", []string{"40", "--annotate=n", "--modify=y"}, text(0, "x"), Forbidden},
		{"stamp without permission", "", []string{"256", "--modify=annotate"}, stampValue("x"), Forbidden},
		{"stamp", "", []string{"256", "--modify=all"}, stampValue("x"), nil},
		{"password", "secret", []string{"256"}, text(0, "x"), Encrypted},
		{"password of RC4", "secret", []string{"128"}, text(0, "x"), Encrypted},
	} {
		t.Run(c.name, func(t *testing.T) {
			options := append([]string{"--allow-weak-crypto", "--encrypt", c.user, "owner"}, c.options...)
			in := convert(t, file, append(options, "--")...)
			_, err := Fill(in, Order{Values: []Value{c.value}}, nil, fonts())
			if !errors.Is(err, c.refused) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestUnknownEncryption(t *testing.T) {
	in := convert(t, widgets("", textWidget+">>"), "--encrypt", "", "x", "256", "--")
	for _, c := range []struct{ name, from, to string }{
		{"another handler", "/Filter /Standard", "/Filter /Stranger"},
		{"plain strings", "/StrF /StdCF", "/StrF/Identity"},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := bytes.Replace(in, []byte(c.from), []byte(fmt.Sprintf("%-*s", len(c.from), c.to)), 1)
			if bytes.Equal(file, in) {
				t.Fatal("nothing replaced")
			}
			if _, err := Describe(file); !errors.Is(err, Encrypted) {
				t.Errorf("got %v", err)
			}
		})
	}
	direct := bytes.Replace(widgets("", textWidget+">>"), []byte("/Root 1 0 R"), []byte("/Root 1 0 R/Encrypt<</Filter/Standard/V 1/R 2>>"), 1)
	if _, err := Describe(direct); !errors.Is(err, Encrypted) {
		t.Errorf("encryption in the trailer: got %v", err)
	}
	if _, err := Describe(append([]byte("junk\n"), direct...)); !errors.Is(err, Encrypted) {
		t.Errorf("encryption in the trailer of a damaged file: got %v", err)
	}
}

// TestDamagedFiles fills files to which nothing can be appended.
func TestDamagedFiles(t *testing.T) {
	file := widgets("", textWidget+">>")
	cut, _, _ := bytes.Cut(file, []byte("startxref"))
	for _, c := range []struct {
		name string
		file []byte
	}{
		{"junk in front", append([]byte("junk\n"), file...)},
		{"wrong startxref", bytes.Replace(file, []byte("startxref\n"), []byte("startxref\n1"), 1)},
		{"no startxref", cut},
		{"wrong offset", wrongOffset(file)},
		{"encrypted", append([]byte("junk\n"), convert(t, file, "--encrypt", "", "x", "256", "--")...)},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := Fill(c.file, Order{Values: []Value{text(0, "Łukasz")}}, nil, fonts())
			if err != nil {
				t.Fatal(err)
			}
			if !r.Whole {
				t.Error("the update is not the whole file")
			}
			out := applied(c.file, r)
			check(t, out)
			if got := run(t, "pdftotext", save(t, out), "-"); !strings.Contains(got, "Łukasz") {
				t.Errorf("pdftotext reads %q", got)
			}
		})
	}
}

// TestLostPages checks that a file to which nothing can be appended is refused if pages are
// missing. Its other pages would seem to be all.
func TestLostPages(t *testing.T) {
	file := bytes.Replace(widgets("", textWidget+">>"), []byte("/Kids[3 0 R]"), []byte("/Kids[3 0 R 9 0 R]"), 1)
	for _, in := range [][]byte{file, append([]byte("junk\n"), file...)} {
		if _, err := Fill(in, Order{Values: []Value{text(0, "x")}}, nil, fonts()); !errors.Is(err, Damaged) {
			t.Errorf("got %v", err)
		}
	}
}

// TestNoPages checks that a catalog without pages counts as damaged.
func TestNoPages(t *testing.T) {
	if _, err := Describe(build("<</Type/Catalog>>")); !errors.Is(err, Damaged) {
		t.Errorf("got %v", err)
	}
}

// wrongOffset returns the file with a wrong offset of object 4.
func wrongOffset(file []byte) []byte {
	i := bytes.Index(file, []byte("4 0 obj"))
	return bytes.Replace(file, fmt.Appendf(nil, "%010d", i), fmt.Appendf(nil, "%010d", i+3), 1)
}

// TestFixtures fills the text field of every fixture.
func TestFixtures(t *testing.T) {
	for _, f := range pdfforms.All() {
		t.Run(f.Name, func(t *testing.T) {
			d, err := Describe(f.File)
			if err != nil {
				t.Fatal(err)
			}
			v := stampValue("Łukasz")
			for ref, x := range d.Details {
				if x.Name == f.Text && f.Text != "" {
					v = Value{Widgets: []Widget{{Ref: ref}}, Text: "Łukasz"}
				}
			}
			out := fill(t, f.File, v)
			if got := run(t, "pdftotext", save(t, out), "-"); !strings.Contains(got, "Łukasz") {
				t.Errorf("pdftotext reads %q", got)
			}
		})
	}
}

// TestAgain fills a file that has been filled before.
func TestAgain(t *testing.T) {
	for _, file := range [][]byte{pdfforms.Form(2), pdfforms.FormInStreams(2)} {
		out := fill(t, fill(t, file, text(0, "first"), stampValue("Stamp")), text(0, "second"), Value{Text: "Stamp", Stamps: []Stamp{{Page: 1, Box: layout.Box{Left: 0.5, Top: 0.7, Right: 0.9, Bottom: 0.8}}}})
		got := run(t, "pdftotext", save(t, out), "-")
		if strings.Contains(got, "first") || !strings.Contains(got, "second") || strings.Count(got, "Stamp") != 2 {
			t.Errorf("pdftotext reads %q", got)
		}
	}
}

// hybrid returns a file whose cross-reference table calls the widget free, and whose
// cross-reference stream, for newer readers, says where it is.
func hybrid() []byte {
	file := widgets("", textWidget+">>")
	at := bytes.Index(file, []byte("5 0 obj"))
	start := bytes.LastIndex(file, []byte("xref\n0 6"))
	stream := fmt.Sprintf("6 0 obj\n<</Type/XRef/Size 7/Root 1 0 R/W[1 2 1]/Index[5 1]/Length 4>>\nstream\n%s\nendstream\nendobj\n", []byte{1, byte(at >> 8), byte(at), 0})
	tail := bytes.Replace(file[start:], fmt.Appendf(nil, "%010d 00000 n", at), []byte("0000000000 00000 f"), 1)
	tail = bytes.Replace(tail, []byte("/Root"), fmt.Appendf(nil, "/XRefStm %d/Root", start), 1)
	tail = bytes.Replace(tail, []byte("startxref\n"+fmt.Sprint(start)), []byte("startxref\n"+fmt.Sprint(start+len(stream))), 1)
	return append(append(file[:start:start], stream...), tail...)
}

func TestHybridFile(t *testing.T) {
	out := fill(t, hybrid(), text(0, "Łukasz"))
	reopen(t, out).want(0, "V", "Łukasz")
	if got := run(t, "pdftotext", save(t, out), "-"); !strings.Contains(got, "Łukasz") {
		t.Errorf("pdftotext reads %q", got)
	}
}

// TestGenerations fills a file whose objects have been replaced by some of a higher
// generation.
func TestGenerations(t *testing.T) {
	file := widgets("", textWidget+">>")
	file = bytes.ReplaceAll(file, []byte("5 0 R"), []byte("5 3 R"))
	file = bytes.Replace(file, []byte("\n5 0 obj"), []byte("\n5 3 obj"), 1)
	row := fmt.Sprintf("%010d ", bytes.Index(file, []byte("5 3 obj")))
	file = bytes.Replace(file, []byte(row+"00000"), []byte(row+"00003"), 1)
	for _, in := range [][]byte{file, append([]byte("junk\n"), file...)} {
		r, err := Fill(in, Order{Values: []Value{text(0, "Łukasz")}}, nil, fonts())
		if err != nil {
			t.Fatal(err)
		}
		out := applied(in, r)
		check(t, out)
		if got := run(t, "pdftotext", save(t, out), "-"); !strings.Contains(got, "Łukasz") {
			t.Errorf("pdftotext reads %q", got)
		}
	}
}
