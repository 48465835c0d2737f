// Package objectserver runs an S3 server on a folder inside the process. It is the
// object store of the standalone program and of tests.
//
// It is versitygw behind our own HTTP server, see admission. Versitygw allows one
// server per process. It changes the working directory of the process to the folder
// of its objects and reads them by relative paths, so do not change the working
// directory while a server runs.
package objectserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"path/filepath"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/versity/versitygw/auth"
	"github.com/versity/versitygw/backend/posix"
	"github.com/versity/versitygw/embedgw"
	"github.com/versity/versitygw/s3api/middlewares"
	"github.com/versity/versitygw/s3err"
	"github.com/versity/versitygw/s3response"

	"github.com/rectohq/recto/libs/cors"
	"github.com/rectohq/recto/libs/listener"
)

// Config configures a Server. Paths may be relative to the working directory at
// the time of Start.
type Config struct {
	// Dir is the folder for the objects. It also holds their properties if the file
	// system has no extended attributes.
	Dir string
	// Addr is the address to listen on, host:port.
	Addr string
	// CertFile and KeyFile are the certificate and key in PEM; renewed ones are loaded
	// automatically. Without them the server does not use TLS.
	CertFile, KeyFile string
	// AccessKey and SecretKey are the credentials of the only account.
	AccessKey, SecretKey string
	Region               string
	Uploads              Uploads
	// CORSOrigins are the origins whose web pages may use presigned URLs.
	CORSOrigins cors.Origins
	// Log receives errors of connections; nil discards them.
	Log *slog.Logger
	// Limits are the limits for clients; the zero value means the defaults.
	Limits Limits
	// Metrics is the registry for the listener's metrics; nil discards them.
	Metrics prometheus.Registerer
	// noAttributes means that the file system has no extended attributes.
	noAttributes bool
}

// log returns c.Log, or a logger that discards everything.
func (c Config) log() *slog.Logger {
	if c.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return c.Log
}

// Server is a running S3 server.
type Server struct {
	cancel    context.CancelFunc
	done      chan error
	listener  *listener.Listener
	removals  *sync.RWMutex
	admission *admission // nil until versitygw serves
}

const (
	// copies is how many connections and requests versitygw allows for each
	// connection of a client. It is generous: the admission enforces the limits.
	copies = 2
	// copyThreshold is the largest object that one request can copy, in bytes. No
	// content may be that large.
	copyThreshold = 1 << 30
	startTimeout  = 10 * time.Second
)

// Start starts the server and returns when it accepts connections.
func Start(ctx context.Context, cfg Config) (*Server, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	ln, limited, err := listen(cfg) // first: paths in cfg are relative to the current working directory
	if err != nil {
		return nil, err
	}
	backend, err := newBackend(cfg)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open the object store in %s: %w", cfg.Dir, err), ln.Close())
	}
	socket := newSocket()
	run, cancel := context.WithCancel(context.WithoutCancel(ctx))
	s := &Server{cancel: cancel, done: make(chan error, 1), listener: limited, removals: &sync.RWMutex{}}
	go func() {
		s.done <- embedgw.RunVersityGW(run, folders{backend, s.removals}, &embedgw.Config{
			RootUserAccess: cfg.AccessKey, RootUserSecret: cfg.SecretKey, Region: cfg.Region,
			IAMService:     auth.NewIAMServiceSingle(auth.Account{Access: cfg.AccessKey, Secret: cfg.SecretKey, Role: auth.RoleAdmin}),
			Ports:          []string{socket},
			MaxConnections: copies * cfg.Limits.MaxConnections, MaxRequests: copies * cfg.Limits.MaxConnections, MultipartMaxParts: 10_000,
			KeepAlive: true, Quiet: true,
		})
	}()
	if err := s.waitListening(ctx, socket); err != nil {
		return nil, errors.Join(err, s.Stop(), ln.Close())
	}
	s.admission = startAdmission(cfg, ln, socket, backend)
	return s, nil
}

// Buckets returns the folder in which a server on dir keeps its buckets. Each bucket
// is a folder, and each object is a file in it that is named by its key.
func Buckets(dir string) string { return filepath.Join(dir, "buckets") }

// Properties returns the folder in which a server on dir keeps the properties of objects
// if the file system has no extended attributes.
func Properties(dir string) string { return filepath.Join(dir, "properties") }

// spool returns the folder for uploads of unknown length. Its files are unnamed.
func spool(dir string) string { return filepath.Join(dir, "spool") }

// folders is a backend that works around two problems of posix.Posix, which stores
// objects as files.
//
// It removes a folder with the last object in it. A concurrent put into that folder
// then fails with a conflict, although the request is valid. PutObject returns
// SlowDown instead, which asks the client to retry.
//
// It also stores an incomplete body if the client disconnects: without a checksum to
// compare, it takes the end of the connection for the end of the body. PutObject
// rejects such bodies.
//
// Removals of objects wait while Server.HoldRemovals holds the lock for writing.
type folders struct {
	*posix.Posix
	removals *sync.RWMutex
}

// PutObject implements backend.Backend.
func (f folders) PutObject(ctx context.Context, input s3response.PutObjectInput) (s3response.PutObjectOutput, error) {
	if input.Body != nil && input.ContentLength != nil {
		input.Body = wholeBody(input.Body, *input.ContentLength)
	}
	output, err := f.Posix.PutObject(ctx, input)
	if errors.Is(err, s3err.GetAPIError(s3err.ErrExistingObjectIsDirectory)) {
		err = s3err.GetAPIError(s3err.ErrSlowDown)
	}
	return output, err
}

// whole is a body that fails if it ends early.
type whole struct {
	io.Reader
	left int64
}

// wholeBody returns body as one that fails unless it has size bytes. The result has
// the checksum of body, if body has one.
func wholeBody(body io.Reader, size int64) io.Reader {
	reader := &whole{body, size}
	if sum, ok := body.(middlewares.ChecksumReader); ok {
		return struct {
			io.Reader
			checksum
		}{reader, sum}
	}
	return reader
}

// checksum is the part of middlewares.ChecksumReader that versitygw calls on a body.
type checksum interface {
	Algorithm() string
	Checksum() string
}

// Read implements io.Reader.
func (w *whole) Read(p []byte) (int, error) {
	n, err := w.Reader.Read(p)
	w.left -= int64(n)
	if w.left > 0 && (errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)) {
		err = s3err.GetAPIError(s3err.ErrIncompleteBody) // the backend takes io.ErrUnexpectedEOF for the end
	}
	return n, err
}

// waitListening waits until versitygw accepts connections. It returns an error if
// versitygw stops or does not start in time.
func (s *Server) waitListening(ctx context.Context, socket string) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	dialer := net.Dialer{}
	for {
		conn, err := dialer.DialContext(ctx, "unix", socket)
		if err == nil {
			return conn.Close()
		}
		select {
		case err := <-s.done:
			s.done <- err
			return fmt.Errorf("the object store stopped while starting: %w", err)
		case <-ctx.Done():
			return fmt.Errorf("the object store did not start: %w", err)
		case <-time.After(time.Millisecond):
		}
	}
}

// Stop stops the server and returns when its requests are done.
func (s *Server) Stop() error {
	var stopped error
	if s.admission != nil {
		stopped = s.admission.stop()
	}
	s.cancel()
	err := <-s.done
	s.done <- err
	if errors.Is(err, context.Canceled) {
		err = nil
	}
	return errors.Join(stopped, err)
}
