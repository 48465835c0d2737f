package bus_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/bus/bustest"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/testkit/patience"
)

// TestRollingRestart replaces all servers of a cluster one after another under load,
// first gracefully as an operator does, then by killing them. Nothing that was accepted
// is lost or duplicated, and calls fail only with the expected errors.
func TestRollingRestart(t *testing.T) {
	cluster := bustest.NewCluster(t, 3)
	l := startLoad(t, cluster)
	js := manage(t, cluster.URL())
	checkReplicas(t, js)
	for _, end := range []func(int){cluster.Retire, cluster.Kill} {
		for i := range 3 {
			end(i)
			cluster.Start(i)
			cluster.WaitReady(i)
		}
	}
	for range 20 { // afterwards everything works again
		for what, call := range map[string]func(context.Context, message) error{
			"call": func(ctx context.Context, m message) error {
				_, err := bus.Call(ctx, l.caller, echo, principal, m)
				return err
			},
			"request": func(ctx context.Context, m message) error { _, err := ask(ctx, l.caller, m.Text); return err },
		} {
			if err := errors.Join(call(patience.Context(t), message{"small"}), call(patience.Context(t), message{strings.Repeat("large", 60<<10)})); err != nil {
				t.Errorf("after the restarts, a %s fails: %v", what, err)
			}
		}
	}
	l.stop()
	// An event that was delivered over a lost connection is redelivered after 30 s.
	for end := time.Now().Add(patience.Scale(3 * time.Minute)); len(l.missing()) > 0 && time.Now().Before(end); {
		time.Sleep(100 * time.Millisecond)
	}
	if lost := l.missing(); len(lost) > 0 {
		t.Errorf("accepted events or jobs were lost: %v", lost)
	}
	checkReplicas(t, js)
	l.checkStored(js)
	l.rest()
	l.working.Wait()
	t.Logf("%d events, %d jobs; calls: %v; the slowest failure took %v", len(l.stored["event"]), len(l.stored["job"]), l.outcomes, l.slowest)
}

// TestRollingService replaces both instances of a service several times under load: no
// call fails, whichever servers the instances and their caller are connected to. The
// calls are idempotent, since NATS may drop a request while an instance leaves.
func TestRollingService(t *testing.T) {
	cluster := bustest.NewCluster(t, 3)
	echo := echo
	echo.Idempotent = true
	start := func() (stop func()) {
		conn := cluster.Connect("test")
		server, err := conn.Serve("test", "1.0.0", 64)
		if err == nil {
			err = bus.Handle(server, echo, func(_ context.Context, _ contract.Principal, m message) (message, error) {
				time.Sleep(10 * time.Millisecond) // so that some requests are in progress when the instance stops
				return m, nil
			})
		}
		if err != nil {
			t.Fatal(err)
		}
		return func() {
			if err := errors.Join(server.Shutdown(patience.Context(t)), conn.Close()); err != nil {
				t.Error(err)
			}
		}
	}
	older, newer := start(), start()
	caller := cluster.Connect("caller")
	calling, stop := context.WithCancel(t.Context())
	var work sync.WaitGroup
	var answered atomic.Int64
	for range 8 {
		work.Go(func() {
			for calling.Err() == nil {
				if _, err := bus.Call(patience.Context(t), caller, echo, principal, message{}); err != nil {
					t.Errorf("a call fails: %v", err)
				}
				answered.Add(1)
			}
		})
	}
	for range 10 {
		older()
		older, newer = newer, start()
	}
	stop()
	work.Wait()
	older()
	newer()
	t.Logf("%d calls were answered", answered.Load())
}

