// Command annotation runs the annotation service as a process of its own.
package main

import (
	"context"

	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/runner"
	"github.com/rectohq/recto/libs/telemetry"
	"github.com/rectohq/recto/services/annotation"
)

func main() {
	var cfg struct {
		Service annotation.Config
		Process runner.Config
	}
	runner.Main(runner.Command("annotation", "ANNOTATION_", "Run the annotation service of Recto.", &cfg, func(ctx context.Context) error {
		return runner.Serve(ctx, "annotation", cfg.Process, func(ctx context.Context, t *telemetry.Telemetry, conn *bus.Conn) error {
			return annotation.Run(ctx, cfg.Service, annotation.Deps{Telemetry: t, Bus: conn})
		})
	}))
}
