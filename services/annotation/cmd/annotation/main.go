// Command annotation runs the annotation service as its own process, and manages its
// jobs.
package main

import (
	"context"
	"os"

	"github.com/rectohq/recto/libs/config"
	"github.com/rectohq/recto/libs/formats/pdf"
	"github.com/rectohq/recto/libs/runner"
	"github.com/rectohq/recto/services/annotation"
)

func main() {
	pdf.Main()
	var cfg struct {
		Service annotation.Config
		runner.ServiceConfig
	}
	cmd := runner.ServiceCommand("annotation", "ANNOTATION_", &cfg, &cfg.ServiceConfig, func(ctx context.Context, deps runner.Deps) error {
		return annotation.Run(ctx, cfg.Service, deps)
	})
	cmd.AddCommand(annotation.Commands(func() (string, error) {
		var store annotation.StoreConfig
		err := config.Load(os.Environ(), "", &store)
		return store.Database, err
	})...)
	runner.Main(cmd)
}
