package telemetry

import (
	"errors"

	"github.com/prometheus/client_golang/prometheus"
)

// Register registers a collector, or returns the one that another part of this process
// has registered already: the parts of the standalone program share a registry.
func Register[C prometheus.Collector](r prometheus.Registerer, c C) C {
	var known prometheus.AlreadyRegisteredError
	if err := r.Register(c); errors.As(err, &known) {
		if existing, ok := known.ExistingCollector.(C); ok {
			return existing
		}
	}
	return c
}
