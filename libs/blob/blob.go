// Package blob stores the bytes of documents as objects of an S3 bucket, and
// signs the URLs by which clients put and get them without a key of ours.
package blob

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

// Config is how the object store is reached.
type Config struct {
	Endpoint       string `env:"S3_ENDPOINT,notEmpty" desc:"URL of the object store as the services reach it"`
	PublicEndpoint string `env:"S3_PUBLIC_ENDPOINT" desc:"URL of the object store as clients reach it; upload and download URLs are signed for it. Not set: S3_ENDPOINT"`
	Region         string `env:"S3_REGION" envDefault:"us-east-1" desc:"region of the bucket"`
	Bucket         string `env:"S3_BUCKET" envDefault:"recto" desc:"bucket, made at start if it is not there"`
	AccessKey      string `env:"S3_ACCESS_KEY,notEmpty" desc:"access key; it needs ListBucket, or a missing object looks forbidden"`
	SecretKey      string `env:"S3_SECRET_KEY,notEmpty" secret:"true" desc:"secret key"`
	PathStyle      bool   `env:"S3_PATH_STYLE" envDefault:"true" desc:"bucket in the path of URLs, not in the host name"`
	LocalDir       string `env:"S3_LOCAL_DIR" desc:"folder on this machine in which the object store keeps buckets as folders and objects as files, if it does: what is put is then synced to the disk"`
	CAFile         string `env:"S3_CA_FILE" desc:"path of the certificate authority that the object store is verified by, beside those of the system"`
}

// Store is one bucket.
type Store struct {
	client *minio.Client
	public *minio.Client // signs only, never dials
	once   *minio.Client // uses each connection once
	bucket string
	region string
	local  string // folder of the buckets, "" if they are elsewhere
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
	// Modified is when it was put.
	Modified time.Time
}

// Dial returns the bucket that cfg names, which is made if it is not there.
func Dial(ctx context.Context, cfg Config) (*Store, error) {
	s, err := Open(cfg)
	if err != nil {
		return nil, err
	}
	return s, s.ensureBucket(ctx)
}

// Open returns the bucket that cfg names without a look at it.
func Open(cfg Config) (*Store, error) {
	client, err := newClient(cfg, cfg.Endpoint, true)
	if err != nil {
		return nil, fmt.Errorf("S3_ENDPOINT: %w", err)
	}
	once, err := newClient(cfg, cfg.Endpoint, false)
	if err != nil {
		return nil, fmt.Errorf("S3_ENDPOINT: %w", err)
	}
	public := client
	if cfg.PublicEndpoint != "" {
		if public, err = newClient(cfg, cfg.PublicEndpoint, true); err != nil {
			return nil, fmt.Errorf("S3_PUBLIC_ENDPOINT: %w", err)
		}
	}
	return &Store{client: client, public: public, once: once, bucket: cfg.Bucket, region: cfg.Region, local: cfg.LocalDir}, nil
}

// newClient returns a client of one endpoint. Store has two: presigned URLs
// carry the host that clients see, which is part of what is signed.
func newClient(cfg Config, endpoint string, keepAlive bool) (*minio.Client, error) {
	u, err := url.Parse(endpoint)
	if err != nil {
		return nil, err
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.Path != "" && u.Path != "/" {
		return nil, fmt.Errorf("%q is not a URL of scheme, host and port, such as https://s3.example.com", endpoint)
	}
	transport, err := newTransport(cfg.CAFile)
	if err != nil {
		return nil, err
	}
	transport.DisableKeepAlives = !keepAlive
	lookup := minio.BucketLookupDNS
	if cfg.PathStyle {
		lookup = minio.BucketLookupPath
	}
	return minio.New(u.Host, &minio.Options{
		Creds:  credentials.NewStaticV4(cfg.AccessKey, cfg.SecretKey, ""),
		Secure: u.Scheme == "https",
		// Without a region the client asks the server for it before it signs.
		Region: cfg.Region, BucketLookup: lookup, Transport: transport, MaxRetries: 3,
	})
}

// newTransport returns an HTTP transport that trusts the authorities of the file
// beside those of the system.
func newTransport(caFile string) (*http.Transport, error) {
	transport, err := minio.DefaultTransport(true)
	if err != nil || caFile == "" {
		return transport, err
	}
	roots, err := x509.SystemCertPool()
	if err != nil {
		return nil, fmt.Errorf("read the certificate authorities of the system: %w", err)
	}
	pem, err := os.ReadFile(caFile)
	if err != nil {
		return nil, err
	}
	if !roots.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s holds no certificate in PEM", caFile)
	}
	transport.TLSClientConfig = &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
	return transport, nil
}

