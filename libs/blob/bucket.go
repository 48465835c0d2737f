package blob

import (
	"context"
	"crypto/tls"
	"encoding/xml"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"

	"github.com/rectohq/recto/libs/telemetry"
)

const (
	// firstWait and maxWait are how long an object store that is not there yet is
	// left alone before the next look.
	firstWait = 100 * time.Millisecond
	maxWait   = 5 * time.Second
	// sayEvery is how often it is said that it is waited for.
	sayEvery = 30 * time.Second
	// lookTimeout bounds one look.
	lookTimeout = 20 * time.Second
)

// healthPart is what the object store is called among the parts that readiness
// depends on.
const healthPart = "objects"

// Dial returns the bucket that cfg names, which is made if it is not there and
// may be made. An object store that is not there yet, or not well, is waited for
// until ctx ends, and meanwhile the process is not ready. What waiting does not
// mend is an error, which names the variable at fault.
func Dial(ctx context.Context, cfg Config, t *telemetry.Telemetry) (*Store, error) {
	s, err := Open(cfg)
	if err != nil {
		return nil, err
	}
	health := t.Health.Part(healthPart)
	var said time.Time
	for wait := firstWait; ; wait = min(2*wait, maxWait) {
		err := s.look(ctx, t)
		if err == nil {
			if !said.IsZero() {
				t.Log.Info("the object store is there", "endpoint", cfg.Endpoint)
			}
			health.Up()
			return s, nil
		}
		if fatal := s.diagnose(err); fatal != nil {
			return nil, fatal
		}
		health.Down("the object store is waited for: " + err.Error())
		if time.Since(said) >= sayEvery {
			t.Log.Warn("the object store is not there, and is waited for", "endpoint", cfg.Endpoint, "error", err)
			said = time.Now()
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("wait for the object store at %s: %w", cfg.Endpoint, errors.Join(ctx.Err(), err))
		case <-time.After(wait):
		}
	}
}

// look finds out whether the bucket can be used, and makes it if it is not there.
// Several services may do so at once.
func (s *Store) look(ctx context.Context, t *telemetry.Telemetry) error {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	err := s.list(ctx)
	switch code(err) {
	case minio.AccessDenied:
		// The signature is right, and the bucket may be used in part. It must not
		// keep from starting who has narrow rights.
		t.Log.Warn("S3_ACCESS_KEY may not list the bucket: uploads are not found before they are used, and a missing object looks forbidden. Give it s3:ListBucket",
			"bucket", s.cfg.Bucket, "error", err)
		return nil
	case minio.NoSuchBucket:
		return s.makeBucket(ctx)
	}
	return err
}

// list asks for one object of the bucket. The answer to it tells more than that
// to HEAD, which has no body: whether the bucket is there, and what is wrong with
// the credentials.
func (s *Store) list(ctx context.Context) error {
	for info := range s.client.ListObjectsIter(ctx, s.cfg.Bucket, minio.ListObjectsOptions{Recursive: true, MaxKeys: 1}) {
		return info.Err
	}
	return ctx.Err()
}

// makeBucket makes the bucket.
func (s *Store) makeBucket(ctx context.Context) error {
	if !s.cfg.CreateBucket {
		return &mistake{fmt.Errorf("S3_BUCKET: there is no bucket %s at %s; make it, name one that is there, or let it be made by S3_CREATE_BUCKET=true",
			s.cfg.Bucket, s.cfg.Endpoint)}
	}
	err := s.client.MakeBucket(ctx, s.cfg.Bucket, minio.MakeBucketOptions{Region: s.cfg.Region})
	switch {
	case err == nil:
		return nil
	case status(err) == http.StatusConflict: // another instance was faster, or it is not ours
		listed := s.list(ctx)
		switch code(listed) {
		case minio.AccessDenied:
			return &mistake{fmt.Errorf("S3_BUCKET: the bucket %s belongs to somebody else; name another one: %w", s.cfg.Bucket, err)}
		case minio.NoSuchBucket: // yet
			return fmt.Errorf("the bucket %s is being made: %v", s.cfg.Bucket, err) //nolint:errorlint // it is no mistake
		}
		return listed
	case status(err) == http.StatusForbidden || status(err) == http.StatusMethodNotAllowed || status(err) == http.StatusNotImplemented:
		return &mistake{fmt.Errorf("S3_BUCKET: there is no bucket %s at %s, and S3_ACCESS_KEY may not make it; make it, or name one that is there: %w",
			s.cfg.Bucket, s.cfg.Endpoint, err)}
	}
	return fmt.Errorf("make the bucket %s: %w", s.cfg.Bucket, err)
}

// mistake is an error of the configuration, which no waiting mends.
type mistake struct{ error }

func (m *mistake) Unwrap() error { return m.error }

// diagnose returns what the operator has to change after err, nil if nothing but
// time is needed: nobody listens yet, a name is not known yet, or the object
// store is not well.
func (s *Store) diagnose(err error) error {
	var known *mistake
	var certificate *tls.CertificateVerificationError
	var malformed *xml.SyntaxError
	var r minio.ErrorResponse
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &certificate):
		return fmt.Errorf("S3_ENDPOINT: the certificate of %s is not trusted; name its authority with S3_CA_FILE, or the host that it is for: %w", s.cfg.Endpoint, err)
	case err != nil && strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		return fmt.Errorf("S3_ENDPOINT: %s serves no TLS; write http://, or name the port of TLS: %w", s.cfg.Endpoint, err)
	case errors.As(err, &malformed):
		return fmt.Errorf("S3_ENDPOINT: who answers at %s is no object store: %w", s.cfg.Endpoint, err)
	case !errors.As(err, &r):
		return nil
	}
	switch r.Code {
	case minio.InvalidAccessKeyID, minio.SignatureDoesNotMatch:
		return fmt.Errorf("S3_ACCESS_KEY and S3_SECRET_KEY are not accepted by the object store at %s (%s): %w", s.cfg.Endpoint, r.Code, err)
	case minio.AuthorizationHeaderMalformed, minio.InvalidRegion, "PermanentRedirect", "IllegalLocationConstraintException":
		return fmt.Errorf("S3_REGION is %s, which is not that of the bucket %s at %s (%s): %w", s.cfg.Region, s.cfg.Bucket, s.cfg.Endpoint, r.Code, err)
	case "RequestTimeTooSkewed":
		return nil // until one of the clocks is set
	}
	switch {
	case passes(r.StatusCode):
		return nil
	case r.StatusCode == http.StatusUnauthorized:
		return fmt.Errorf("S3_ACCESS_KEY and S3_SECRET_KEY are not accepted by the object store at %s (%s): %w", s.cfg.Endpoint, r.Code, err)
	}
	return fmt.Errorf("S3_ENDPOINT, S3_BUCKET or S3_ACCESS_KEY is wrong: %s does not list the bucket %s (%d %s): %w",
		s.cfg.Endpoint, s.cfg.Bucket, r.StatusCode, r.Code, err)
}

// code returns the S3 error code of err, "" if it is none.
func code(err error) string {
	var r minio.ErrorResponse
	_ = errors.As(err, &r) // or it stays empty
	return r.Code
}

// status returns the HTTP status of err, 0 if it has none.
func status(err error) int {
	var r minio.ErrorResponse
	_ = errors.As(err, &r) // or it stays 0
	return r.StatusCode
}

// passes reports whether the same request may be answered another way later.
func passes(status int) bool {
	return status == http.StatusRequestTimeout || status == http.StatusTooManyRequests ||
		status >= http.StatusInternalServerError && status != http.StatusNotImplemented
}
