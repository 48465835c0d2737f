package bus_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/bus/bustest"
	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/testkit/patience"
)

// TestReplicasGrow goes from one replica to three, and keeps everything that is stored
// and the operator's settings.
func TestReplicasGrow(t *testing.T) {
	cluster := bustest.NewCluster(t, 3)
	js := manage(t, cluster.URL())
	open := func(replicas int) *load {
		conn, err := connect(patience.Context(t), t, "test", cluster.URL(), func(c *bus.Config) { c.Replicas = replicas })
		if err != nil {
			t.Fatal(err)
		}
		l := &load{t: t, stored: map[string]map[string]int{"event": {}, "job": {}}}
		l.caller, l.queue = conn, l.openQueue(conn)
		receiving, rest := context.WithCancel(t.Context())
		t.Cleanup(rest)
		l.instance(receiving, conn)
		return l
	}
	l := open(1)
	l.rest = func() {}
	publish(t, l.caller, "e1", "document.updated", "doc_1")
	config := inspect(t, js, "EVENTS").Config
	config.Compression = jetstream.S2Compression
	if _, err := js.UpdateStream(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	open(3)
	checkReplicas(t, js)
	if info := inspect(t, js, "EVENTS"); info.State.Msgs != 1 || info.Config.Compression != jetstream.S2Compression {
		t.Errorf("afterwards there are %d events with compression %s", info.State.Msgs, info.Config.Compression)
	}
}

// TestImpossibleStreamSettings checks that the error says what to do if a stream cannot have
// the wanted settings.
func TestImpossibleStreamSettings(t *testing.T) {
	small := listen(t, server.Options{JetStreamMaxMemory: 1 << 20, JetStreamMaxStore: 1 << 20})
	_, err := connect(patience.Context(t), t, "test", small.ClientURL(), nil)
	if err == nil || !strings.Contains(err.Error(), "max_memory_store") {
		t.Errorf("more memory than the server has: %v", err)
	}
	s := listen(t, server.Options{})
	_, err = connect(patience.Context(t), t, "test", s.ClientURL(), func(c *bus.Config) { c.Replicas = 3 })
	if err == nil || !strings.Contains(err.Error(), "NATS_REPLICAS needs a cluster") {
		t.Errorf("three replicas on one server: %v", err)
	}
	_, err = manage(t, s.ClientURL()).CreateStream(t.Context(), jetstream.StreamConfig{Name: "EVENTS", Subjects: []string{"events.>"}, Storage: jetstream.MemoryStorage})
	if err != nil {
		t.Fatal(err)
	}
	_, err = connect(patience.Context(t), t, "test", s.ClientURL(), nil)
	if err == nil || !strings.Contains(err.Error(), "nats stream rm EVENTS") {
		t.Errorf("an event stream in memory: %v", err)
	}
}

// TestUsersWithoutPermission connects users without permission to create streams, or even to
// read them.
func TestUsersWithoutPermission(t *testing.T) {
	var options server.Options
	if err := options.ProcessConfigString(`accounts { RECTO { jetstream: enabled, users: [
		{ user: maker, password: maker }
		{ user: looker, password: looker, permissions { publish { deny: ["$JS.API.STREAM.CREATE.>", "$JS.API.STREAM.UPDATE.>"] } } }
		{ user: nobody, password: nobody, permissions { publish { deny: "$JS.API.STREAM.>" } } }
	] } }`); err != nil {
		t.Fatal(err)
	}
	s := listen(t, options)
	as := func(ctx context.Context, name string, change func(*bus.Config)) (*bus.Conn, error) {
		return connect(ctx, t, name, s.ClientURL(), func(c *bus.Config) {
			c.User, c.Password = name, name
			if change != nil {
				change(c)
			}
		})
	}
	if _, err := as(patience.Context(t), "nobody", nil); err == nil || !strings.Contains(err.Error(), "deploy/nats/recto.conf") {
		t.Errorf("the user without permissions gets %v", err)
	}
	if _, err := as(soon(t), "looker", nil); err == nil || !strings.Contains(err.Error(), "start the part that may") {
		t.Errorf("the read-only user gets %v", err)
	}
	connected := make(chan error, 1)
	go func() {
		_, err := as(patience.Context(t), "looker", nil)
		connected <- err
	}()
	if _, err := as(patience.Context(t), "maker", nil); err != nil {
		t.Fatal(err)
	}
	if err := <-connected; err != nil {
		t.Errorf("after the streams were created: %v", err)
	}
	c, err := as(patience.Context(t), "looker", func(c *bus.Config) { c.EventTTL = 2 * time.Hour })
	if err != nil {
		t.Fatalf("with other settings: %v", err)
	}
	publish(t, c, "e1", "document.created", "doc_1")
}

// TestNewDisk removes the disk of a server: everything stored is lost, and all streams
// are recreated without restarting any client.
func TestNewDisk(t *testing.T) {
	s := listen(t, server.Options{})
	port := s.Addr().String()[strings.LastIndex(s.Addr().String(), ":")+1:]
	conn, err := connect(patience.Context(t), t, "test", s.ClientURL(), nil)
	if err != nil {
		t.Fatal(err)
	}
	l := &load{t: t, stored: map[string]map[string]int{"event": {}, "job": {}}, caller: conn}
	l.queue = l.openQueue(conn)
	receiving, rest := context.WithCancel(t.Context())
	var work sync.WaitGroup
	defer work.Wait()
	defer rest()
	l.instance(receiving, conn)
	s.Shutdown()
	s.WaitForShutdown()
	options := server.Options{}
	if _, err := fmt.Sscan(port, &options.Port); err != nil {
		t.Fatal(err)
	}
	listen(t, options)
	l.event(t.Context(), 1)
	l.job(t.Context(), 1)
	if err := l.queue.Publish(t.Context(), jobapi.Bulk, "org_1", "job_2", "1"); err != nil {
		t.Error(err)
	}
	l.accepted("job", "job_2")
	patience.Until(t, "the event and the jobs are delivered", func() bool { return len(l.missing()) == 0 })
	patience.Until(t, "a request is answered", func() bool {
		got, err := ask(patience.Context(t), conn, strings.Repeat("large", 60<<10))
		return err == nil && len(got) == 300<<10
	})
	if _, err := bus.Call(patience.Context(t), conn, echo, principal, message{"x"}); err != nil {
		t.Error(err)
	}
}
