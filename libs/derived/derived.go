// Package derived keeps the files that services make of documents. They can be
// made again, so that they expire, and they go with their document.
package derived

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/rectohq/recto/libs/blob"
)

// Files are the files of one kind, objects of the key
// <prefix><organization>/<document>/<name>.
type Files struct {
	Objects *blob.Store
	// Prefix begins their keys, and those of nothing else.
	Prefix string
	// Keep is how long a file is answered after it was made, and URL how long a
	// URL is valid that leads to one.
	Keep, URL time.Duration
}

// Of begins the keys of the files of a document.
func (f Files) Of(organization, documentID string) string {
	return f.Prefix + organization + "/" + documentID + "/"
}

// Put stores a file. Its error is for clients, but for what the object store has
// refused.
func (f Files) Put(ctx context.Context, key string, file io.Reader, size int64, contentType string) error {
	err := f.Objects.Put(ctx, key, file, size, contentType)
	if err != nil && !blob.IsRefusal(err) { // what the store refuses, it refuses the next time too
		return blob.Unavailable(err)
	}
	return err
}

// Kept reports whether there is an object of that key which stays for as long as
// a URL that is made now. One that is no file of this kind stays.
func (f Files) Kept(ctx context.Context, key string, now time.Time) (bool, error) {
	object, err := f.Objects.Stat(ctx, key)
	if errors.Is(err, blob.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, blob.Unavailable(err)
	}
	return !strings.HasPrefix(key, f.Prefix) || now.Sub(object.Modified) < f.Keep, nil
}

// Lifetime returns when the object of that key is answered no longer, and when it is
// removed at the earliest. Both are zero for one that is no file of this kind, and
// stays. The error is blob.ErrNotFound if there is none.
func (f Files) Lifetime(ctx context.Context, key string) (renewed, removed time.Time, err error) {
	object, err := f.Objects.Stat(ctx, key)
	if err != nil && !errors.Is(err, blob.ErrNotFound) {
		err = blob.Unavailable(err)
	}
	if err != nil || !strings.HasPrefix(key, f.Prefix) {
		return renewed, removed, err
	}
	return object.Modified.Add(f.Keep), object.Modified.Add(f.ttl()), nil
}

// Forget removes the files of a document.
func (f Files) Forget(ctx context.Context, organization, documentID string) error {
	return f.Objects.RemoveAll(ctx, f.Of(organization, documentID))
}

// ttl is how long files stay: for as long as the last URL that may lead to them.
func (f Files) ttl() time.Duration { return f.Keep + f.URL }

// Sweep removes the files that are kept no longer.
func (f Files) Sweep(ctx context.Context, now time.Time) error {
	err := f.Objects.List(ctx, f.Prefix, func(o blob.Object) error {
		if now.Sub(o.Modified) <= f.ttl() {
			return nil
		}
		return f.Objects.Remove(ctx, o.Key)
	})
	if err != nil {
		return fmt.Errorf("sweep %s: %w", f.Prefix, err)
	}
	return nil
}

// Expire lets the object store remove files where Sweep does not, after the last
// service that made them was taken away. It may return blob.ErrNoLifecycle.
func (f Files) Expire(ctx context.Context) error {
	return f.Objects.ExpireAfter(ctx, f.Prefix, f.ttl())
}
