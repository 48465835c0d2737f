// Command gateway runs the gateway as a separate process, and administers API keys and
// users.
package main

import (
	"context"
	"os"

	"github.com/rectohq/recto/gateway"
	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/config"
	"github.com/rectohq/recto/libs/runner"
	"github.com/rectohq/recto/libs/telemetry"
)

func main() {
	var cfg struct {
		Gateway gateway.Config
		Process runner.Config
	}
	cmd := runner.Command("gateway", "GATEWAY_", "Run Recto's gateway.", &cfg, func(ctx context.Context) error {
		return runner.Serve(ctx, "gateway", cfg.Process, func(ctx context.Context, t *telemetry.Telemetry, conn *bus.Conn) error {
			return gateway.Run(ctx, cfg.Gateway, gateway.Deps{Telemetry: t, Bus: conn})
		})
	})
	load := func() (identity gateway.IdentityConfig, err error) {
		return identity, config.Load(os.Environ(), "", &identity)
	}
	publicURL := func() (string, error) { return gateway.PublicURL(os.Environ()) }
	cmd.AddCommand(gateway.Commands(load, publicURL, gateway.Notify)...)
	runner.Main(cmd)
}
