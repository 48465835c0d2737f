// Command conversion runs the conversion service as a process of its own, and
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
	"github.com/rectohq/recto/services/conversion"
)

func main() {
	pdf.Main()
	var cfg struct {
		Service conversion.Config
		Process runner.Config
		Blobs   blob.Config
	}
	cmd := runner.Command("conversion", "CONVERSION_", "Run the conversion service of Recto.", &cfg, func(ctx context.Context) error {
		return runner.Serve(ctx, "conversion", cfg.Process, func(ctx context.Context, t *telemetry.Telemetry, conn *bus.Conn) error {
			blobs, err := blob.Dial(ctx, cfg.Blobs, t)
			if err != nil {
				return err
			}
			return conversion.Run(ctx, cfg.Service, conversion.Deps{Telemetry: t, Bus: conn, Blobs: blobs})
		})
	})
	cmd.AddCommand(conversion.Commands(func() (string, error) {
		var store conversion.StoreConfig
		err := config.Load(os.Environ(), "", &store)
		return store.Database, err
	})...)
	runner.Main(cmd)
}
