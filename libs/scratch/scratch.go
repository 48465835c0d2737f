// Package scratch provides the files that services work on: copies of objects, and
// results on their way to the object store. They have no name, so they vanish with the
// process, however it ends. Files for external programs need names; they are in a Dir,
// and are removed by the next process at the latest.
package scratch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/rectohq/recto/libs/blob"
	"github.com/rectohq/recto/libs/problem"
)

// retry is the retry delay suggested to callers when there is no space for a file.
const retry = 5 * time.Second

// File returns an empty, unnamed file in the folder dir, which vanishes when it is
// closed. Its error is suitable for clients.
func File(dir string) (*os.File, error) {
	f, err := os.CreateTemp(dir, "recto-")
	if err != nil {
		return nil, Fault(err, err)
	}
	if err := os.Remove(f.Name()); err != nil {
		return nil, errors.Join(Fault(err, err), f.Close())
	}
	return f, nil
}

// Fetch returns a local copy of an object and its size in bytes. The error is
// blob.ErrNotFound, or one suitable for clients. The caller closes the file.
func Fetch(ctx context.Context, dir string, objects *blob.Store, key string) (*os.File, int64, error) {
	body, _, err := objects.Get(ctx, key)
	if errors.Is(err, blob.ErrNotFound) {
		return nil, 0, fmt.Errorf("get the object %s: %w", key, err)
	}
	if err != nil {
		return nil, 0, blob.Unavailable(err)
	}
	defer body.Close()
	f, err := File(dir)
	if err != nil {
		return nil, 0, err
	}
	size, err := io.Copy(f, body)
	if err != nil {
		return nil, 0, errors.Join(Fault(err, blob.Unavailable(err)), f.Close())
	}
	return f, size, nil
}

// Fault returns an error for clients if err comes from a scratch file; any other error is
// replaced by otherwise. A full disk or a misconfigured folder is not a fault of the
// request: space may become free, and the operator can correct the folder.
func Fault(err, otherwise error) error {
	var failed *fs.PathError
	if !errors.As(err, &failed) {
		return otherwise
	}
	return problem.New(problem.Unavailable, "Temporary storage is full. Retry later.").
		After(retry).Because(err)
}
