// Package scratch owns the files that services work on: copies of objects, and
// results on their way to the object store. They have no name, so that they are
// gone with the process, however it ends. What foreign programs work on has names,
// in a Dir, and is gone with the next process at the latest.
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

// retry is what a caller is told to wait for whose file found no room.
const retry = 5 * time.Second

// File returns an empty file in the folder, which is gone when it is closed. Its
// error is for clients.
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

// Fetch returns a copy of an object and its size in bytes. The error is one of
// blob.ErrNotFound, or for clients. The caller closes the file.
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

// Fault returns what clients are told of an error of a scratch file, and otherwise
// the other error. Room there may be again, and for the folder its operator is to
// be asked: neither is a fault of the request.
func Fault(err, otherwise error) error {
	var failed *fs.PathError
	if !errors.As(err, &failed) {
		return otherwise
	}
	return problem.New(problem.Unavailable, "Temporary storage is full. Retry later.").
		After(retry).Because(err)
}
