package servicetest

import (
	"io"
	"testing"

	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/checksum"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/testkit/patience"
)

// DocumentsUnderTest is a document service, fake or real.
type DocumentsUnderTest struct {
	*World
	// Add stores a document of org_1 in the state draft with the files, and returns its
	// id. A file with a Fault is one that was never uploaded.
	Add func(files ...File) string
	// Delete deletes a document.
	Delete func(id string)
}

var (
	owner    = contract.Principal{Organization: "org_1"}
	stranger = contract.Principal{Organization: "org_2"}
)

// TestDocuments tests what other services ask of the document service.
func TestDocuments(t *testing.T, d DocumentsUnderTest) {
	id := d.Add(File{Name: "a.txt", Type: "text/plain", Content: "words"}, File{Name: "b.txt", Type: "text/plain", Fault: documentapi.NotUploaded})
	t.Run("contents", func(t *testing.T) { d.testContents(t, id) })
	t.Run("refusals", func(t *testing.T) { d.testRefusals(t, id) })
	t.Run("status", func(t *testing.T) { d.testStatus(t, id) })
	t.Run("deleted", func(t *testing.T) {
		d.Delete(id)
		if _, err := d.get(t, owner, id, documentapi.Version{}); !problem.Is(err, problem.DocumentNotFound) {
			t.Errorf("the contents of a deleted document: %v", err)
		}
		if deleted, err := d.status(t, owner, id); !deleted || err != nil {
			t.Errorf("the status of a deleted document: %v, %v", deleted, err)
		}
	})
}

// get returns the contents of a version, and checks that Get answers alike.
func (d DocumentsUnderTest) get(t *testing.T, p contract.Principal, id string, version documentapi.Version) (documentapi.ContentsResponse, error) {
	t.Helper()
	r := documentapi.GetRequest{DocumentID: id, Version: version}
	contents, err := bus.Call(patience.Context(t), d.Caller, documentapi.Contents, p, r)
	shown, getErr := bus.Call(patience.Context(t), d.Caller, documentapi.Get, p, r)
	if (err == nil) != (getErr == nil) || shown.VersionNumber != contents.VersionNumber || len(shown.Files) != len(contents.Files) {
		t.Errorf("Get answers %+v, %v, and Contents %+v, %v", shown, getErr, contents, err)
	}
	return contents, err
}

// status reports whether a document is deleted.
func (d DocumentsUnderTest) status(t *testing.T, p contract.Principal, id string) (bool, error) {
	t.Helper()
	s, err := bus.Call(patience.Context(t), d.Caller, documentapi.Status, p, documentapi.StatusRequest{DocumentID: id})
	return s.Deleted, err
}

func (d DocumentsUnderTest) testContents(t *testing.T, id string) {
	for _, version := range []documentapi.Version{{}, {Number: 1, Given: true}} {
		got, err := d.get(t, owner, id, version)
		if err != nil || got.DocumentID != id || got.VersionNumber != 1 || len(got.Files) != 2 {
			t.Fatalf("version %+v: %+v, %v", version, got, err)
		}
		sealed, missing := got.Files[0], got.Files[1]
		sums := checksum.New()
		body, _, err := d.Blobs.Get(t.Context(), sealed.Key)
		if err != nil {
			t.Fatal(err)
		}
		size, err := io.Copy(sums, body)
		_ = body.Close()
		if has := (checksum.Sums{SHA256: sealed.SHA256, MD5: sealed.MD5, CRC32C: sealed.CRC32C}); err != nil || size != 5 || sealed.Size != size || has != sums.Sums() {
			t.Errorf("the object has %d bytes, %v, %v; the answer is %+v", size, sums.Sums(), err, sealed)
		}
		if sealed.Name != "a.txt" || sealed.Type != "text/plain" || sealed.SealedAt == 0 || sealed.Fault != "" {
			t.Errorf("the uploaded file is %+v", sealed)
		}
		missing.ID = ""
		if (missing != documentapi.Content{Name: "b.txt", Type: "text/plain", Fault: documentapi.NotUploaded}) {
			t.Errorf("the file that was not uploaded is %+v", missing)
		}
	}
}

func (d DocumentsUnderTest) testRefusals(t *testing.T, id string) {
	for name, tc := range map[string]struct {
		p       contract.Principal
		id      string
		version int
		code    problem.Code
	}{
		"another organization": {stranger, id, 0, problem.DocumentNotFound},
		"unknown":              {owner, "doc_unknown", 0, problem.DocumentNotFound},
		"unknown version":      {owner, id, 7, problem.VersionNotFound},
	} {
		if got, err := d.get(t, tc.p, tc.id, documentapi.Version{Number: tc.version, Given: tc.version > 0}); !problem.Is(err, tc.code) || len(got.Files) > 0 {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func (d DocumentsUnderTest) testStatus(t *testing.T, id string) {
	if deleted, err := d.status(t, owner, id); deleted || err != nil {
		t.Errorf("before it is deleted: %v, %v", deleted, err)
	}
	if deleted, err := d.status(t, stranger, id); deleted || !problem.Is(err, problem.DocumentNotFound) {
		t.Errorf("another organization: %v, %v", deleted, err)
	}
	if deleted, err := d.status(t, owner, "doc_unknown"); deleted || !problem.Is(err, problem.DocumentNotFound) {
		t.Errorf("an unknown document: %v, %v", deleted, err)
	}
}
