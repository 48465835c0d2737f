// Command document runs the document service as its own process.
package main

import (
	"context"

	"github.com/rectohq/recto/libs/runner"
	"github.com/rectohq/recto/services/document"
)

func main() {
	var cfg struct {
		Service document.Config
		runner.ServiceConfig
	}
	runner.Main(runner.ServiceCommand("document", "DOCUMENT_", &cfg, &cfg.ServiceConfig, func(ctx context.Context, deps runner.Deps) error {
		return document.Run(ctx, cfg.Service, deps)
	}))
}
