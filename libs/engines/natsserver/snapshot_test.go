package natsserver_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/rectohq/recto/libs/engines/natsserver"
	"github.com/rectohq/recto/libs/testkit/patience"
)

// start starts a server on a folder and returns a client of it.
func start(t *testing.T, dir string) (*natsserver.Server, jetstream.JetStream) {
	t.Helper()
	s, err := natsserver.Start(natsserver.Config{Dir: dir, MaxMemory: 1 << 20, MaxStore: 1 << 30, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	nc, err := nats.Connect("", s.Option())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	return s, js
}

// publish stores message n, of 1 KiB, under an ID of its own.
func publish(t *testing.T, js jetstream.JetStream, n int) *jetstream.PubAck {
	t.Helper()
	body := fmt.Sprintf("%d %s", n, strings.Repeat(fmt.Sprint(n), 1024))[:1024]
	ack, err := js.Publish(t.Context(), "events.a", []byte(body), jetstream.WithMsgID(fmt.Sprint(n)))
	if err != nil {
		t.Fatal(err)
	}
	return ack
}

// take acknowledges the next message and returns its number.
func take(t *testing.T, js jetstream.JetStream) (n int) {
	t.Helper()
	c, err := js.Consumer(t.Context(), "EVENTS", "reader")
	if err != nil {
		t.Fatal(err)
	}
	m, err := c.Next()
	if err != nil {
		t.Fatal(err)
	}
	if err := m.DoubleAck(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Sscan(string(m.Data()), &n); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestSnapshot restores a stream on another server. It has what was published before the
// snapshot and nothing later; its consumer goes on where it was; and a message that is
// published again is still a duplicate.
func TestSnapshot(t *testing.T) {
	s, js := start(t, t.TempDir())
	_, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "EVENTS", Subjects: []string{"events.>"}, Storage: jetstream.FileStorage})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := js.CreateConsumer(t.Context(), "EVENTS", jetstream.ConsumerConfig{Durable: "reader", AckPolicy: jetstream.AckExplicitPolicy}); err != nil {
		t.Fatal(err)
	}
	const messages = 2000 // more than one chunk
	for n := range messages {
		publish(t, js, n)
	}
	take(t, js)
	take(t, js)
	snapshot, err := s.Snapshot(t.Context(), "EVENTS")
	if err != nil {
		t.Fatal(err)
	}
	defer snapshot.Close()
	take(t, js)
	publish(t, js, messages)
	var b bytes.Buffer
	if err := snapshot.Write(t.Context(), &b); err != nil {
		t.Fatal(err)
	}

	dir := t.TempDir()
	target, _ := start(t, dir)
	if err := target.Restore(t.Context(), "EVENTS", bytes.NewReader(b.Bytes())); err != nil {
		t.Fatal(err)
	}
	target.Stop()
	target, restored := start(t, dir) // a server learns at its start what is a duplicate
	stream, err := restored.Stream(t.Context(), "EVENTS")
	if err != nil {
		t.Fatal(err)
	}
	if info := stream.CachedInfo(); info.State.Msgs != messages || info.Config.Subjects[0] != "events.>" {
		t.Errorf("the stream has %d messages, want %d, and the settings %+v", info.State.Msgs, messages, info.Config)
	}
	if n := take(t, restored); n != 2 {
		t.Errorf("the consumer goes on at message %d, want 2", n)
	}
	if ack := publish(t, restored, 5); !ack.Duplicate {
		t.Error("a message that is published again is stored again")
	}
	if ack := publish(t, restored, messages); ack.Duplicate {
		t.Error("a message after the snapshot counts as stored")
	}
	if err := target.Restore(t.Context(), "EVENTS", bytes.NewReader(b.Bytes())); err == nil || !strings.Contains(err.Error(), "EVENTS") {
		t.Errorf("Restore over a stream: %v", err)
	}
}

// TestSnapshotErrors checks what is said about a stream that does not exist, and about
// damaged snapshots.
func TestSnapshotErrors(t *testing.T) {
	s, js := start(t, t.TempDir())
	if _, err := s.Snapshot(t.Context(), "EVENTS"); !errors.Is(err, natsserver.ErrNoStream) {
		t.Errorf("no stream: %v", err)
	}
	if _, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "EVENTS", Subjects: []string{"events.>"}}); err != nil {
		t.Fatal(err)
	}
	publish(t, js, 0)
	snapshot, err := s.Snapshot(t.Context(), "EVENTS")
	if err != nil {
		t.Fatal(err)
	}
	defer snapshot.Close()
	var b bytes.Buffer
	if err := snapshot.Write(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	target, _ := start(t, t.TempDir())
	for name, damaged := range map[string]string{
		"empty": "", "no line": "x", "no JSON": "x\n", "long": strings.Repeat(" ", 2<<20), "cut": b.String()[:b.Len()-20],
	} {
		if err := target.Restore(t.Context(), "EVENTS", strings.NewReader(damaged)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := target.Restore(ended, "EVENTS", bytes.NewReader(b.Bytes())); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of its context: %v", err)
	}
}

// stalling waits once before it is read beyond its first part.
type stalling struct {
	*bytes.Reader
	wait    time.Duration
	rewinds int
}

func (s *stalling) Read(p []byte) (int, error) {
	if s.Len() < int(s.Size()) && s.rewinds == 0 {
		time.Sleep(s.wait)
		s.wait = 0
	}
	return s.Reader.Read(p)
}

func (s *stalling) Seek(offset int64, whence int) (int64, error) {
	if whence == io.SeekStart {
		s.rewinds++
	}
	return s.Reader.Seek(offset, whence)
}

// TestStalledRestore restores a stream although the server gives up waiting for a part of
// the snapshot.
func TestStalledRestore(t *testing.T) {
	s, js := start(t, t.TempDir())
	if _, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "EVENTS", Subjects: []string{"events.>"}}); err != nil {
		t.Fatal(err)
	}
	noise := make([]byte, 128<<10) // which does not compress
	if _, err := rand.Read(noise); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := js.Publish(t.Context(), "events.x", noise); err != nil {
			t.Fatal(err)
		}
	}
	snapshot, err := s.Snapshot(t.Context(), "EVENTS")
	if err != nil {
		t.Fatal(err)
	}
	defer snapshot.Close()
	var b bytes.Buffer
	if err := snapshot.Write(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	patience.Grow(t, 6*time.Second, func(wait time.Duration) bool {
		target, restored := start(t, t.TempDir())
		in := &stalling{Reader: bytes.NewReader(b.Bytes()), wait: wait}
		if err := target.Restore(t.Context(), "EVENTS", in); err != nil {
			t.Fatal(err)
		}
		stream, err := restored.Stream(t.Context(), "EVENTS")
		if err != nil {
			t.Fatal(err)
		}
		if n := stream.CachedInfo().State.Msgs; n != 3 {
			t.Errorf("the stream has %d messages, want 3", n)
		}
		return in.rewinds > 0
	})
}
