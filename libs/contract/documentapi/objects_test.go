package documentapi_test

import (
	"testing"

	"github.com/rectohq/recto/libs/contract/documentapi"
)

func TestSealedKey(t *testing.T) {
	upload := documentapi.UploadKey("org_1", "doc_2", "file_3")
	if key, ok := documentapi.SealedKey(upload); !ok || key != documentapi.ContentKey("org_1", "doc_2", "file_3") {
		t.Errorf("%s is sealed as %q, %v", upload, key, ok)
	}
	for _, key := range []string{
		"", "incoming/", "incoming/.keep", "incoming/strange", "incoming/a.b", "incoming/a..c", "incoming/a.b.", "incoming/.b.c", "incoming/a.b.c.d",
		"incoming/../content/a.b.c", "incoming/a/b.c.d", "content/org_1/doc_2/file_3", "Incoming/a.b.c",
	} {
		if sealed, ok := documentapi.SealedKey(key); ok {
			t.Errorf("%q is accepted as an upload, sealed as %q", key, sealed)
		}
	}
}

func TestStagedKey(t *testing.T) {
	key := documentapi.StagedKey("org_1", "doc_1", "file_1", 12)
	if got, ok := documentapi.ParseStagedKey(key); !ok || got != (documentapi.Upload{Organization: "org_1", Document: "doc_1", File: "file_1"}) {
		t.Errorf("%s is parsed as %+v, %t", key, got, ok)
	}
	if _, ok := documentapi.SealedKey(key); ok {
		t.Error("a staged part is accepted as an upload")
	}
	for _, key := range []string{"", "incoming/org_1.doc_1.file_1", "incoming/org_1.doc_1.12", "incoming/.keep", "content/org_1.doc_1.file_1.0", "incoming/org_1.doc_1.file_1.-1"} {
		if got, ok := documentapi.ParseStagedKey(key); ok {
			t.Errorf("%q is parsed as %+v", key, got)
		}
	}
}
