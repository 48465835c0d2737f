package bus_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/bus/bustest"
	"github.com/rectohq/recto/libs/testkit/patience"
)

// openLog opens a log with small limits.
func openLog(t *testing.T, c *bus.Conn) *bus.Log {
	t.Helper()
	l, err := c.OpenLog(patience.Context(t), bus.LogConfig{Name: "test", MaxAge: time.Minute, MaxBytes: 8 << 20})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// appendTo appends entries whose text identifies them.
func appendTo(t *testing.T, l *bus.Log, organization, id string, sequences ...int) {
	t.Helper()
	for _, n := range sequences {
		if err := l.Append(patience.Context(t), organization, id, n, fmt.Appendf(nil, "%s %s %d", organization, id, n)); err != nil {
			t.Fatal(err)
		}
	}
}

// follow follows a log until the test ends.
func follow(t *testing.T, c *bus.Conn, organization, id string, from int) *bus.Follower {
	t.Helper()
	f, err := c.Follow(patience.Context(t), "test", organization, id, from)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	return f
}

// expect checks that the follower's next entries are those of the ID with the sequence
// numbers.
func expect(t *testing.T, f *bus.Follower, organization, id string, sequences ...int) {
	t.Helper()
	for _, want := range sequences {
		n, data, err := f.Next(patience.Context(t))
		if err != nil || n != want || string(data) != fmt.Sprintf("%s %s %d", organization, id, want) {
			t.Fatalf("got entry %d %q, %v; want %d of %s %s", n, data, err, want, organization, id)
		}
	}
}

// isSilent checks that there is no next entry.
func isSilent(t *testing.T, f *bus.Follower) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if n, data, err := f.Next(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got entry %d %q, %v; want none", n, data, err)
	}
}

// TestLog follows a log from its beginning and from the middle, before and after entries
// exist. Entries that are appended again are delivered once.
func TestLog(t *testing.T) {
	n := bustest.Server(t)
	worker, gateway := bustest.Connect(t, n, "worker"), bustest.Connect(t, n, "gateway")
	early := follow(t, gateway, "org_1", "job_1", 1)
	isSilent(t, early) // the log does not exist yet
	l := openLog(t, worker)
	appendTo(t, l, "org_1", "job_1", 1, 2)
	expect(t, early, "org_1", "job_1", 1, 2)
	appendTo(t, l, "org_2", "job_1", 1)
	appendTo(t, l, "org_1", "job_2", 1)
	appendTo(t, openLog(t, bustest.Connect(t, n, "worker")), "org_1", "job_1", 1, 2, 3) // another worker repeats the work
	expect(t, early, "org_1", "job_1", 3)
	isSilent(t, early)
	late := follow(t, gateway, "org_1", "job_1", 2)
	expect(t, late, "org_1", "job_1", 2, 3)
	appendTo(t, l, "org_1", "job_1", 4)
	expect(t, late, "org_1", "job_1", 4)
	expect(t, early, "org_1", "job_1", 4)
	if err := l.Remove(patience.Context(t), "org_1", "job_1"); err != nil {
		t.Error(err)
	}
	isSilent(t, follow(t, gateway, "org_1", "job_1", 1))
	expect(t, follow(t, gateway, "org_2", "job_1", 1), "org_2", "job_1", 1)
}

// TestLogWithGap checks that entries after a gap are not delivered.
func TestLogWithGap(t *testing.T) {
	c := bustest.Connect(t, bustest.Server(t), "worker")
	appendTo(t, openLog(t, c), "org_1", "job_1", 1, 2, 4, 5)
	f := follow(t, c, "org_1", "job_1", 0)
	expect(t, f, "org_1", "job_1", 1, 2)
	isSilent(t, f)
	isSilent(t, follow(t, c, "org_1", "job_1", 3))
	expect(t, follow(t, c, "org_1", "job_1", 4), "org_1", "job_1", 4, 5)
}

