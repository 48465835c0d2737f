package document_test

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/libs/testkit/servicetest"
)

// TestDocuments runs the suite that the fake document service of other services' tests
// passes as well.
func TestDocuments(t *testing.T) {
	s := start(t, filepath.Join(t.TempDir(), "documents.db"))
	s.is(true)
	servicetest.TestDocuments(t, servicetest.DocumentsUnderTest{World: s.World, Add: s.add, Delete: func(id string) {
		if _, err := bus.Call(patience.Context(t), s.Caller, documentapi.Delete, principal, documentapi.DeleteRequest{DocumentID: id}); err != nil {
			t.Fatal(err)
		}
	}})
}

// add creates a document and uploads the contents of its files.
func (s *service) add(files ...servicetest.File) string {
	s.T.Helper()
	r := documentapi.CreateRequest{ID: contract.NewID(contract.DocumentPrefix), Name: "x", State: documentapi.Draft, CreatedBy: principal.User, UpdatedBy: principal.User}
	for _, f := range files {
		r.Files = append(r.Files, documentapi.NewFile{Name: f.Name, Type: f.Type})
	}
	created, err := bus.Call(patience.Context(s.T), s.Caller, documentapi.Create, principal, r)
	if err != nil {
		s.T.Fatal(err)
	}
	for i, f := range files {
		if f.Fault != "" {
			continue
		}
		upload, err := http.NewRequestWithContext(s.T.Context(), http.MethodPut, created.Files[i].UploadURL, strings.NewReader(f.Content))
		if err != nil {
			s.T.Fatal(err)
		}
		response, err := http.DefaultClient.Do(upload)
		if err != nil {
			s.T.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != http.StatusOK {
			s.T.Fatalf("the upload returns %s", response.Status)
		}
	}
	return created.ID
}
