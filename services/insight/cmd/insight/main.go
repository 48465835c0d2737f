// Command insight runs the insight service as a process of its own.
package main

import (
	"context"

	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/runner"
	"github.com/rectohq/recto/libs/telemetry"
	"github.com/rectohq/recto/services/insight"
)

func main() {
	var cfg struct {
		Service insight.Config
		Process runner.Config
	}
	runner.Main(runner.Command("insight", "INSIGHT_", "Run the insight service of Recto.", &cfg, func(ctx context.Context) error {
		return runner.Serve(ctx, "insight", cfg.Process, func(ctx context.Context, t *telemetry.Telemetry, conn *bus.Conn) error {
			return insight.Run(ctx, cfg.Service, insight.Deps{Telemetry: t, Bus: conn})
		})
	}))
}
