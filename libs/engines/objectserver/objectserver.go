// Package objectserver runs an S3 server over a folder inside the process: the
// object store of the standalone program, and of tests.
//
// It is versitygw behind an HTTP server of our own, see admission. Versitygw allows
// one server per process. It changes the working
// directory of the process to the folder of its objects and reads them by
// relative paths: whoever changed it back would move the objects.
package objectserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/versity/versitygw/auth"
	"github.com/versity/versitygw/backend/meta"
	"github.com/versity/versitygw/backend/posix"
	"github.com/versity/versitygw/embedgw"
	"github.com/versity/versitygw/s3api/middlewares"
	"github.com/versity/versitygw/s3err"
	"github.com/versity/versitygw/s3response"

	"github.com/rectohq/recto/libs/cors"
	"github.com/rectohq/recto/libs/listener"
)

// Config says where the server stores and listens. Paths may be relative to
// the working directory of before.
type Config struct {
	// Dir holds the objects, and beside them their properties where the file
	// system has no extended attributes.
	Dir string
	// Addr is the address it listens on, host:port.
	Addr string
	// CertFile and KeyFile are its certificate and key in PEM; without them it
	// serves in the clear.
	CertFile, KeyFile string
	// AccessKey and SecretKey are those of its one account.
	AccessKey, SecretKey string
	Region               string
	Uploads              Uploads
	// CORSOrigins are the origins whose web pages may use signed URLs.
	CORSOrigins cors.Origins
	// Log takes what goes wrong on connections; nil drops it.
	Log *slog.Logger
	// Limits are what clients have to keep to; the zero Limits are the defaults.
	Limits Limits
	// Metrics is where the metrics of the listener are registered; nil drops them.
	Metrics prometheus.Registerer
}

// log returns where to log.
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
	admission *admission // nil until versitygw serves
}

const (
	// copies is how many connections and requests versitygw takes for each
	// connection of a client: the limits are those of the admission.
	copies = 2
	// copyThreshold is the largest object that is copied in one request: more
	// than any content may have.
	copyThreshold = 1 << 30
	startTimeout  = 10 * time.Second
)

// Start starts the server and returns when it accepts connections.
func Start(ctx context.Context, cfg Config) (*Server, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	ln, limited, err := listen(cfg) // first: the paths in cfg are relative to the folder of now
	if err != nil {
		return nil, err
	}
	backend, err := newBackend(cfg.Dir, copies*cfg.Limits.MaxConnections)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open the object store in %s: %w", cfg.Dir, err), ln.Close())
	}
	socket := newSocket()
	run, cancel := context.WithCancel(context.WithoutCancel(ctx))
	s := &Server{cancel: cancel, done: make(chan error, 1), listener: limited}
	go func() {
		s.done <- embedgw.RunVersityGW(run, folders{backend}, &embedgw.Config{
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

// Buckets returns the folder in which a server over dir keeps its buckets: each
// is a folder, and each object in it a file of its key.
func Buckets(dir string) string { return filepath.Join(dir, "buckets") }

// spool returns the folder of uploads of unknown length. Its files have no names.
func spool(dir string) string { return filepath.Join(dir, "spool") }

// folders are objects as files. A folder goes with the last object in it, and what
// is put into it at that moment finds none: which the backend calls a conflict,
// though nothing is wrong with the request. Clients are told to send it again.
//
// The backend also stores what it got of a body whose client has gone: it takes
// the end of a connection for the end of a body where there is no checksum to
// compare.
type folders struct{ *posix.Posix }

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

// whole is a body that fails where it ends early.
type whole struct {
	io.Reader
	left int64
}

// wholeBody returns a body of that many bytes. It has the checksum of the one
// that it is made of, if that has one.
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

// checksum is what versitygw asks a body for.
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

// newBackend returns a backend that keeps objects as files, with their
// properties in extended attributes or, where the file system has none, in files
// beside them. A folder must not be moved between the two kinds: properties
// would be lost.
func newBackend(dir string, concurrency int) (*posix.Posix, error) {
	objects, sidecar := Buckets(dir), filepath.Join(dir, "properties")
	for _, folder := range []string{objects, spool(dir)} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return nil, err
		}
	}
	options := posix.PosixOpts{Concurrency: concurrency, CopyObjectThreshold: copyThreshold}
	options.SetNewDirPerm(0o700)
	options.SetNewFilePerm(0o600)
	if err := (meta.XattrMeta{}).Test(objects); err == nil {
		return posix.New(objects, meta.XattrMeta{}, options)
	}
	if err := os.MkdirAll(sidecar, 0o700); err != nil {
		return nil, err
	}
	properties, err := meta.NewSideCar(sidecar)
	if err != nil {
		return nil, err
	}
	options.SideCarDir = sidecar
	return posix.New(objects, properties, options)
}

// waitListening waits until versitygw takes connections, or says why it does
// not.
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
			return fmt.Errorf("the object store ended: %w", err)
		case <-ctx.Done():
			return fmt.Errorf("the object store does not start: %w", err)
		case <-time.After(time.Millisecond):
		}
	}
}

// Stop ends the server and returns when its requests are done.
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
