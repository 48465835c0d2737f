// Package insight is the insight service. It will own the
// engines that read what documents say, and their results.
// So far it announces itself and has no endpoints.
package insight

import (
	"context"

	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/telemetry"
)

// Config is the configuration of the insight service.
type Config struct{}

// Deps is what the service is given. It closes none of it.
type Deps struct {
	Telemetry *telemetry.Telemetry
	Bus       *bus.Conn
}

// Run serves until ctx ends.
func Run(ctx context.Context, _ Config, deps Deps) error {
	health := deps.Telemetry.Health.Part(insightapi.Service)
	health.Up(deps.Bus.Check)
	<-ctx.Done()
	health.Down("stopping")
	return nil
}
