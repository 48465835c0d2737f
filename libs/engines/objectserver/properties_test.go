package objectserver_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/minio/minio-go/v7"

	"github.com/rectohq/recto/libs/engines/objectserver"
)

// noAttributes is the environment variable that makes the tests use a server on a file
// system without extended attributes.
const noAttributes = "OBJECTSERVER_TEST_NO_ATTRIBUTES"

// TestWithoutAttributes runs the tests with a server on a file system without extended
// attributes, in another process.
func TestWithoutAttributes(t *testing.T) {
	c := exec.CommandContext(t.Context(), os.Args[0], "-test.v", "-test.timeout=5m", "-test.skip=^TestWithoutAttributes$")
	c.Env = append(os.Environ(), noAttributes+"=1")
	out, err := c.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: TestPutOnceAfterACrash") {
		t.Fatalf("%v\n%s", err, out)
	}
}

// TestPutOnceAfterACrash checks that an object does not exist for a conditional put if the
// server stored only its properties before it died.
func TestPutOnceAfterACrash(t *testing.T) {
	const key = "crashed/object"
	properties := filepath.Join(objectserver.Properties(filepath.Dir(spooled)), bucket, key, "meta")
	if err := os.MkdirAll(properties, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(properties, "etag"), []byte("0cc175b9c0f1b6a831c399e269772661"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"", minio.PreconditionFailed} {
		options := minio.PutObjectOptions{}
		options.SetMatchETagExcept("*")
		_, err := client.PutObject(t.Context(), bucket, key, strings.NewReader("b"), 1, options)
		if got := minio.ToErrorResponse(err).Code; got != want {
			t.Fatalf("the put returns %q (%v), want %q", got, err, want)
		}
	}
	if got := read(t, key); got != "b" {
		t.Errorf("the object reads %q", got)
	}
}
