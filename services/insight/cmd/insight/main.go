// Command insight runs the insight service as a separate process, manages its jobs, and lists
// the usage of its language model.
package main

import (
	"context"
	"os"

	"github.com/rectohq/recto/libs/config"
	"github.com/rectohq/recto/libs/formats/pdf"
	"github.com/rectohq/recto/libs/runner"
	"github.com/rectohq/recto/services/insight"
)

func main() {
	pdf.Main()
	var cfg struct {
		Service insight.Config
		runner.ServiceConfig
	}
	cmd := runner.ServiceCommand("insight", "INSIGHT_", &cfg, &cfg.ServiceConfig, func(ctx context.Context, deps runner.Deps) error {
		return insight.Run(ctx, cfg.Service, deps)
	})
	cmd.AddCommand(insight.Commands(func() (string, error) {
		var store insight.StoreConfig
		err := config.Load(os.Environ(), "", &store)
		return store.Database, err
	})...)
	runner.Main(cmd)
}
