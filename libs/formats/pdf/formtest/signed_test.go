package formtest

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/libs/formats/pdf"
	"github.com/rectohq/recto/libs/formats/pdf/form"
	"github.com/rectohq/recto/libs/formats/pdf/typeset"
	"github.com/rectohq/recto/libs/testkit/pdfforms"
)

// TestSigned fills signed forms. Their signatures remain valid, because the bytes that they
// cover stay.
func TestSigned(t *testing.T) {
	r := newReader(t, 1<<30)
	for name, file := range map[string][]byte{
		"signed":           pdfforms.Sign(t, pdfforms.Form(20)),
		"certified for 2":  pdfforms.Certified(t, 2),
		"certified for 3":  pdfforms.Certified(t, 3),
		"another is fixed": pdfforms.Locked(t),
		"this is not":      pdfforms.LockedBy(t, "Exclude", "field_2", "field_3"),
		"in streams":       pdfforms.Sign(t, pdfforms.FormInStreams(20)),
		"linearized":       pdfforms.Sign(t, pass(t, pdfforms.Form(20), "--linearize")),
		"signed twice":     pdfforms.Sign(t, pdfforms.Sign(t, pdfforms.Form(20))),
	} {
		t.Run(name, func(t *testing.T) {
			r := r.with(t)
			widgets := r.field(r.read(file), "field_2")
			filled, _ := r.fill(file, order(text(widgets, "Zoë Müller")))
			if !bytes.HasPrefix(filled, file) {
				t.Error("the signed bytes have changed")
			}
			pdfforms.Check(t, filled)
			pdfforms.CheckSignatures(t, filled)
			if w := r.field(r.read(filled), "field_2")[0]; w.Value != "Zoë Müller" || w.ReadOnly {
				t.Errorf("PDFium reads %q, read-only: %v", w.Value, w.ReadOnly)
			}
			agree(t, pictures(r, filled, 1, width), widgets[0].Box)
		})
	}
}

// TestRefused checks that files that must not be filled are refused.
func TestRefused(t *testing.T) {
	r := newReader(t, 1<<30)
	signed := pdfforms.Sign(t, pdfforms.Form(20))
	onto := form.Value{Text: "x", Stamps: []form.Stamp{{Page: 1, Box: layout.Box{Left: 0.2, Top: 0.7, Right: 0.6, Bottom: 0.73}}}}
	for name, tt := range map[string]struct {
		file  []byte
		value form.Value
		want  string
	}{
		"certified for 1":           {pdfforms.Certified(t, 1), first("x"), "its signature permits no changes"},
		"a locked field":            {pdfforms.Locked(t), first("x"), "locks one of the fields"},
		"a field not excluded":      {pdfforms.LockedBy(t, "Exclude", "field_2"), first("x"), "locks one of the fields"},
		"all fields":                {pdfforms.LockedBy(t, "All"), first("x"), "locks one of the fields"},
		"the page of a signed file": {signed, onto, "outside of its form fields"},
		"damaged and signed":        {append([]byte("junk\n"), signed...), first("x"), "to repair it would break the signature"},
		"unreadable and signed":     {unreadable(signed), first("x"), "to repair it would break the signature"},
		"only XFA":                  {pdfforms.OnlyXFA(), onto, "XFA form"},
		"a password to open":        {pdfforms.Encrypt(t, pdfforms.Form(2), "user", "owner"), first("x"), "remove its password"},
		"filling is forbidden":      {pdfforms.Encrypt(t, pdfforms.Form(2), "", "owner", "--modify=none"), first("x"), "permits no filling"},
		"no such page":              {pdfforms.Form(2), form.Value{Text: "x", Stamps: []form.Stamp{{Page: 9, Box: layout.Box{Right: 1, Bottom: 1}}}}, "no such page"},
		"no such widget":            {pdfforms.Form(2), form.Value{Text: "x", Widgets: []form.Widget{{Ref: form.Ref{Page: 1, Annotation: 99}}}}, "no such page"},
	} {
		var out bytes.Buffer
		_, err := r.Fill(t.Context(), bytes.NewReader(tt.file), int64(len(tt.file)), order(tt.value), &out)
		var refused *pdf.Error
		if !errors.As(err, &refused) || !strings.Contains(refused.Reason, tt.want) {
			t.Errorf("%s: got %v, want %q", name, err, tt.want)
		}
		if out.Len() != 0 {
			t.Errorf("%s: %d bytes were written", name, out.Len())
		}
	}
}

// TestDamagedSignatures checks that no signed file is written as a whole, whatever its damage.
func TestDamagedSignatures(t *testing.T) {
	fonts, filled, refused := typeset.NewFonts("/usr/share/fonts"), 0, 0
	signed := [][]byte{pdfforms.Certified(t, 2), pdfforms.Sign(t, pdfforms.Form(20)), pdfforms.Sign(t, pdfforms.FormInStreams(20))}
	for seed := range mutations(t) {
		b := damaged(rand.New(rand.NewPCG(uint64(seed), 181818)), signed[seed%len(signed)])
		if !ranges.Match(b) {
			continue
		}
		result, err := form.Fill(b, order(first("Zoë")).Order, nil, fonts)
		switch {
		case err != nil:
			refused++
		case result.Whole:
			t.Errorf("seed %d: the whole file was written", seed)
		default:
			filled++
		}
	}
	t.Logf("%d filled, %d refused", filled, refused)
	if filled == 0 || refused == 0 {
		t.Error("the damages are too small or too large")
	}
}

// ranges matches what tells that a file is signed.
var ranges = regexp.MustCompile(`/ByteRange ?\[`)

// unreadable returns the file with a version that PDFium can read, but package form cannot.
func unreadable(file []byte) []byte {
	return bytes.Replace(file, []byte("%PDF-1."), []byte("%PDF-9."), 1)
}

// TestUnreadable checks that a file that is not signed is filled after PDFium has repaired it.
func TestUnreadable(t *testing.T) {
	r := newReader(t, 1<<30)
	file := unreadable(pdfforms.Form(2))
	if _, err := form.Describe(file); !errors.Is(err, form.Damaged) {
		t.Fatalf("package form can read the file: %v", err)
	}
	filled, _ := r.fill(file, order(first("Zoë")))
	pdfforms.Check(t, filled)
	if w := r.field(r.read(filled), "field_1")[0]; w.Value != "Zoë" {
		t.Errorf("PDFium reads %q", w.Value)
	}
	readable(r, filled, script{"Latin", "Zoë"})
}

// first returns the value that writes text into the first widget.
func first(text string) form.Value {
	return form.Value{Text: text, Widgets: []form.Widget{{Ref: form.Ref{Page: 1}}}}
}

// TestLastPages checks that a page near the end of a long file is filled and drawn.
func TestLastPages(t *testing.T) {
	r := newReader(t, 1<<30)
	file := pdfforms.Long(2000)
	for _, page := range []int{1, 1000, 2000} {
		v := first("Zoë")
		v.Widgets[0].Page = page
		filled, _ := r.fill(file, order(v))
		var own bytes.Buffer
		if err := r.Render(t.Context(), bytes.NewReader(filled), int64(len(filled)), page, 400, &own); err != nil {
			t.Fatal(err)
		}
		words, err := r.Words(t.Context(), bytes.NewReader(filled), int64(len(filled)), page)
		if err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprintf("This is page %d of 2000", page); !bytes.Contains([]byte(words.Text), []byte(want)) || !bytes.Contains([]byte(words.Text), []byte("Zoë")) {
			t.Errorf("page %d has the text %q", page, words.Text)
		}
	}
}
