package bus

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	// MaxEntry is the maximum size of a log entry, in bytes.
	MaxEntry = claimThreshold
	// headerSequence is the sequence number of an entry in the log of its ID.
	headerSequence = "Recto-Sequence"
	// followAhead is how many entries are sent to a follower ahead of its requests.
	followAhead = 16
	// followIdle is when the server forgets a follower that disappeared silently.
	followIdle = 30 * time.Second
	// followRetry is the pause before following is retried after a failure.
	followRetry = 250 * time.Millisecond
	// followOpen bounds one attempt to start following.
	followOpen = 5 * time.Second
)

// ErrTooLarge means that an entry exceeds MaxEntry.
var ErrTooLarge = fmt.Errorf("the entry has more than %d bytes", MaxEntry)

// LogConfig describes a log.
type LogConfig struct {
	// Name is what the log reports on, in lower case, for example "insight".
	Name string
	// MaxAge is how long entries are kept, and MaxBytes their total size. New entries
	// displace the oldest ones.
	MaxAge   time.Duration
	MaxBytes int64
}

// Log reports the progress of work to its followers, entry by entry. It is a stream in
// memory: entries that are too old or that a server restart lost must be obtained
// elsewhere.
type Log struct {
	conn   *Conn
	cfg    LogConfig
	stream jetstream.Stream
}

// OpenLog opens the log, creating it or updating its limits as needed.
func (c *Conn) OpenLog(ctx context.Context, cfg LogConfig) (*Log, error) {
	l := &Log{conn: c, cfg: cfg}
	return l, c.keep(ctx, l.open)
}

// open opens the stream. Duplicates are recognized for as long as entries are kept.
func (l *Log) open(ctx context.Context) error {
	stream, err := l.conn.ensureStream(ctx, jetstream.StreamConfig{
		Name: logStream(l.cfg.Name), Description: "progress of work, for followers", Subjects: []string{"log." + l.cfg.Name + ".*.*"},
		Storage: jetstream.MemoryStorage, MaxAge: l.cfg.MaxAge, MaxBytes: l.cfg.MaxBytes, Discard: jetstream.DiscardOld, Duplicates: l.cfg.MaxAge,
	})
	if err == nil && l.stream == nil { // the existing handle also works for a recreated stream
		l.stream = stream
	}
	return err
}

// logStream returns the name of a log's stream.
func logStream(name string) string { return "LOG-" + strings.ToUpper(name) }

// logSubject returns the subject of an ID's entries.
func logSubject(name, organization, id string) (string, error) {
	for _, token := range []string{name, organization, id} {
		if !isToken(token) {
			return "", fmt.Errorf("%.100q is not allowed in the subject of a log", token)
		}
	}
	return "log." + name + "." + organization + "." + id, nil
}

// Append stores the entry with the sequence number; the entries of an ID are numbered
// from 1. An entry that was appended before is ignored, so work that is restarted may
// append its entries again. Append returns ErrTooLarge if data exceeds MaxEntry. Do not
// append more after an error: followers do not receive entries after a gap.
func (l *Log) Append(ctx context.Context, organization, id string, sequence int, data []byte) error {
	subject, err := logSubject(l.cfg.Name, organization, id)
	if err != nil {
		return err
	}
	if len(data) > MaxEntry {
		return ErrTooLarge
	}
	m := &nats.Msg{Subject: subject, Data: data, Header: nats.Header{headerSequence: {strconv.Itoa(sequence)}}}
	if _, err := l.conn.store(ctx, m, fmt.Sprintf("%s.%s.%d", organization, id, sequence)); err != nil {
		return fmt.Errorf("append to the log %s of %s: %w", l.cfg.Name, id, err)
	}
	return nil
}

// Remove removes the entries of an ID.
func (l *Log) Remove(ctx context.Context, organization, id string) error {
	subject, err := logSubject(l.cfg.Name, organization, id)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	if err := l.stream.Purge(ctx, jetstream.WithPurgeSubject(subject)); err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
		return fmt.Errorf("remove the entries of the log %s for %s: %w", l.cfg.Name, id, err)
	}
	return nil
}

// Follower reads the entries of an ID. It is not safe for concurrent use.
type Follower struct {
	conn    *Conn
	stream  string
	subject string
	last    int // sequence number last returned

	entries jetstream.MessagesContext // nil while not following
	forget  func()                    // deletes their consumer on the server
	link    context.Context           // the connection that entries belongs to
}

// Follow follows the log of an ID, starting with sequence number from. The log need not
// exist yet, and may already be gone. The caller closes the Follower.
func (c *Conn) Follow(_ context.Context, log, organization, id string, from int) (*Follower, error) {
	subject, err := logSubject(log, organization, id)
	if err != nil {
		return nil, err
	}
	return &Follower{conn: c, stream: logStream(log), subject: subject, last: max(from, 1) - 1}, nil
}

// Next waits for the next entry. It fails only when ctx ends. Sequence numbers are
// consecutive, even across reconnects; entries after a lost one are not returned.
func (f *Follower) Next(ctx context.Context) (sequence int, data []byte, err error) {
	for {
		m, err := f.receive(ctx)
		if err != nil && ctx.Err() != nil {
			return 0, nil, ctx.Err()
		}
		if err != nil {
			f.Close()
			f.conn.log.DebugContext(ctx, "following a log again", "stream", f.stream, "error", err)
			_ = sleep(ctx, followRetry)
			continue
		}
		if n, err := strconv.Atoi(m.Headers().Get(headerSequence)); err == nil && n == f.last+1 {
			f.last = n
			return n, m.Data(), nil
		}
	}
}

// receive returns the next message. After a reconnect the stream may be a new one, so it
// is read from its beginning.
func (f *Follower) receive(ctx context.Context) (jetstream.Msg, error) {
	if f.entries != nil && f.link.Err() != nil {
		f.Close()
	}
	if f.entries == nil {
		if err := f.open(ctx); err != nil {
			return nil, err
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(f.link, cancel)()
	return f.entries.Next(jetstream.NextContext(ctx))
}

// open starts reading the log.
func (f *Follower) open(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, followOpen)
	defer cancel()
	link := f.conn.connection()
	if !f.conn.nc.IsConnected() {
		return errors.New("no connection to NATS")
	}
	consumer, err := f.conn.js.OrderedConsumer(ctx, f.stream, jetstream.OrderedConsumerConfig{
		FilterSubjects: []string{f.subject}, InactiveThreshold: followIdle, MaxResetAttempts: 1,
	})
	if err != nil {
		return fmt.Errorf("follow %s: %w", f.subject, err)
	}
	// The heartbeat soon reveals that a leader has silently disappeared.
	entries, err := consumer.Messages(jetstream.PullMaxMessages(followAhead), jetstream.PullHeartbeat(eventHeartbeat))
	if err != nil {
		return fmt.Errorf("follow %s: %w", f.subject, err)
	}
	f.entries, f.link = entries, link
	f.forget = func() {
		ctx, cancel := context.WithTimeout(context.Background(), dropTimeout)
		defer cancel()
		_ = f.conn.js.DeleteConsumer(ctx, f.stream, consumer.CachedInfo().Name) // if this fails, it expires when idle
	}
	return nil
}

// Close stops following. It may be called more than once.
func (f *Follower) Close() {
	if f.entries == nil {
		return
	}
	f.entries.Stop()
	if f.link.Err() == nil {
		f.forget()
	}
	f.entries = nil
}
