// Command annotation runs the annotation service as a process of its own, and
// looks after its jobs.
package main

import (
	"context"
	"os"

	"github.com/rectohq/recto/libs/config"
	"github.com/rectohq/recto/libs/jobservice/jobrun"
	"github.com/rectohq/recto/libs/runner"
	"github.com/rectohq/recto/services/annotation"
)

func main() {
	var cfg struct {
		Service annotation.Config
		jobrun.ProcessConfig
	}
	cmd := jobrun.Command("annotation", "ANNOTATION_", "Run the annotation service of Recto.", &cfg, &cfg.ProcessConfig, func(ctx context.Context, deps jobrun.Deps) error {
		return annotation.Run(ctx, cfg.Service, deps)
	})
	cmd.AddCommand(annotation.Commands(func() (string, error) {
		var store annotation.StoreConfig
		err := config.Load(os.Environ(), "", &store)
		return store.Database, err
	})...)
	runner.Main(cmd)
}
