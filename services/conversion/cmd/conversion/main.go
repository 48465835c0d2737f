// Command conversion runs the conversion service as a separate process, and
// manages its jobs.
package main

import (
	"context"
	"os"

	"github.com/rectohq/recto/libs/config"
	"github.com/rectohq/recto/libs/formats/pdf"
	"github.com/rectohq/recto/libs/runner"
	"github.com/rectohq/recto/services/conversion"
)

func main() {
	pdf.Main()
	var cfg struct {
		Service conversion.Config
		runner.ServiceConfig
	}
	cmd := runner.ServiceCommand("conversion", "CONVERSION_", &cfg, &cfg.ServiceConfig, func(ctx context.Context, deps runner.Deps) error {
		return conversion.Run(ctx, cfg.Service, deps)
	})
	cmd.AddCommand(conversion.Commands(func() (string, error) {
		var store conversion.StoreConfig
		err := config.Load(os.Environ(), "", &store)
		return store.Database, err
	})...)
	runner.Main(cmd)
}
