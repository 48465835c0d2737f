// Package derived stores the files that services derive from documents. They can be made
// again, so they expire, and they are deleted with their document.
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

// Files are the derived files of one kind, objects with the key
// <prefix><organization>/<document>/<name>.
type Files struct {
	Objects *blob.Store
	// Prefix begins the keys of these files and of no other objects.
	Prefix string
	// Keep is how long after its creation a file is still used for responses, and URL how
	// long a URL to it is valid.
	Keep, URL time.Duration
}

// Of returns the prefix of the keys of a document's files.
func (f Files) Of(organization, documentID string) string {
	return f.Prefix + organization + "/" + documentID + "/"
}

// Put stores a file. Its error is suitable for clients, unless the object store has
// rejected the request.
func (f Files) Put(ctx context.Context, key string, file io.Reader, size int64, contentType string) error {
	err := f.Objects.Put(ctx, key, file, size, contentType)
	if err != nil && !blob.IsRefusal(err) { // a rejected request would be rejected again
		return blob.Unavailable(err)
	}
	return err
}

// Kept reports whether there is an object with the key that will outlast a URL created
// now. An object that is not a file of this kind does not expire.
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

// Lifetime returns when the object with the key stops being used for responses, and the
// earliest time of its removal. Both are zero for an object that is not a file of this
// kind and so does not expire. The error is blob.ErrNotFound if there is no object.
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

// Forget deletes the files of a document.
func (f Files) Forget(ctx context.Context, organization, documentID string) error {
	return f.Objects.RemoveAll(ctx, f.Of(organization, documentID))
}

// ttl returns how long files are stored: until the last URL to them expires.
func (f Files) ttl() time.Duration { return f.Keep + f.URL }

// Sweep deletes the expired files.
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

// Expire has the object store delete files that Sweep no longer does, once the last
// service of their kind has been removed from the deployment. It may return
// blob.ErrNoLifecycle.
func (f Files) Expire(ctx context.Context) error {
	return f.Objects.ExpireAfter(ctx, f.Prefix, f.ttl())
}
