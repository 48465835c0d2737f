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
	// MaxEntry is how large an entry of a log may be, in bytes.
	MaxEntry = claimThreshold
	// headerSequence is the place of an entry in the log of its id.
	headerSequence = "Recto-Sequence"
	// followAhead is how many entries a follower is sent before it asks for them.
	followAhead = 16
	// followIdle is when the server forgets a follower that went away without a
	// word.
	followIdle = 30 * time.Second
	// followRetry is the pause before a log is followed again that could not be.
	followRetry = 250 * time.Millisecond
	// followOpen bounds one attempt to.
	followOpen = 5 * time.Second
)

// ErrTooLarge says that an entry is over MaxEntry.
var ErrTooLarge = fmt.Errorf("the entry has more than %d bytes", MaxEntry)

// LogConfig describes a log.
type LogConfig struct {
	// Name is what it tells of, in lower case, for example "insight".
	Name string
	// MaxAge is how long entries are kept, and MaxBytes how much of them: the
	// oldest ones go for new ones.
	MaxAge   time.Duration
	MaxBytes int64
}

// Log tells whoever follows it of what is going on, entry by entry: a stream in
// memory. What a restart of the server loses, or what is too old, has to be found
// elsewhere.
type Log struct {
	conn   *Conn
	cfg    LogConfig
	stream jetstream.Stream
}

// OpenLog opens the log, and makes it or adapts its limits if need be.
func (c *Conn) OpenLog(ctx context.Context, cfg LogConfig) (*Log, error) {
	l := &Log{conn: c, cfg: cfg}
	return l, c.keep(ctx, l.open)
}

// open opens the stream. For as long as it has an entry it knows that again.
func (l *Log) open(ctx context.Context) error {
	stream, err := l.conn.ensureStream(ctx, jetstream.StreamConfig{
		Name: logStream(l.cfg.Name), Description: "what is going on, for those who follow it", Subjects: []string{"log." + l.cfg.Name + ".*.*"},
		Storage: jetstream.MemoryStorage, MaxAge: l.cfg.MaxAge, MaxBytes: l.cfg.MaxBytes, Discard: jetstream.DiscardOld, Duplicates: l.cfg.MaxAge,
	})
	if err == nil && l.stream == nil { // otherwise it is as good for the stream that was made again
		l.stream = stream
	}
	return err
}

// logStream is the name of the stream of a log.
func logStream(name string) string { return "LOG-" + strings.ToUpper(name) }

// logSubject is where the entries of an id are.
func logSubject(name, organization, id string) (string, error) {
	for _, token := range []string{name, organization, id} {
		if !isToken(token) {
			return "", fmt.Errorf("%.100q is no part of the subject of a log", token)
		}
	}
	return "log." + name + "." + organization + "." + id, nil
}

// Append stores the entry of a sequence, which counts those of the id from 1.
// Whoever begins the work again and appends them again is not heard a second
// time. ErrTooLarge if it is over MaxEntry. After an error no more should be
// appended: nobody is told what follows a gap.
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

// Remove removes the entries of an id.
func (l *Log) Remove(ctx context.Context, organization, id string) error {
	subject, err := logSubject(l.cfg.Name, organization, id)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	if err := l.stream.Purge(ctx, jetstream.WithPurgeSubject(subject)); err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
		return fmt.Errorf("remove what the log %s has of %s: %w", l.cfg.Name, id, err)
	}
	return nil
}

// Follower reads the entries of an id. It is for one goroutine.
type Follower struct {
	conn    *Conn
	stream  string
	subject string
	last    int // sequence that was told

	entries jetstream.MessagesContext // nil while there are none
	forget  func()                    // lets the server forget them
	link    context.Context           // that of entries
}

// Follow follows the log of an id, from the entry of that sequence on. The log
// may be not there yet, or not any more. The caller closes the Follower.
func (c *Conn) Follow(_ context.Context, log, organization, id string, from int) (*Follower, error) {
	subject, err := logSubject(log, organization, id)
	if err != nil {
		return nil, err
	}
	return &Follower{conn: c, stream: logStream(log), subject: subject, last: max(from, 1) - 1}, nil
}

// Next waits for the next entry, for as long as ctx: its error is the only one.
// Sequences rise by one, whatever happens to the connection. What follows one
// that was lost is not told.
func (f *Follower) Next(ctx context.Context) (sequence int, data []byte, err error) {
	for {
		m, err := f.receive(ctx)
		if err != nil && ctx.Err() != nil {
			return 0, nil, ctx.Err()
		}
		if err != nil {
			f.Close()
			f.conn.log.DebugContext(ctx, "a log is followed again", "stream", f.stream, "error", err)
			_ = sleep(ctx, followRetry)
			continue
		}
		if n, err := strconv.Atoi(m.Headers().Get(headerSequence)); err == nil && n == f.last+1 {
			f.last = n
			return n, m.Data(), nil
		}
	}
}

// receive returns the next message. Where there was another connection before,
// there may be another stream now, which is read from its beginning.
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

// open begins to read the log.
func (f *Follower) open(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, followOpen)
	defer cancel()
	link := f.conn.connection()
	if !f.conn.nc.IsConnected() {
		return errors.New("there is no connection to NATS")
	}
	consumer, err := f.conn.js.OrderedConsumer(ctx, f.stream, jetstream.OrderedConsumerConfig{
		FilterSubjects: []string{f.subject}, InactiveThreshold: followIdle, MaxResetAttempts: 1,
	})
	if err != nil {
		return fmt.Errorf("follow %s: %w", f.subject, err)
	}
	// With the heartbeat a leader that went away without a word is soon missed.
	entries, err := consumer.Messages(jetstream.PullMaxMessages(followAhead), jetstream.PullHeartbeat(eventHeartbeat))
	if err != nil {
		return fmt.Errorf("follow %s: %w", f.subject, err)
	}
	f.entries, f.link = entries, link
	f.forget = func() {
		ctx, cancel := context.WithTimeout(context.Background(), dropTimeout)
		defer cancel()
		_ = f.conn.js.DeleteConsumer(ctx, f.stream, consumer.CachedInfo().Name) // it goes by its idleness
	}
	return nil
}

// Close ends the following. It may be called again.
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
