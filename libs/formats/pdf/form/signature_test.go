package form

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/testkit/pdfforms"
)

func TestSignedFile(t *testing.T) {
	for _, c := range []struct {
		name string
		file []byte
		// index is that of a field that may be filled, or -1.
		index int
	}{
		{"approved", pdfforms.Sign(t, pdfforms.Form(3)), 0},
		{"approved, in streams", pdfforms.Sign(t, pdfforms.FormInStreams(3)), 0},
		{"certified 1", pdfforms.Certified(t, 1), -1},
		{"certified 2", pdfforms.Certified(t, 2), 0},
		{"certified 3", pdfforms.Certified(t, 3), 0},
		{"locked", pdfforms.Locked(t), 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := Describe(c.file)
			if err != nil || !d.Signed {
				t.Fatalf("got %v, %v", d, err)
			}
			if _, err := Fill(c.file, Order{Values: []Value{stampValue("x")}}, nil, fonts()); !errors.Is(err, SignedPage) && c.index >= 0 {
				t.Errorf("stamp: got %v", err)
			}
			if c.index < 0 {
				_, err := Fill(c.file, Order{Values: []Value{text(0, "x")}}, nil, fonts())
				if !errors.Is(err, Certified) {
					t.Errorf("got %v", err)
				}
				return
			}
			out := fill(t, c.file, text(c.index, "Łukasz"))
			if !bytes.HasPrefix(out, c.file) {
				t.Error("the signed bytes have changed")
			}
			pdfforms.CheckSignatures(t, out)
			r := reopen(t, out)
			r.want(c.index, "V", "Łukasz", "Ff", reopen(t, c.file).get(c.index, "Ff"))
			if !strings.Contains(run(t, "pdftotext", save(t, out), "-"), "Łukasz") {
				t.Error("the value is missing")
			}
		})
	}
}

// signedForm returns a form with a signature field whose signature has no CMS message, and
// two text fields.
func signedForm(acro, field, signature string) []byte {
	return widgets(acro,
		textWidget+"/V(old)/RV(old)>>", strings.Replace(textWidget, "name", "party) /TU(", 1)+"/V(old)>>",
		"<</Subtype/Widget/Rect[0 0 9 9]/FT/Sig/T(s)/V<</Type/Sig/Contents<00>/ByteRange[0 1 2 3]"+signature+">>"+field+">>",
		"<</Subtype/Widget/Rect[0 50 9 99]/FT/Ch/T(list)/I[0]/Opt[(a)(b)]>>")
}

func TestSignaturePermissions(t *testing.T) {
	reference := func(method, parameters string) string {
		return "/Reference[7<</TransformMethod/" + method + "/TransformParams<<" + parameters + ">>>>]"
	}
	for _, c := range []struct {
		name, field, signature string
		index                  int
		want                   error
	}{
		{"approval", "", "", 0, nil},
		{"default certification", "", reference("DocMDP", ""), 0, nil},
		{"certification", "", reference("DocMDP", "/P 1"), 0, Certified},
		{"unknown certification", "", reference("DocMDP", "/P 9"), 0, nil},
		{"lock all", "", reference("FieldMDP", "/Action/All"), 0, Locked},
		{"lock another", "", reference("FieldMDP", "/Action/Include/Fields[(party)]"), 0, nil},
		{"lock this", "", reference("FieldMDP", "/Action/Include/Fields[(party)]"), 1, Locked},
		{"lock but this", "", reference("FieldMDP", "/Action/Exclude/Fields[(party)]"), 1, nil},
		{"lock but another", "", reference("FieldMDP", "/Action/Exclude/Fields[(name)]"), 1, Locked},
		{"unknown lock", "", reference("FieldMDP", "/Action/Perhaps"), 0, nil},
		{"lock of an ancestor's name", "", reference("FieldMDP", "/Action/Include/Fields[(par)(part)(party.)(.party)()]"), 1, nil},
		{"lock of many", "", reference("FieldMDP", "/Action/Include/Fields["+strings.Repeat("(x)", maxLocked+1)+"]"), 0, Locked},
		{"lock of a long name", "", reference("FieldMDP", "/Action/Include/Fields[("+strings.Repeat("x", maxName+1)+")]"), 0, Locked},
		{"two locks", "", "/Reference[<</TransformMethod/FieldMDP/TransformParams<</Action/Include/Fields[(x)]>>>><</TransformMethod/FieldMDP/TransformParams<</Action/Include/Fields[(name)]>>>>]", 0, Locked},
		{"lock without a list", "", reference("FieldMDP", "/Action/Include"), 0, nil},
		{"lock but no list", "", reference("FieldMDP", "/Action/Exclude"), 0, Locked},
		{"lock by UTF-16", "", reference("FieldMDP", "/Action/Include/Fields[<FEFF006E0061006D0065>]"), 0, Locked},
		{"certification 2", "", reference("DocMDP", "/P 2"), 0, nil},
		{"certification 3", "", reference("DocMDP", "/P 3"), 0, nil},
		{"lock of the field", "/Lock<</Action/Include/Fields[(name)]>>", "", 0, Locked},
		{"lock of the file", "/Lock<</Action/Include/Fields[]/P 1>>", reference("DocMDP", "/P 3"), 0, Certified},
		{"the signature", "", "", 2, Locked},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Fill(signedForm("", c.field, c.signature), Order{Values: []Value{text(c.index, "x")}}, nil, fonts())
			if !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
		})
	}
}

