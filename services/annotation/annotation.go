// Package annotation is the annotation service. It will own the
// definitions of fields and fills documents with values.
// So far it announces itself and has no endpoints.
package annotation

import (
	"context"

	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/contract/annotationapi"
	"github.com/rectohq/recto/libs/telemetry"
)

// Config is the configuration of the annotation service.
type Config struct{}

// Deps is what the service is given. It closes none of it.
type Deps struct {
	Telemetry *telemetry.Telemetry
	Bus       *bus.Conn
}

// Run serves until ctx ends.
func Run(ctx context.Context, _ Config, deps Deps) error {
	health := deps.Telemetry.Health.Part(annotationapi.Service)
	health.Up(deps.Bus.Check)
	<-ctx.Done()
	health.Down("stopping")
	return nil
}
