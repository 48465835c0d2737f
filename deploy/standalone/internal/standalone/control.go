package standalone

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/rectohq/recto/deploy/standalone/internal/backup"
	"github.com/rectohq/recto/deploy/standalone/internal/datadir"
)

// The program that runs on a data folder serves HTTP on a socket in the folder, which only
// the owner of the folder can connect to. POST /backup answers with an archive.
const (
	backupPath = "/backup"
	// errorTrailer says why an archive ends early. Most errors occur before its first byte
	// and have a status instead.
	errorTrailer = "Error"
	// maxReason is how much of the body of an error is read, in bytes.
	maxReason = 64 << 10
	// controlTimeout is how long a program may take to send the header of its request.
	controlTimeout = 10 * time.Second
)

// control serves the requests of other recto commands.
type control struct {
	source backup.Source
	busy   sync.Mutex // held by the only backup
}

// startControl starts to serve requests on the socket.
func (i *instance) startControl(ctx context.Context) error {
	ln, err := i.dir.Listen()
	if err != nil {
		return err
	}
	i.cleanup = append(i.cleanup, i.dir.Unlisten)
	c := &control{source: backup.Source{Dir: i.dir, NATS: i.nats, HoldRemovals: i.objects.HoldRemovals}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+backupPath, func(w http.ResponseWriter, r *http.Request) {
		if err := c.backup(w, r); err != nil {
			i.tel.Log.WarnContext(r.Context(), "a backup failed", "error", err)
		}
	})
	server := &http.Server{Handler: mux, ReadHeaderTimeout: controlTimeout}
	return i.parts.Start(ctx, "control", func(ctx context.Context) error {
		stop := context.AfterFunc(ctx, func() { _ = server.Close() }) // ends backups too
		defer stop()
		err := server.Serve(ln)
		c.busy.Lock() // until a backup has removed its files
		if errors.Is(err, http.ErrServerClosed) {
			err = nil
		}
		return err
	}, func(context.Context) error { return nil })
}

// backup takes a backup and sends the archive.
func (c *control) backup(w http.ResponseWriter, r *http.Request) error {
	if !c.busy.TryLock() {
		http.Error(w, "another backup of this folder is being made: wait until it has finished", http.StatusConflict)
		return nil
	}
	defer c.busy.Unlock()
	b, err := backup.Take(r.Context(), c.source)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return err
	}
	err = b.Write(r.Context(), w)
	if err != nil {
		w.Header().Set(http.TrailerPrefix+errorTrailer, strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	return errors.Join(err, b.Close())
}

// errNotRunning means that no program listens on the socket.
var errNotRunning = errors.New("no Recto runs on the data folder")

// requestBackup returns the archive that the program on the data folder makes, which must
// be closed. It returns errNotRunning if there is none.
func requestBackup(ctx context.Context, dir datadir.Dir) (io.ReadCloser, error) {
	conn, err := dir.Dial(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, errNotRunning // no socket, or one that a killed program has left
	}
	transport := &http.Transport{
		DialContext:        func(context.Context, string, string) (net.Conn, error) { return conn, nil },
		DisableKeepAlives:  true,
		DisableCompression: true,
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://recto"+backupPath, http.NoBody)
	if err != nil {
		return nil, err
	}
	answer, err := transport.RoundTrip(request)
	if err != nil {
		return nil, fmt.Errorf("ask the Recto that runs on %s for a backup: %w", dir.Path(), err)
	}
	if answer.StatusCode == http.StatusOK {
		return &streamed{answer}, nil
	}
	defer answer.Body.Close()
	reason, err := io.ReadAll(io.LimitReader(answer.Body, maxReason))
	return nil, errors.Join(fmt.Errorf("the Recto that runs on %s cannot make a backup: %s", dir.Path(), strings.TrimSpace(string(reason))), err)
}

// streamed is an archive that a running program sends.
type streamed struct{ answer *http.Response }

// Read implements io.Reader. At the end it returns the error of the program, if there is one.
func (s *streamed) Read(p []byte) (int, error) {
	n, err := s.answer.Body.Read(p)
	if errors.Is(err, io.EOF) {
		if reason := s.answer.Trailer.Get(errorTrailer); reason != "" {
			return n, errors.New(reason)
		}
	} else if err != nil {
		err = fmt.Errorf("the Recto that made the backup has ended: %w", err)
	}
	return n, err
}

// Close implements io.Closer.
func (s *streamed) Close() error { return s.answer.Body.Close() }
