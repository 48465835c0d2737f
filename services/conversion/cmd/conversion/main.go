// Command conversion runs the conversion service as a process of its own, and
// looks after its jobs.
package main

import (
	"context"
	"os"

	"github.com/rectohq/recto/libs/config"
	"github.com/rectohq/recto/libs/formats/pdf"
	"github.com/rectohq/recto/libs/jobservice/jobrun"
	"github.com/rectohq/recto/libs/runner"
	"github.com/rectohq/recto/services/conversion"
)

func main() {
	pdf.Main()
	var cfg struct {
		Service conversion.Config
		jobrun.ProcessConfig
	}
	cmd := jobrun.Command("conversion", "CONVERSION_", "Run the conversion service of Recto.", &cfg, &cfg.ProcessConfig, func(ctx context.Context, deps jobrun.Deps) error {
		return conversion.Run(ctx, cfg.Service, deps)
	})
	cmd.AddCommand(conversion.Commands(func() (string, error) {
		var store conversion.StoreConfig
		err := config.Load(os.Environ(), "", &store)
		return store.Database, err
	})...)
	runner.Main(cmd)
}
