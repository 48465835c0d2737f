// Package blob stores the bytes of documents as objects in an S3 bucket, and presigns the
// URLs with which clients upload and download them without credentials of their own.
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
	"go.opentelemetry.io/otel/trace"

	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/telemetry"
)

// Store is one bucket.
type Store struct {
	cfg       Config
	limits    limits
	client    *minio.Client
	public    *minio.Client // only presigns, never dials
	once      *minio.Client // uses each connection once
	transport transport     // of client
}

// The errors that say whether an object exists.
var (
	ErrNotFound = errors.New("no such object")
	ErrExists   = errors.New("the object exists already")
)

// Object describes an object without its bytes.
type Object struct {
	Key  string
	Size int64
	ETag string
	// ContentType is the type it was stored with. List leaves it empty.
	ContentType string
	// Modified is when it was stored.
	Modified time.Time
}

// MaxPut is the largest object that Put stores in a single request, in bytes.
const MaxPut = 1 << 30

// Put stores the bytes of r under key, replacing any existing object. size is their
// number, or -1 if unknown. If the object store runs on this machine (S3_LOCAL_DIR), the
// bytes are synced to disk when Put returns; other stores have their own durability
// guarantees.
func (s *Store) Put(ctx context.Context, key string, r io.Reader, size int64, contentType string) error {
	client := s.client
	if size < 0 { // r may be empty; see put
		client = s.once
	}
	return s.put(ctx, client, key, r, size, minio.PutObjectOptions{ContentType: contentType})
}

// PutOnce is Put for a new object; it returns ErrExists if the object exists. Of several
// concurrent calls, one succeeds. The store must support conditional writes.
func (s *Store) PutOnce(ctx context.Context, key string, r io.Reader, size int64, contentType string) error {
	options := minio.PutObjectOptions{ContentType: contentType}
	options.SetMatchETagExcept("*")
	// A server that rejects the request may leave the body unread and mistake it for the
	// next request on the connection, so there must be none.
	return s.put(ctx, s.once, key, r, size, options)
}

// put stores an object and syncs it.
func (s *Store) put(ctx context.Context, client *minio.Client, key string, r io.Reader, size int64, options minio.PutObjectOptions) (err error) {
	ctx, span := telemetry.Child(ctx, "put object", trace.SpanKindClient)
	defer func() { endTransfer(span, err) }()
	if size == 0 {
		// Sign the whole body. With a chunked signature there would be a final chunk,
		// which a server that expects no bytes leaves unread.
		options.DisableContentSha256 = true
		_, err = minio.Core{Client: client}.PutObject(ctx, s.cfg.Bucket, key, r, size, "", emptyHash, options)
	} else {
		// A multipart upload would buffer each part in memory.
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

// sync writes a local object and its parent folders to disk. The embedded object server
// leaves that to the operating system.
func (s *Store) sync(key string) error {
	if s.cfg.LocalDir == "" {
		return nil
	}
	bucket := filepath.Join(s.cfg.LocalDir, s.cfg.Bucket)
	for path := filepath.Join(bucket, filepath.FromSlash(key)); ; path = filepath.Dir(path) {
		// A file that was removed in the meantime needs no sync.
		if err := syncFile(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("sync %s to the disk: %w", key, err)
		}
		if path == bucket || len(path) <= len(bucket) {
			return nil
		}
	}
}

// syncFile syncs a file, or the entries of a folder, to disk.
func syncFile(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// List calls each for the objects whose keys begin with prefix, in key order. It stops at
// the first error of each, and returns it.
func (s *Store) List(ctx context.Context, prefix string, each func(Object) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // stops the listing
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

// Get returns a reader for the object and its description, or ErrNotFound. The caller
// closes the reader.
func (s *Store) Get(ctx context.Context, key string) (io.ReadCloser, Object, error) {
	ctx, span := telemetry.Child(ctx, "get object", trace.SpanKindClient)
	// The timeout applies to the start of the response, not to the transfer of the bytes.
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
		err = wrap("get", key, err)
		endTransfer(span, err)
		return nil, Object{}, err
	}
	return body{content, cancel, span}, object(info), nil
}

// endTransfer ends the span of a transfer. A missing or existing object is no error there.
func endTransfer(span trace.Span, err error) {
	if err != nil && !errors.Is(err, ErrNotFound) && !errors.Is(err, ErrExists) {
		err = Unavailable(err)
	} else {
		err = nil
	}
	telemetry.End(span, err)
}

// errNoAnswer means that waiting for the object store timed out.
var errNoAnswer = fmt.Errorf("the object store does not answer: %w", context.DeadlineExceeded)

// body is the content of an object. Closing it ends its request, and its span.
type body struct {
	io.ReadCloser
	cancel context.CancelCauseFunc
	span   trace.Span
}

// Close implements io.Closer.
func (b body) Close() error {
	defer b.cancel(nil)
	defer b.span.End()
	return b.ReadCloser.Close()
}

// Stat returns the description of an object, or ErrNotFound.
func (s *Store) Stat(ctx context.Context, key string) (Object, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, s.limits.answer, errNoAnswer)
	defer cancel()
	info, err := s.client.StatObject(ctx, s.cfg.Bucket, key, minio.StatObjectOptions{})
	if err != nil {
		return Object{}, wrap("stat", key, err)
	}
	return object(info), nil
}

// Remove deletes an object. It is not an error if the object does not exist.
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

// core gives access to the request that returns an object's bytes and description
// together.
func (s *Store) core() minio.Core { return minio.Core{Client: s.client} }

func object(info minio.ObjectInfo) Object {
	return Object{Key: info.Key, Size: info.Size, ETag: info.ETag, ContentType: info.ContentType, Modified: info.LastModified}
}

// wrap adds the operation and the key to err, and maps a missing object to ErrNotFound.
func wrap(verb, key string, err error) error {
	if code(err) == minio.NoSuchKey {
		err = ErrNotFound
	}
	return fmt.Errorf("%s %s: %w", verb, key, err)
}

// Unavailable returns the error for clients when an object could not be used because of
// err, which is not a fault of their request.
func Unavailable(err error) *problem.Error {
	return problem.New(problem.Unavailable, "The object store is unavailable. Retry later.").
		After(time.Second).Because(err)
}

// IsRefusal reports whether the object store rejected the request for good, so that a
// retry would not help.
func IsRefusal(err error) bool {
	var answer minio.ErrorResponse
	return errors.As(err, &answer) && answer.StatusCode >= http.StatusBadRequest && answer.StatusCode < http.StatusInternalServerError &&
		answer.StatusCode != http.StatusRequestTimeout && answer.StatusCode != http.StatusTooManyRequests
}
