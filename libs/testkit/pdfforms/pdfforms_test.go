package pdfforms_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/rectohq/recto/libs/testkit/pdfforms"
)

func TestFilesAreValid(t *testing.T) {
	all := append(pdfforms.All(),
		pdfforms.Named{Name: "long", File: pdfforms.Long(2000)}, pdfforms.Named{Name: "only XFA", File: pdfforms.OnlyXFA()},
		pdfforms.Named{Name: "other annotations", File: pdfforms.Annotated()})
	for _, n := range all {
		t.Run(n.Name, func(t *testing.T) { pdfforms.Check(t, n.File) })
	}
}

func TestFilesAreTheSameEachTime(t *testing.T) {
	again := pdfforms.All()
	for i, n := range pdfforms.All() {
		if !bytes.Equal(n.File, again[i].File) {
			t.Errorf("%s differs", n.Name)
		}
	}
}

func TestSignatures(t *testing.T) {
	files := map[string][]byte{"signed": pdfforms.Sign(t, pdfforms.Form(20)), "locked": pdfforms.Locked(t)}
	for level := 1; level <= 3; level++ {
		files[fmt.Sprintf("certified at level %d", level)] = pdfforms.Certified(t, level)
	}
	for name, file := range files {
		t.Run(name, func(t *testing.T) {
			pdfforms.Check(t, file)
			pdfforms.CheckSignatures(t, file)
		})
	}
}

func TestCheckSignaturesSeesChanges(t *testing.T) {
	changed := bytes.Replace(pdfforms.Certified(t, 2), []byte("(Application)"), []byte("(application)"), 1)
	for name, file := range map[string][]byte{"changed": changed, "not signed": pdfforms.Form(1)} {
		failed := &recorder{TB: t}
		pdfforms.CheckSignatures(failed, file)
		if !failed.failed {
			t.Errorf("%s: no failure", name)
		}
	}
}

// recorder records a failure instead of failing the test.
type recorder struct {
	testing.TB
	failed bool
}

func (r *recorder) Errorf(string, ...any) { r.failed = true }
func (r *recorder) Fatalf(string, ...any) { r.failed = true }

func TestEncrypt(t *testing.T) {
	plain := pdfforms.EveryKind()
	for name, file := range map[string][]byte{
		"AES": pdfforms.Encrypt(t, plain, "", "owner", "--form=n"), "RC4": pdfforms.EncryptWeakly(t, plain, "", "owner"),
	} {
		t.Run(name, func(t *testing.T) {
			pdfforms.Check(t, file)
			if !bytes.Contains(file, []byte("/Encrypt")) {
				t.Error("the file is not encrypted")
			}
		})
	}
}