// TestLockOfFamily checks that a lock that names a field covers its kids, and no others.
func TestLockOfFamily(t *testing.T) {
	for _, c := range []struct {
		lock string
		want error
	}{
		{"/Action/Include/Fields[(party)]", Locked},
		{"/Action/Include/Fields[(party.name)]", Locked},
		{"/Action/Include/Fields[(party.nam)(party.name.first)(name)]", nil},
		{"/Action/Exclude/Fields[(party)]", nil},
		{"/Action/Exclude/Fields[(party.other)]", Locked},
	} {
		file := build("<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[4 0 R 6 0 R]>>>>",
			"<</Type/Pages/Kids[3 0 R]/Count 1>>",
			"<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 400]/Annots[5 0 R 6 0 R]>>",
			"<</T(party)/FT/Tx/Kids[5 0 R]>>",
			"<</Subtype/Widget/Rect[0 0 99 19]/Parent 4 0 R/T(name)>>",
			"<</Subtype/Widget/Rect[0 0 9 9]/FT/Sig/T(s)/V<</Contents<00>/Reference[<</TransformMethod/FieldMDP/TransformParams<<"+c.lock+">>>>]>>>>")
		if _, err := Fill(file, Order{Values: []Value{text(0, "x")}}, nil, fonts()); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", c.lock, err, c.want)
		}
	}
}

// TestManySignatures checks that nothing is permitted where not all signatures are read.
func TestManySignatures(t *testing.T) {
	for _, n := range []int{maxSignatures, maxSignatures + 1} {
		ws := []string{textWidget + ">>"}
		for range n {
			ws = append(ws, "<</Subtype/Widget/Rect[0 0 9 9]/FT/Sig/V<</Contents<00>>>>>")
		}
		var want error
		if n > maxSignatures {
			want = Certified
		}
		if _, err := Fill(widgets("", ws...), Order{Values: []Value{text(0, "x")}}, nil, fonts()); !errors.Is(err, want) {
			t.Errorf("%d signatures: got %v", n, err)
		}
	}
}

// TestLockWithoutNames checks that a lock holds where the names of fields are too long to be
// read.
func TestLockWithoutNames(t *testing.T) {
	const first, shared = 7, 10 // objects: three ancestors, and the name that all have
	ws := []string{textWidget + ">>", "<</Subtype/Widget/Rect[0 0 9 9]/FT/Sig/T(s)/V<</Contents<00>/Reference[<</TransformMethod/FieldMDP/TransformParams<</Action/Include/Fields[(y)]>>>>]>>>>"}
	for i := range 3 {
		ws = append(ws, fmt.Sprintf("<</T %d 0 R/FT/Tx/Parent %d 0 R>>", shared, first+i+1))
	}
	ws = append(ws, "("+strings.Repeat("x", maxName)+")")
	for range maxTexts/(4*maxName) + 1 {
		ws = append(ws, fmt.Sprintf("<</Subtype/Widget/Rect[0 0 9 9]/Parent %d 0 R/T %d 0 R>>", first, shared))
	}
	file := widgets("", ws...)
	if _, err := Fill(file, Order{Values: []Value{text(0, "x")}}, nil, fonts()); !errors.Is(err, Locked) {
		t.Errorf("got %v", err)
	}
}

// TestSignedFileKeepsItsForm checks that nothing but values and their appearances changes.
func TestSignedFileKeepsItsForm(t *testing.T) {
	file := signedForm("/NeedAppearances true/XFA[(a) 4 0 R]", "", "")
	r := reopen(t, fill(t, file, text(0, "new"), text(3, "b")))
	if r.acro.Dict["NeedAppearances"] == nil || r.acro.Dict["XFA"] == nil {
		t.Errorf("the form is %v", r.acro)
	}
	r.want(0, "V", "new", "RV", "old", "Ff", "")
	r.want(3, "V", "b", "I", "0")
}

func TestSignatureThatTheFormLacks(t *testing.T) {
	file := bytes.Replace(signedForm("", "", "/Reference[<</TransformMethod/DocMDP/TransformParams<</P 1>>>>]"),
		[]byte("/Fields[5 0 R 6 0 R 7 0 R 8 0 R ]"), []byte("/Fields[5 0 R 6 0 R             ]"), 1)
	if _, err := Fill(file, Order{Values: []Value{text(0, "x")}}, nil, fonts()); !errors.Is(err, Certified) {
		t.Errorf("got %v", err)
	}
}

// TestSignedFileThatIsDamaged checks that a file is not repaired if that breaks its signature.
func TestSignedFileThatIsDamaged(t *testing.T) {
	signed := pdfforms.Sign(t, pdfforms.Form(3))
	usage := signedForm("", "", "/Reference[<</TransformMethod /UR3>>]")
	usage = bytes.Replace(usage, []byte("/FT/Sig"), []byte("/FT/Txt"), 1)
	for _, c := range []struct {
		name string
		file []byte
		want error
	}{
		{"junk in front", append([]byte("junk\n"), signed...), SignedDamaged},
		{"no startxref", bytes.ReplaceAll(signed, []byte("startxref"), []byte("startxxxx")), SignedDamaged},
		{"no form", bytes.ReplaceAll(append([]byte("junk\n"), signed...), []byte("/AcroForm"), []byte("/AcroXxxx")), SignedDamaged},
		{"no catalog", bytes.ReplaceAll(signed, []byte("/Catalog"), []byte("/Xxxxxxx")), nil},
		{"no objects", bytes.ReplaceAll(signed, []byte(" obj"), []byte(" xxx")), SignedDamaged},
		{"signature without a message", append([]byte("junk\n"), signedForm("", "", "")...), SignedDamaged},
		{"usage rights", append([]byte("junk\n"), usage...), nil},
		{"not signed", append([]byte("junk\n"), pdfforms.Form(3)...), nil},
		{"not damaged", signed, nil},
	} {
		if _, err := Fill(c.file, Order{Values: []Value{text(0, "x")}}, nil, fonts()); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, err, c.want)
		}
	}
}
