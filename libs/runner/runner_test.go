package runner_test

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/runner"
	"github.com/rectohq/recto/libs/telemetry"
)

// TestServeEndsWhileItWaits stops a service that is waiting for NATS: it ends without an
// error.
func TestServeEndsWhileItWaits(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := ln.Addr().String()
	if err := ln.Close(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, cancel)
	cfg := runner.Config{Bus: bus.Config{URL: "nats://" + nobody, ClaimBytes: 1 << 20, ClaimTTL: time.Minute, EventTTL: time.Minute, Replicas: 1}}
	err = runner.Serve(ctx, "test", cfg, func(context.Context, *telemetry.Telemetry, *bus.Conn) error {
		t.Error("run was called without a bus")
		return nil
	})
	if err != nil || ctx.Err() == nil {
		t.Errorf("Serve ended with %v", err)
	}
}