// TestLostConnections kills the server that the service is connected to, and then the
// caller's, while a request is in progress: the reply arrives over the next connections.
// A caller whose reply never comes gets an error that leaves the outcome open.
func TestLostConnections(t *testing.T) {
	cluster := bustest.NewCluster(t, 3)
	server, err := cluster.ConnectTo(cluster.URLOf(0), "test").Serve("test", "1.0.0", 64)
	if err != nil {
		t.Fatal(err)
	}
	begun, release := make(chan struct{}, 1), make(chan struct{})
	ping := contract.Endpoint[message, message]{Service: "test", Name: "ping"}
	err = errors.Join(
		bus.Handle(server, echo, func(_ context.Context, _ contract.Principal, m message) (message, error) {
			begun <- struct{}{}
			<-release
			return m, nil
		}),
		bus.Handle(server, ping, func(_ context.Context, _ contract.Principal, m message) (message, error) { return m, nil }),
	)
	if err != nil {
		t.Fatal(err)
	}
	caller := cluster.ConnectTo(cluster.URLOf(1), "caller")
	answer := make(chan error, 1)
	begin := func(ctx context.Context) {
		go func() {
			_, err := bus.Call(ctx, caller, echo, principal, message{"x"})
			answer <- err
		}()
		<-begun
	}
	begin(patience.Context(t))
	cluster.Kill(0)
	release <- struct{}{}
	if err := <-answer; err != nil {
		t.Errorf("after the service lost its connection: %v", err)
	}
	cluster.Start(0)
	cluster.WaitReady(0)

	begin(patience.Context(t))
	cluster.Kill(1)
	patience.Until(t, "the caller is reachable over its next connection", func() bool {
		_, err := bus.Call(soon(t), caller, ping, principal, message{})
		return err == nil
	})
	release <- struct{}{}
	if err := <-answer; err != nil {
		t.Errorf("after the caller lost its connection: %v", err)
	}
	cluster.Start(1)
	cluster.WaitReady(1)

	ctx, cancel := context.WithTimeout(t.Context(), patience.Limit())
	defer cancel()
	begin(ctx)
	for i := range 3 {
		cluster.Kill(i)
	}
	if err := <-answer; !problem.Is(err, problem.TimedOut) || ctx.Err() != nil {
		t.Errorf("after the reply was lost: %v, %v", err, ctx.Err())
	}
	close(release)
	if err := server.Shutdown(patience.Context(t)); err != nil {
		t.Error(err)
	}
}

// checkReplicas checks that all servers hold everything that is stored.
func checkReplicas(t *testing.T, js jetstream.JetStream) {
	t.Helper()
	for _, name := range []string{"CLAIMS", "EVENTS", "JOBS-TEST", "REQUESTS-TEST-UPPER"} {
		patience.Until(t, "the stream "+name+" has three current replicas", func() bool {
			info := inspect(t, js, name)
			current := info.Config.Replicas == 3 && info.Cluster != nil && len(info.Cluster.Replicas) == 2 && info.Cluster.Leader != ""
			for _, peer := range info.Cluster.Replicas {
				current = current && peer.Current && !peer.Offline
			}
			return current
		})
	}
	for stream, consumers := range map[string][]string{"EVENTS": {"test"}, "JOBS-TEST": {"interactive", "bulk"}, "REQUESTS-TEST-UPPER": {"workers"}} {
		for _, name := range consumers {
			patience.Until(t, "the consumer "+name+" of "+stream+" has three replicas", func() bool {
				consumer, err := js.Consumer(patience.Context(t), stream, name)
				if err != nil {
					t.Fatal(err)
				}
				cluster := consumer.CachedInfo().Cluster
				return cluster != nil && cluster.Leader != "" && len(cluster.Replicas) == 2
			})
		}
	}
}

// inspect returns the state of a stream.
func inspect(t *testing.T, js jetstream.JetStream, name string) *jetstream.StreamInfo {
	t.Helper()
	stream, err := js.Stream(patience.Context(t), name)
	if err != nil {
		t.Fatal(err)
	}
	return stream.CachedInfo()
}

// manage connects to JetStream as an operator does.
func manage(t *testing.T, url string) jetstream.JetStream {
	t.Helper()
	nc, err := nats.Connect(url, nats.MaxReconnects(-1))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	return js
}
