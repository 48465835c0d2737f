package servicetest_test

import (
	"os"
	"testing"

	"github.com/rectohq/recto/libs/blob/blobtest"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/testkit/servicetest"
)

func TestMain(m *testing.M) { os.Exit(blobtest.Main(m)) }

// TestFakeDocuments runs the suite of the real document service against the fake one.
func TestFakeDocuments(t *testing.T) {
	w := servicetest.New(t)
	d := w.Documents()
	servicetest.TestDocuments(t, servicetest.DocumentsUnderTest{World: w, Delete: d.Delete, Add: func(files ...servicetest.File) string {
		return d.Add("org_1", documentapi.Draft, files...)
	}})
}
