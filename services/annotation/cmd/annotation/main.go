// Command annotation runs the annotation service as a process of its own, and
// looks after its jobs.
package main

import (
	"context"
	"os"

	"github.com/rectohq/recto/libs/blob"
	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/config"
	"github.com/rectohq/recto/libs/runner"
	"github.com/rectohq/recto/libs/telemetry"
	"github.com/rectohq/recto/services/annotation"
)

func main() {
	var cfg struct {
		Service annotation.Config
		Process runner.Config
		Blobs   blob.Config
	}
	cmd := runner.Command("annotation", "ANNOTATION_", "Run the annotation service of Recto.", &cfg, func(ctx context.Context) error {
		return runner.Serve(ctx, "annotation", cfg.Process, func(ctx context.Context, t *telemetry.Telemetry, conn *bus.Conn) error {
			blobs, err := blob.Dial(ctx, cfg.Blobs, t)
			if err != nil {
				return err
			}
			return annotation.Run(ctx, cfg.Service, annotation.Deps{Telemetry: t, Bus: conn, Blobs: blobs})
		})
	})
	cmd.AddCommand(annotation.Commands(func() (string, error) {
		var store annotation.StoreConfig
		err := config.Load(os.Environ(), "", &store)
		return store.Database, err
	})...)
	runner.Main(cmd)
}
