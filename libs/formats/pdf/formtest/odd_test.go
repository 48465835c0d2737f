package formtest

import (
	"bytes"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/pdf/form"
	"github.com/rectohq/recto/libs/testkit/pdfforms"
)

// TestOddStructures fills files whose structure few programs write. If nothing can be appended
// to a file, the whole file is written.
func TestOddStructures(t *testing.T) {
	r := newReader(t, 1<<30)
	plain := pdfforms.Form(2)
	wide := bytes.Replace(plain, []byte("00000 n \n"), []byte("00000 n  \n"), 1)
	long := bytes.Replace(plain, []byte("\n0000000000 65535 f \n0"), []byte("\n0000000000 65535 f \n00"), 1)
	for _, c := range []struct {
		name   string
		file   []byte
		append bool
	}{
		{"linearized", pass(t, plain, "--linearize"), true},
		{"linearized, in object streams", pass(t, plain, "--linearize", "--object-streams=generate"), true},
		{"hybrid", pdfforms.Hybrid(), true},
		{"generation 3", pdfforms.Generations(), true},
		{"mail in front", pdfforms.Preceded(plain, "Subject: form\r\n\r\n", false), false},
		{"mail in front that offsets count", pdfforms.Preceded(plain, "Subject: form\r\n\r\n", true), false},
		{"a row of 21 bytes", wide, true},
		{"an offset of 11 digits", long, false},
		{"nothing after the end of the file", bytes.TrimRight(plain, "\n"), true},
		{"much after the end of the file", append(bytes.Clone(plain), strings.Repeat("\n% comment", 1000)...), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := r.with(t)
			out := c.file
			for _, v := range []script{{"Latin", "first"}, {"Greek", "Καλημέρα"}} {
				before := out
				out, _ = r.fill(before, order(first(v.text)))
				if appended := bytes.HasPrefix(out, before); appended != (c.append || len(before) != len(c.file)) {
					t.Errorf("%s was appended: %v", v.text, appended)
				}
				pdfforms.Check(t, out)
				if w := r.field(r.read(out), "field_1")[0]; w.Value != v.text {
					t.Errorf("PDFium reads %q, want %q", w.Value, v.text)
				}
				if got := written(t, out)["field_1"]; got != "u:"+v.text {
					t.Errorf("qpdf reads %q, want %q", got, v.text)
				}
				readable(r, out, v)
			}
		})
	}
}

// pass passes a file through qpdf with these options.
func pass(t testing.TB, file []byte, options ...string) []byte {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out.pdf")
	run(t, file, "qpdf", append(options, "FILE", out)...)
	b, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestMarks checks values that begin like byte order marks, in the order in which bytes are
// mistaken for them.
func TestMarks(t *testing.T) {
	r := newReader(t, 1<<30)
	empty := pdfforms.Form(20)
	f := r.read(empty)
	marked := []string{"þÿ", "þÿab", "ÿþ", "ÿþab", "ï»¿", "ï»¿ab", "þ", "aþÿ", "\ufeffab"}
	var values []form.Value
	for i, s := range marked {
		values = append(values, text(f.Fields[i:i+1], s))
	}
	filled, _ := r.fill(empty, order(values...))
	pdfforms.Check(t, filled)
	after, byQPDF := r.read(filled), written(t, filled)
	for i, s := range marked {
		w := after.Fields[i]
		// qpdf shows bytes where a text without a mark is not ASCII.
		want := "u:" + s
		if s == "þ" || s == "aþÿ" {
			want = "b:" + hex.EncodeToString(latin(s))
		}
		if got := byQPDF[w.Name]; got != want {
			t.Errorf("qpdf reads %q, want %q", got, want)
		}
		// Package pdf removes the mark from what it reads.
		if want := strings.TrimPrefix(s, "\ufeff"); w.Value != want {
			t.Errorf("PDFium reads %q, want %q", w.Value, want)
		}
	}
}

// latin returns a text in Latin-1.
func latin(s string) (b []byte) {
	for _, c := range s {
		b = append(b, byte(c))
	}
	return b
}

// TestStateNames checks buttons whose states have names in any encoding. Filling
// distinguishes the states, and writes their names unchanged.
func TestStateNames(t *testing.T) {
	r := newReader(t, 1<<30)
	empty := pdfforms.States()
	names := pdfforms.StateNames()
	widgets := r.field(r.read(empty), "choice")
	if len(widgets) != len(names) {
		t.Fatalf("%d widgets", len(widgets))
	}
	seen := map[string]bool{}
	for i, name := range names {
		if state := widgets[i].Details.State; state == "" || seen[state] {
			t.Errorf("the state of widget %d is %q", i, state)
		}
		seen[widgets[i].Details.State] = true
		v := text(widgets, "")
		v.Widgets[i].On = true
		filled, _ := r.fill(empty, order(v))
		pdfforms.Check(t, filled)
		for j, w := range r.field(r.read(filled), "choice") {
			if w.Checked != (i == j) {
				t.Errorf("PDFium: after filling %q, %q is on: %v", name, names[j], w.Checked)
			}
		}
		agree(t, pictures(r, filled, 1, width), widgets[i].Box)
	}
}
