package telemetry

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"
)

// readiness exports the state of every part of a Health as a metric. Each scrape runs the
// health checks, for at most readyTimeout.
type readiness struct{ health *Health }

var readyDesc = prometheus.NewDesc("recto_ready", "Whether a part of the process is ready: 1, or 0.", []string{"part"}, nil)

// Describe implements prometheus.Collector.
func (r readiness) Describe(descs chan<- *prometheus.Desc) { descs <- readyDesc }

// Collect implements prometheus.Collector.
func (r readiness) Collect(metrics chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), readyTimeout)
	defer cancel()
	states, _ := r.health.Ready(ctx)
	for part, state := range states {
		value := 0.
		if state == stateReady {
			value = 1
		}
		metrics <- prometheus.MustNewConstMetric(readyDesc, prometheus.GaugeValue, value, part)
	}
}
