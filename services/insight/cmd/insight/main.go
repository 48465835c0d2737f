// Command insight runs the insight service as a process of its own, and
// looks after its jobs.
package main

import (
	"context"
	"os"

	"github.com/rectohq/recto/libs/config"
	"github.com/rectohq/recto/libs/formats/pdf"
	"github.com/rectohq/recto/libs/jobservice/jobrun"
	"github.com/rectohq/recto/libs/runner"
	"github.com/rectohq/recto/services/insight"
)

func main() {
	pdf.Main()
	var cfg struct {
		Service insight.Config
		jobrun.ProcessConfig
	}
	cmd := jobrun.Command("insight", "INSIGHT_", "Run the insight service of Recto.", &cfg, &cfg.ProcessConfig, func(ctx context.Context, deps jobrun.Deps) error {
		return insight.Run(ctx, cfg.Service, deps)
	})
	cmd.AddCommand(insight.Commands(func() (string, error) {
		var store insight.StoreConfig
		err := config.Load(os.Environ(), "", &store)
		return store.Database, err
	})...)
	runner.Main(cmd)
}
