package jobrun

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/rectohq/recto/libs/blob"
	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/runner"
	"github.com/rectohq/recto/libs/telemetry"
)

// ProcessConfig is what a process needs that runs one service: its own settings and the
// object store.
type ProcessConfig struct {
	Process runner.Config
	Blobs   blob.Config
}

// Command returns the command that runs the service called name as a process of its
// own. Cfg points to all of its configuration, of which process is a part; the names of
// the service's own variables begin with prefix.
func Command(name, prefix, short string, cfg any, process *ProcessConfig, run func(context.Context, Deps) error) *cobra.Command {
	return runner.Command(name, prefix, short, cfg, func(ctx context.Context) error {
		return runner.Serve(ctx, name, process.Process, func(ctx context.Context, t *telemetry.Telemetry, conn *bus.Conn) error {
			blobs, err := blob.Dial(ctx, process.Blobs, t)
			if err != nil {
				return err
			}
			return run(ctx, Deps{Telemetry: t, Bus: conn, Blobs: blobs})
		})
	})
}
