// Command insight runs the insight service as a process of its own, and
// looks after its jobs.
package main

import (
	"context"
	"os"

	"github.com/rectohq/recto/libs/blob"
	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/config"
	"github.com/rectohq/recto/libs/formats/pdf"
	"github.com/rectohq/recto/libs/runner"
	"github.com/rectohq/recto/libs/telemetry"
	"github.com/rectohq/recto/services/insight"
)

func main() {
	pdf.Main()
	var cfg struct {
		Service insight.Config
		Process runner.Config
		Blobs   blob.Config
	}
	cmd := runner.Command("insight", "INSIGHT_", "Run the insight service of Recto.", &cfg, func(ctx context.Context) error {
		return runner.Serve(ctx, "insight", cfg.Process, func(ctx context.Context, t *telemetry.Telemetry, conn *bus.Conn) error {
			blobs, err := blob.Dial(ctx, cfg.Blobs, t)
			if err != nil {
				return err
			}
			return insight.Run(ctx, cfg.Service, insight.Deps{Telemetry: t, Bus: conn, Blobs: blobs})
		})
	})
	cmd.AddCommand(insight.Commands(func() (string, error) {
		var store insight.StoreConfig
		err := config.Load(os.Environ(), "", &store)
		return store.Database, err
	})...)
	runner.Main(cmd)
}