// ensureBucket makes the bucket if it is not there. Several services may do so
// at once.
func (s *Store) ensureBucket(ctx context.Context) error {
	exists, err := s.client.BucketExists(ctx, s.bucket)
	if err != nil {
		return fmt.Errorf("look for the bucket %s: %w", s.bucket, err)
	}
	if exists {
		return nil
	}
	err = s.client.MakeBucket(ctx, s.bucket, minio.MakeBucketOptions{Region: s.region})
	if code := minio.ToErrorResponse(err).Code; code == minio.BucketAlreadyOwnedByYou {
		return nil // another instance was faster
	}
	if err != nil {
		return fmt.Errorf("make the bucket %s: %w", s.bucket, err)
	}
	return nil
}

// MaxPut is the largest object that is put in one request, in bytes.
const MaxPut = 1 << 30

// Put stores the bytes of r under key, in place of what was there. Size is
// their number, -1 if it is not known. A store that is on this machine has them
// on the disk when Put returns; what others do is up to them.
func (s *Store) Put(ctx context.Context, key string, r io.Reader, size int64, contentType string) error {
	return s.put(ctx, s.client, key, r, size, minio.PutObjectOptions{ContentType: contentType})
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
	// In parts, an object would be held in memory, a part at a time.
	options.DisableMultipart = size >= 0 && size <= MaxPut
	_, err := client.PutObject(ctx, s.bucket, key, r, size, options)
	if code := minio.ToErrorResponse(err).Code; code == minio.PreconditionFailed {
		err = ErrExists
	}
	if err != nil {
		return fmt.Errorf("put %s: %w", key, err)
	}
	return s.sync(key)
}

// sync writes a local object to the disk, and the folders that lead to it: the
// embedded object server leaves that to the system.
func (s *Store) sync(key string) error {
	if s.local == "" {
		return nil
	}
	bucket := filepath.Join(s.local, s.bucket)
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
	for info := range s.client.ListObjectsIter(ctx, s.bucket, minio.ListObjectsOptions{Prefix: prefix, Recursive: true}) {
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
	body, info, _, err := s.core().GetObject(ctx, s.bucket, key, minio.GetObjectOptions{})
	if err != nil {
		return nil, Object{}, wrap("get", key, err)
	}
	return body, object(info), nil
}

// Stat returns what is known of an object, or ErrNotFound.
func (s *Store) Stat(ctx context.Context, key string) (Object, error) {
	info, err := s.client.StatObject(ctx, s.bucket, key, minio.StatObjectOptions{})
	if err != nil {
		return Object{}, wrap("look at", key, err)
	}
	return object(info), nil
}

// Remove deletes an object. One that is not there is no error.
func (s *Store) Remove(ctx context.Context, key string) error {
	if err := s.client.RemoveObject(ctx, s.bucket, key, minio.RemoveObjectOptions{}); err != nil {
		return wrap("remove", key, err)
	}
	return nil
}

// core gives access to the request that answers bytes and properties at once.
func (s *Store) core() minio.Core { return minio.Core{Client: s.client} }

func object(info minio.ObjectInfo) Object {
	return Object{Key: info.Key, Size: info.Size, ETag: info.ETag, Modified: info.LastModified}
}

// wrap says what was being done to which object, and tells apart that it is not
// there.
func wrap(verb, key string, err error) error {
	if code := minio.ToErrorResponse(err).Code; code == minio.NoSuchKey {
		err = ErrNotFound
	}
	return fmt.Errorf("%s %s: %w", verb, key, err)
}
