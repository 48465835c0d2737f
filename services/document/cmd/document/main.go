// Command document runs the document service as a process of its own.
package main

import (
	"context"

	"github.com/rectohq/recto/libs/blob"
	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/runner"
	"github.com/rectohq/recto/libs/telemetry"
	"github.com/rectohq/recto/services/document"
)

func main() {
	var cfg struct {
		Service document.Config
		Process runner.Config
		Blobs   blob.Config
	}
	runner.Main(runner.Command("document", "DOCUMENT_", "Run the document service of Recto.", &cfg, func(ctx context.Context) error {
		return runner.Serve(ctx, "document", cfg.Process, func(ctx context.Context, t *telemetry.Telemetry, conn *bus.Conn) error {
			blobs, err := blob.Dial(ctx, cfg.Blobs, t)
			if err != nil {
				return err
			}
			return document.Run(ctx, cfg.Service, document.Deps{Telemetry: t, Bus: conn, Blobs: blobs})
		})
	}))
}
