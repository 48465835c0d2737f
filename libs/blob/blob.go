// Package blob stores the bytes of documents as objects of an S3 bucket, and
// signs the URLs by which clients put and get them without a key of ours.
package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/minio/minio-go/v7"

	"github.com/rectohq/recto/libs/problem"
)

// Store is one bucket.
type Store struct {
	cfg       Config
	limits    limits
	client    *minio.Client
	public    *minio.Client // signs only, never dials
	once      *minio.Client // uses each connection once
	transport transport     // of client
}

// The errors that tell whether there is an object of that key.
var (
	ErrNotFound = errors.New("no such object")
	ErrExists   = errors.New("there is such an object already")
)

// Object is what the store knows of an object besides its bytes.
type Object struct {
	Key  string
	Size int64
	ETag string
	// ContentType is what it was put as; lists leave it out.
	ContentType string
	// Modified is when it was put.
	Modified time.Time
}

// MaxPut is the largest object that is put in one request, in bytes.
const MaxPut = 1 << 30

// Put stores the bytes of r under key, in place of what was there. Size is
// their number, -1 if it is not known. A store that is on this machine has them
// on the disk when Put returns; what others do is up to them.
func (s *Store) Put(ctx context.Context, key string, r io.Reader, size int64, contentType string) error {
	client := s.client
	if size < 0 { // it may be empty, see put
		client = s.once
	}
	return s.put(ctx, client, key, r, size, minio.PutObjectOptions{ContentType: contentType})
}

// PutOnce is Put for an object that is not there yet; ErrExists if it is. Of many
// at the same time one puts. The store has to know conditional writes.
func (s *Store) PutOnce(ctx context.Context, key string, r io.Reader, size int64, contentType string) error {
	options := minio.PutObjectOptions{ContentType: contentType}
	options.SetMatchETagExcept("*")
	// A server that refuses may leave the body unread, and take it for the next
	// request of the connection: there is none.
	return s.put(ctx, s.once, key, r, size, options)
}

// put puts an object and syncs it.
func (s *Store) put(ctx context.Context, client *minio.Client, key string, r io.Reader, size int64, options minio.PutObjectOptions) error {
	var err error
	if size == 0 {
		// It is signed as a whole. In chunks it would be a last one, which a server
		// that expects no bytes leaves unread.
		options.DisableContentSha256 = true
		_, err = minio.Core{Client: client}.PutObject(ctx, s.cfg.Bucket, key, r, size, "", emptyHash, options)
	} else {
		// In parts, an object would be held in memory, a part at a time.
		options.DisableMultipart = size > 0 && size <= MaxPut
		_, err = client.PutObject(ctx, s.cfg.Bucket, key, r, size, options)
	}
	if code(err) == minio.PreconditionFailed {
		err = ErrExists
	}
	if err != nil {
		return fmt.Errorf("put %s: %w", key, err)
	}
	return s.sync(key)
}

// emptyHash is the SHA-256 of no bytes.
const emptyHash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

// sync writes a local object to the disk, and the folders that lead to it: the
// embedded object server leaves that to the system.
func (s *Store) sync(key string) error {
	if s.cfg.LocalDir == "" {
		return nil
	}
	bucket := filepath.Join(s.cfg.LocalDir, s.cfg.Bucket)
	for path := filepath.Join(bucket, filepath.FromSlash(key)); ; path = filepath.Dir(path) {
		// What somebody has removed since needs no keeping.
		if err := syncFile(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("sync %s to the disk: %w", key, err)
		}
		if path == bucket || len(path) <= len(bucket) {
			return nil
		}
	}
}

