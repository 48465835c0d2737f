package runner

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/rectohq/recto/libs/blob"
	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/telemetry"
)

// ServiceConfig is the configuration that the process of every service needs, in addition
// to the service's own.
type ServiceConfig struct {
	Process Config
	Blobs   blob.Config
}

// Deps holds a service's dependencies. The service does not close them.
type Deps struct {
	Telemetry *telemetry.Telemetry
	Bus       *bus.Conn
	Blobs     *blob.Store
}

// ServiceCommand returns the command that runs the service called name as a process of
// its own. cfg points to the whole configuration, which contains own; the names of the
// service's variables begin with prefix.
func ServiceCommand(name, prefix string, cfg any, own *ServiceConfig, run func(context.Context, Deps) error) *cobra.Command {
	return Command(name, prefix, "Run the "+name+" service of Recto.", cfg, func(ctx context.Context) error {
		return Serve(ctx, name, own.Process, func(ctx context.Context, t *telemetry.Telemetry, conn *bus.Conn) error {
			blobs, err := blob.Dial(ctx, own.Blobs, t)
			if err != nil {
				return err
			}
			return run(ctx, Deps{Telemetry: t, Bus: conn, Blobs: blobs})
		})
	})
}
