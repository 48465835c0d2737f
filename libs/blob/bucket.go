package blob

import (
	"context"
	"crypto/tls"
	"encoding/xml"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"

	"github.com/rectohq/recto/libs/telemetry"
)

const (
	// firstWait and maxWait are the shortest and longest pause between attempts to reach
	// the object store at startup.
	firstWait = 100 * time.Millisecond
	maxWait   = 5 * time.Second
	// sayEvery is the interval between log lines while waiting.
	sayEvery = 30 * time.Second
	// lookTimeout bounds one attempt.
	lookTimeout = 20 * time.Second
)

// healthPart is the name of the object store among the parts that readiness depends on.
const healthPart = "objects"

// Dial returns the bucket that cfg names, and creates the bucket if it does not exist and
// cfg allows that. It exports metrics to t. It waits for an unavailable object store until ctx ends; meanwhile the
// process is not ready. An error that waiting does not fix is returned at once, and names
// the variable at fault.
func Dial(ctx context.Context, cfg Config, t *telemetry.Telemetry) (*Store, error) {
	s, err := open(cfg, usual, (&net.Dialer{Timeout: usual.dial}).DialContext, telemetry.Register(t.Metrics, newRequests()))
	if err != nil {
		return nil, err
	}
	health := t.Health.Part(healthPart)
	var said time.Time
	for wait := firstWait; ; wait = min(2*wait, maxWait) {
		err := s.look(ctx, t)
		if err == nil {
			if !said.IsZero() {
				t.Log.Info("the object store is available", "endpoint", cfg.Endpoint)
			}
			health.Up()
			return s, nil
		}
		if fatal := s.diagnose(err); fatal != nil {
			return nil, fatal
		}
		health.Down("waiting for the object store: " + err.Error())
		if time.Since(said) >= sayEvery {
			t.Log.Warn("waiting for the object store", "endpoint", cfg.Endpoint, "error", err)
			said = time.Now()
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("wait for the object store at %s: %w", cfg.Endpoint, errors.Join(ctx.Err(), err))
		case <-time.After(wait):
		}
	}
}

// look checks whether the bucket can be used, and creates it if it does not exist.
// Several services may do so concurrently.
func (s *Store) look(ctx context.Context, t *telemetry.Telemetry) error {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	err := s.list(ctx)
	switch code(err) {
	case minio.AccessDenied:
		// The signature is valid, so at least part of the bucket may be usable. Narrow
		// permissions must not prevent startup.
		t.Log.Warn("S3_ACCESS_KEY may not list the bucket: uploads are not found before they are used, and a missing object looks forbidden. Grant it s3:ListBucket",
			"bucket", s.cfg.Bucket, "error", err)
		return nil
	case minio.NoSuchBucket:
		return s.makeBucket(ctx)
	}
	return err
}

// list requests one object of the bucket. Unlike the response to HEAD, which has no body,
// the response says whether the bucket exists and what is wrong with the credentials.
func (s *Store) list(ctx context.Context) error {
	for info := range s.client.ListObjectsIter(ctx, s.cfg.Bucket, minio.ListObjectsOptions{Recursive: true, MaxKeys: 1}) {
		return info.Err
	}
	return ctx.Err()
}

// makeBucket creates the bucket.
func (s *Store) makeBucket(ctx context.Context) error {
	if !s.cfg.CreateBucket {
		return &mistake{fmt.Errorf("S3_BUCKET: there is no bucket %s at %s; create it, name an existing one, or set S3_CREATE_BUCKET=true",
			s.cfg.Bucket, s.cfg.Endpoint)}
	}
	err := s.client.MakeBucket(ctx, s.cfg.Bucket, minio.MakeBucketOptions{Region: s.cfg.Region})
	switch {
	case err == nil:
		return nil
	case status(err) == http.StatusConflict: // another instance was faster, or the bucket is not ours
		listed := s.list(ctx)
		switch code(listed) {
		case minio.AccessDenied:
			return &mistake{fmt.Errorf("S3_BUCKET: the bucket %s belongs to another account; name another one: %w", s.cfg.Bucket, err)}
		case minio.NoSuchBucket: // not visible yet
			return fmt.Errorf("the bucket %s is being created: %v", s.cfg.Bucket, err) //nolint:errorlint // it is not a mistake
		}
		return listed
	case status(err) == http.StatusForbidden || status(err) == http.StatusMethodNotAllowed || status(err) == http.StatusNotImplemented:
		return &mistake{fmt.Errorf("S3_BUCKET: there is no bucket %s at %s, and S3_ACCESS_KEY may not create it; create it, or name an existing one: %w",
			s.cfg.Bucket, s.cfg.Endpoint, err)}
	}
	return fmt.Errorf("create the bucket %s: %w", s.cfg.Bucket, err)
}

// mistake is a configuration error, which waiting does not fix.
type mistake struct{ error }

func (m *mistake) Unwrap() error { return m.error }

// diagnose returns what the operator must change to fix err, or nil if waiting may fix
// it: the server is not listening yet, its name does not resolve yet, or the object store
// is unhealthy.
func (s *Store) diagnose(err error) error {
	var known *mistake
	var certificate *tls.CertificateVerificationError
	var malformed *xml.SyntaxError
	var r minio.ErrorResponse
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &certificate):
		return fmt.Errorf("S3_ENDPOINT: the certificate of %s is not trusted; set S3_CA_FILE to its CA, or use the host name that it was issued for: %w", s.cfg.Endpoint, err)
	case err != nil && strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		return fmt.Errorf("S3_ENDPOINT: %s does not serve TLS; use http://, or its TLS port: %w", s.cfg.Endpoint, err)
	case errors.As(err, &malformed):
		return fmt.Errorf("S3_ENDPOINT: the server at %s is not an object store: %w", s.cfg.Endpoint, err)
	case !errors.As(err, &r):
		return nil
	}
	switch r.Code {
	case minio.InvalidAccessKeyID, minio.SignatureDoesNotMatch:
		return fmt.Errorf("S3_ACCESS_KEY and S3_SECRET_KEY are not accepted by the object store at %s (%s): %w", s.cfg.Endpoint, r.Code, err)
	case minio.AuthorizationHeaderMalformed, minio.InvalidRegion, "PermanentRedirect", "IllegalLocationConstraintException":
		return fmt.Errorf("S3_REGION is %s, which is not the region of the bucket %s at %s (%s): %w", s.cfg.Region, s.cfg.Bucket, s.cfg.Endpoint, r.Code, err)
	case "RequestTimeTooSkewed":
		return nil // until one of the clocks is corrected
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

// code returns the S3 error code of err, or "".
func code(err error) string {
	var r minio.ErrorResponse
	_ = errors.As(err, &r) // otherwise it stays empty
	return r.Code
}

// status returns the HTTP status of err, or 0.
func status(err error) int {
	var r minio.ErrorResponse
	_ = errors.As(err, &r) // otherwise it stays 0
	return r.StatusCode
}

// passes reports whether a response status is transient.
func passes(status int) bool {
	return status == http.StatusRequestTimeout || status == http.StatusTooManyRequests ||
		status >= http.StatusInternalServerError && status != http.StatusNotImplemented
}
