// Package bustest connects tests to a NATS server of their own.
package bustest

import (
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/engines/natsserver"
	"github.com/rectohq/recto/libs/telemetry"
)

// Server starts a NATS server that stops when the test ends.
func Server(t testing.TB) *natsserver.Server {
	t.Helper()
	s, err := natsserver.Start(natsserver.Config{
		Dir: t.TempDir(), MaxMemory: 1 << 30, MaxStore: 1 << 30, Log: telemetry.Discard(),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	return s
}

// Config returns a bus configuration for tests.
func Config() bus.Config {
	return bus.Config{URL: nats.DefaultURL, ClaimBytes: 512 << 20, ClaimTTL: 5 * time.Minute, EventTTL: time.Hour, Replicas: 1}
}

// Connect connects the part called name and closes the connection when the test ends.
func Connect(t testing.TB, s *natsserver.Server, name string) *bus.Conn {
	t.Helper()
	tel, err := telemetry.New(t.Context(), name, telemetry.Config{}, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	c, err := bus.Connect(t.Context(), name, Config(), tel, s.Option())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}