// syncFile writes a file, or the names in a folder, to the disk.
func syncFile(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// List calls each for the objects whose keys begin with prefix, in the order of
// their keys, until it returns an error, which List returns.
func (s *Store) List(ctx context.Context, prefix string, each func(Object) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // ends the listing
	for info := range s.client.ListObjectsIter(ctx, s.cfg.Bucket, minio.ListObjectsOptions{Prefix: prefix, Recursive: true}) {
		if info.Err != nil {
			return fmt.Errorf("list %s: %w", prefix, info.Err)
		}
		if err := each(object(info)); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// Get returns a reader of the object and what is known of it, or ErrNotFound.
// The caller closes the reader.
func (s *Store) Get(ctx context.Context, key string) (io.ReadCloser, Object, error) {
	// The time for the answer to begin is not that of the bytes.
	ctx, cancel := context.WithCancelCause(ctx)
	late := time.AfterFunc(s.limits.answer, func() { cancel(errNoAnswer) })
	content, info, _, err := s.core().GetObject(ctx, s.cfg.Bucket, key, minio.GetObjectOptions{})
	if err == nil && !late.Stop() {
		err = errors.Join(errNoAnswer, content.Close())
	}
	if err != nil {
		late.Stop()
		if cause := context.Cause(ctx); errors.Is(cause, errNoAnswer) {
			err = cause
		}
		cancel(nil)
		return nil, Object{}, wrap("get", key, err)
	}
	return body{content, cancel}, object(info), nil
}

// errNoAnswer says that the object store was waited for in vain.
var errNoAnswer = fmt.Errorf("the object store does not answer: %w", context.DeadlineExceeded)

// body is the content of an object. It ends its request when it is closed.
type body struct {
	io.ReadCloser
	cancel context.CancelCauseFunc
}

// Close implements io.Closer.
func (b body) Close() error {
	defer b.cancel(nil)
	return b.ReadCloser.Close()
}

// Stat returns what is known of an object, or ErrNotFound.
func (s *Store) Stat(ctx context.Context, key string) (Object, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, s.limits.answer, errNoAnswer)
	defer cancel()
	info, err := s.client.StatObject(ctx, s.cfg.Bucket, key, minio.StatObjectOptions{})
	if err != nil {
		return Object{}, wrap("look at", key, err)
	}
	return object(info), nil
}

// Remove deletes an object. One that is not there is no error.
func (s *Store) Remove(ctx context.Context, key string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, s.limits.answer, errNoAnswer)
	defer cancel()
	if err := s.client.RemoveObject(ctx, s.cfg.Bucket, key, minio.RemoveObjectOptions{}); err != nil {
		return wrap("remove", key, err)
	}
	return nil
}

// RemoveAll deletes the objects whose keys begin with prefix.
func (s *Store) RemoveAll(ctx context.Context, prefix string) error {
	return s.List(ctx, prefix, func(o Object) error { return s.Remove(ctx, o.Key) })
}

// core gives access to the request that answers bytes and properties at once.
func (s *Store) core() minio.Core { return minio.Core{Client: s.client} }

func object(info minio.ObjectInfo) Object {
	return Object{Key: info.Key, Size: info.Size, ETag: info.ETag, ContentType: info.ContentType, Modified: info.LastModified}
}

// wrap says what was being done to which object, and tells apart that it is not
// there.
func wrap(verb, key string, err error) error {
	if code(err) == minio.NoSuchKey {
		err = ErrNotFound
	}
	return fmt.Errorf("%s %s: %w", verb, key, err)
}

// Unavailable is what clients are answered when an object could not be used for
// err, which is none of their request.
func Unavailable(err error) *problem.Error {
	return problem.New(problem.Unavailable, "The object store is unavailable. Retry later.").
		After(time.Second).Because(err)
}

// IsRefusal reports whether the object store has answered that it will not do
// what it was asked for: trying again mends nothing.
func IsRefusal(err error) bool {
	var answer minio.ErrorResponse
	return errors.As(err, &answer) && answer.StatusCode >= http.StatusBadRequest && answer.StatusCode < http.StatusInternalServerError &&
		answer.StatusCode != http.StatusRequestTimeout && answer.StatusCode != http.StatusTooManyRequests
}