// TestLogOfImpatientFollower stops waiting repeatedly, just when an entry arrives: none
// is lost.
func TestLogOfImpatientFollower(t *testing.T) {
	c := bustest.Connect(t, bustest.Server(t), "worker")
	l := openLog(t, c)
	const entries = 100
	for n := range entries {
		appendTo(t, l, "org_1", "job_1", n+1)
	}
	f := follow(t, c, "org_1", "job_1", 1)
	expect(t, f, "org_1", "job_1", 1)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for want := 2; want <= entries; want++ {
		n, _, err := f.Next(over)
		if err != nil {
			n, _, err = f.Next(patience.Context(t))
		}
		if err != nil || n != want {
			t.Fatalf("got entry %d, %v; want %d", n, err, want)
		}
	}
}

// TestLogForgets checks that new entries displace old ones.
func TestLogForgets(t *testing.T) {
	c := bustest.Connect(t, bustest.Server(t), "worker")
	l := openLog(t, c)
	large := bytes.Repeat([]byte("x"), bus.MaxEntry)
	for n := 1; n <= 64; n++ {
		if err := l.Append(patience.Context(t), "org_1", "job_1", n, large); err != nil {
			t.Fatal(err)
		}
	}
	isSilent(t, follow(t, c, "org_1", "job_1", 1))
	if n, data, err := follow(t, c, "org_1", "job_1", 64).Next(patience.Context(t)); err != nil || n != 64 || len(data) != bus.MaxEntry {
		t.Errorf("got entry %d of %d bytes, %v", n, len(data), err)
	}
	if err := l.Append(patience.Context(t), "org_1", "job_1", 65, append(large, 'x')); !errors.Is(err, bus.ErrTooLarge) {
		t.Errorf("too large an entry: %v", err)
	}
}

// TestLogSubjects rejects IDs that would address more than one ID.
func TestLogSubjects(t *testing.T) {
	c := bustest.Connect(t, bustest.Server(t), "worker")
	l := openLog(t, c)
	for _, part := range [][2]string{{"", "x"}, {"*", "x"}, {"x", ">"}, {"x", "a.b"}} {
		if err := l.Append(patience.Context(t), part[0], part[1], 1, nil); err == nil {
			t.Errorf("%q was appended", part)
		}
		if _, err := c.Follow(patience.Context(t), "test", part[0], part[1], 1); err == nil {
			t.Errorf("%q is followed", part)
		}
	}
}

// TestLogOfNewServer loses the server with everything in its memory: a follower continues
// with the entries appended afterwards.
func TestLogOfNewServer(t *testing.T) {
	s := listen(t, server.Options{})
	options := server.Options{}
	if _, err := fmt.Sscan(s.Addr().String()[strings.LastIndex(s.Addr().String(), ":")+1:], &options.Port); err != nil {
		t.Fatal(err)
	}
	conn, err := connect(patience.Context(t), t, "test", s.ClientURL(), nil)
	if err != nil {
		t.Fatal(err)
	}
	l := openLog(t, conn)
	f := follow(t, conn, "org_1", "job_1", 1)
	appendTo(t, l, "org_1", "job_1", 1, 2, 3)
	expect(t, f, "org_1", "job_1", 1, 2, 3)
	s.Shutdown()
	s.WaitForShutdown()
	isSilent(t, f)
	listen(t, options)
	patience.Until(t, "the log exists again", func() bool {
		return l.Append(soon(t), "org_1", "job_1", 4, []byte("org_1 job_1 4")) == nil
	})
	expect(t, f, "org_1", "job_1", 4)
	isSilent(t, follow(t, conn, "org_1", "job_1", 1))
}

// TestLogOfCluster follows a log while each server is stopped in turn.
func TestLogOfCluster(t *testing.T) {
	cluster := bustest.NewCluster(t, 3)
	l := openLog(t, cluster.Connect("worker"))
	f := follow(t, cluster.Connect("gateway"), "org_1", "job_1", 1)
	next := 0
	for i := range 3 {
		cluster.Kill(i)
		for range 5 {
			next++
			patience.Until(t, "an entry is stored", func() bool {
				return l.Append(patience.Context(t), "org_1", "job_1", next, fmt.Appendf(nil, "org_1 job_1 %d", next)) == nil
			})
			expect(t, f, "org_1", "job_1", next)
		}
		cluster.Start(i)
		cluster.WaitReady(i)
	}
}
