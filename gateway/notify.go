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

// Notify notifies running gateways that a key was changed, over the bus that the
// environment configures. If that fails, it prints a warning to standard error: the
// gateways still notice the change, only later.
func Notify(ctx context.Context, keyID string) {
	if err := notify(ctx, keyID); err != nil {
		fmt.Fprintln(os.Stderr, "cannot notify running gateways; they will notice the change within 5 s:", err)
	}
}

// notifyTimeout bounds the notification, so that a command does not wait for a bus that
// is unavailable.
const notifyTimeout = 5 * time.Second

// notify publishes the change over the bus that the environment configures.
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
