package gateway

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/config"
	"github.com/rectohq/recto/libs/contract/gatewayapi"
	"github.com/rectohq/recto/libs/runner"
)

// Notify tells running gateways over the bus of the environment that a key was
// changed. If it cannot, it says so on standard error: gateways notice by
// themselves, only later.
func Notify(ctx context.Context, keyID string) {
	if err := notify(ctx, keyID); err != nil {
		fmt.Fprintln(os.Stderr, "running gateways could not be told and notice within 5 s:", err)
	}
}

// notifyTimeout bounds the telling: who changes a key does not wait for a bus
// that is not there.
const notifyTimeout = 5 * time.Second

// notify publishes the change over the bus that the environment names.
func notify(ctx context.Context, keyID string) error {
	ctx, cancel := context.WithTimeout(ctx, notifyTimeout)
	defer cancel()
	var cfg bus.Config
	if err := config.Load(os.Environ(), "", &cfg); err != nil {
		return err
	}
	t, err := runner.CommandTelemetry(ctx, "gateway")
	if err != nil {
		return err
	}
	conn, err := bus.Connect(ctx, "gateway", cfg, t)
	if err != nil {
		return err
	}
	if err := conn.Publish(gatewayapi.KeyChanged, []byte(keyID)); err != nil {
		return err
	}
	return conn.Close()
}
