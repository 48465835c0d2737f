package natsserver

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/nats-io/nats.go"
)

// The subjects of the JetStream API that snapshots use.
const (
	snapshotSubject = "$JS.API.STREAM.SNAPSHOT."
	restoreSubject  = "$JS.API.STREAM.RESTORE."
	// noStream is the error code for a stream that does not exist.
	noStream = 10059
	// maxDescription limits the description of a stream at the beginning of a snapshot.
	maxDescription = 1 << 20
	// chunkSize is how much of a snapshot one message carries.
	chunkSize = 128 << 10
	// apiTimeout bounds one request to the server.
	apiTimeout = 30 * time.Second
	// restoreTries is how often Restore tries to restore a stream.
	restoreTries = 5
)

// ErrNoStream means that a stream does not exist.
var ErrNoStream = errors.New("the stream does not exist")

// description says what a stream is. The server wrote it, and reads it again.
type description struct {
	Config jsontext.Value `json:"config"`
	State  jsontext.Value `json:"state"`
}

// answer is an answer of the JetStream API.
type answer struct {
	description    `json:",inline"`
	DeliverSubject string `json:"deliver_subject"`
	Error          *struct {
		Code        int    `json:"err_code"`
		Description string `json:"description"`
	} `json:"error"`
}

// Snapshot is the content of a stream, with its consumers, at the moment of
// Server.Snapshot. It must be closed.
type Snapshot struct {
	nc     *nats.Conn
	chunks *nats.Subscription
	about  description
	first  *nats.Msg
}

// Snapshot returns the content of a stream as it is now, with the positions of its
// consumers. What is published or acknowledged after Snapshot returns is not part of it.
// The error is ErrNoStream if the stream does not exist.
func (s *Server) Snapshot(ctx context.Context, stream string) (*Snapshot, error) {
	nc, err := nats.Connect("", s.Option())
	if err != nil {
		return nil, fmt.Errorf("snapshot of the stream %s: %w", stream, err)
	}
	snapshot := &Snapshot{nc: nc}
	if err := snapshot.begin(ctx, stream); err != nil {
		snapshot.Close()
		return nil, fmt.Errorf("snapshot of the stream %s: %w", stream, err)
	}
	return snapshot, nil
}

// begin requests the snapshot, and waits for its first chunk: the server has noted the
// positions of the consumers when it sends that.
func (s *Snapshot) begin(ctx context.Context, stream string) (err error) {
	inbox := nats.NewInbox()
	if s.chunks, err = s.nc.SubscribeSync(inbox); err != nil {
		return err
	}
	body, err := json.Marshal(struct {
		DeliverSubject string `json:"deliver_subject"`
		ChunkSize      int    `json:"chunk_size"`
	}{inbox, chunkSize})
	if err != nil {
		return err
	}
	a, err := ask(ctx, s.nc, snapshotSubject+stream, body)
	if err != nil {
		return err
	}
	s.about = a.description
	s.first, err = s.chunks.NextMsgWithContext(ctx)
	return err
}

// Write writes the snapshot to w, in a form that Restore reads. It can be called once.
func (s *Snapshot) Write(ctx context.Context, w io.Writer) error {
	about, err := json.Marshal(s.about)
	if err != nil {
		return err
	}
	if _, err := w.Write(append(about, '\n')); err != nil {
		return err
	}
	for m := s.first; ; {
		if len(m.Data) == 0 { // the end; its status says whether the snapshot is complete
			if status := m.Header.Get("Status"); status != "" && status != "204" {
				return fmt.Errorf("NATS ended the snapshot: %s %s", status, m.Header.Get("Description"))
			}
			return nil
		}
		if _, err := w.Write(m.Data); err != nil {
			return err
		}
		if m.Reply != "" {
			if err := s.nc.Publish(m.Reply, nil); err != nil {
				return err
			}
		}
		bounded, cancel := context.WithTimeout(ctx, apiTimeout)
		m, err = s.chunks.NextMsgWithContext(bounded)
		cancel()
		if err != nil {
			return fmt.Errorf("wait for the rest of the snapshot: %w", err)
		}
	}
}

// Close ends the use of the snapshot.
func (s *Snapshot) Close() { s.nc.Close() }

// Restore creates the stream from a snapshot, which it reads from where it is, with its
// consumers. The stream must not exist. The server learns at its next start which messages
// are duplicates of restored ones.
func (s *Server) Restore(ctx context.Context, stream string, snapshot io.ReadSeeker) error {
	nc, err := nats.Connect("", s.Option())
	if err == nil {
		defer nc.Close()
		err = restoreStalled(ctx, nc, stream, snapshot)
	}
	if err != nil {
		return fmt.Errorf("restore the stream %s: %w", stream, err)
	}
	return nil
}

// restoreStalled restores the stream, again if it stalls: the server gives up when it gets
// no chunk for five seconds, which happens on a busy machine or a slow disk.
func restoreStalled(ctx context.Context, nc *nats.Conn, stream string, snapshot io.ReadSeeker) error {
	begin, err := snapshot.Seek(0, io.SeekCurrent)
	if err != nil {
		return err
	}
	for range restoreTries {
		if err = restore(ctx, nc, stream, snapshot); err == nil || !isStalled(err) {
			return err
		}
		if _, err := snapshot.Seek(begin, io.SeekStart); err != nil {
			return err
		}
	}
	return fmt.Errorf("the server waited too long for the next part, %d times; is this machine busy or its disk slow? %w", restoreTries, err)
}

// isStalled reports whether the server has given up waiting for a chunk: it closes the pipe
// that it writes chunks to, and ends its subscription.
func isStalled(err error) bool {
	return errors.Is(err, nats.ErrNoResponders) || strings.Contains(err.Error(), io.ErrClosedPipe.Error())
}

// restore sends the snapshot to the server in chunks, each after the one before it has
// been taken.
func restore(ctx context.Context, nc *nats.Conn, stream string, snapshot io.Reader) error {
	in := bufio.NewReaderSize(snapshot, chunkSize)
	about, err := readLine(in)
	if err != nil {
		return fmt.Errorf("read the description of the stream: %w", err)
	}
	a, err := ask(ctx, nc, restoreSubject+stream, about)
	if err != nil {
		return err
	}
	chunk := make([]byte, chunkSize)
	for {
		n, err := io.ReadFull(in, chunk)
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return err
		}
		// An empty chunk is the end; the answer says how the restore went.
		if _, err := ask(ctx, nc, a.DeliverSubject, chunk[:n]); err != nil || n == 0 {
			return err
		}
	}
}

// readLine reads the description up to the end of its line.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line bytes.Buffer
	for line.Len() < maxDescription {
		part, err := in.ReadSlice('\n')
		line.Write(part)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line.Bytes(), err
		}
	}
	return nil, fmt.Errorf("it has more than %d bytes", maxDescription)
}

// ask sends a request and returns the answer of the server. An empty answer is an
// acknowledgement.
func ask(ctx context.Context, nc *nats.Conn, subject string, body []byte) (a answer, err error) {
	ctx, cancel := context.WithTimeout(ctx, apiTimeout)
	defer cancel()
	m, err := nc.RequestWithContext(ctx, subject, body)
	if err != nil || len(m.Data) == 0 {
		return a, err
	}
	if err := json.Unmarshal(m.Data, &a); err != nil {
		return a, fmt.Errorf("the answer of NATS: %w", err)
	}
	switch {
	case a.Error == nil:
		return a, nil
	case a.Error.Code == noStream:
		return a, ErrNoStream
	default:
		return a, errors.New(strings.TrimSpace(a.Error.Description))
	}
}
