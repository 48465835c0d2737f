package bus

import (
	"crypto/tls"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/rectohq/recto/libs/telemetry"
)

// metrics are shared by all connections of a process.
type metrics struct {
	calls    *prometheus.HistogramVec // seconds by subject and outcome
	handling *prometheus.GaugeVec     // requests in progress by service
	queued   *prometheus.HistogramVec // seconds that requests waited in a queue, by subject
	rejected *prometheus.CounterVec   // requests refused by a full pool
	claims   *prometheus.CounterVec   // claim checks by outcome
	events   *prometheus.CounterVec   // events by consumer, type and outcome
	up       *prometheus.GaugeVec     // whether the connection is up, by part
	expires  *prometheus.GaugeVec     // end of the client certificate
}

// newMetrics registers the metrics of the bus. The parts of one process share a registry,
// so it reuses metrics that are already registered.
func newMetrics(r prometheus.Registerer) *metrics {
	return &metrics{
		calls: telemetry.Register(r, prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "recto_bus_call_duration_seconds", Help: "Time from request to reply, as seen by the caller.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60},
		}, []string{"subject", "code"})),
		handling: telemetry.Register(r, prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "recto_bus_requests_in_flight", Help: "Requests that a service is handling.",
		}, []string{"service"})),
		queued: telemetry.Register(r, prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "recto_bus_queue_wait_seconds", Help: "How long a queued request waited for a worker.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60},
		}, []string{"subject"})),
		rejected: telemetry.Register(r, prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "recto_bus_requests_rejected_total", Help: "Requests rejected because the service's pool was full.",
		}, []string{"service"})),
		claims: telemetry.Register(r, prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "recto_bus_claim_checks_total", Help: "Payloads sent as a claim check.",
		}, []string{"outcome"})),
		events: telemetry.Register(r, prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "recto_events_total", Help: "Events delivered to a consumer.",
		}, []string{"consumer", "type", "outcome"})),
		up: telemetry.Register(r, prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "recto_nats_connected", Help: "Whether a part is connected to NATS: 1, or 0.",
		}, []string{"service"})),
		expires: telemetry.CertificateExpiry(r),
	}
}

// connected records that the connection of a part was established. The client reads its
// certificate for each connection, so this is when a renewed one shows.
func (m *metrics) connected(part string, cfg Config) {
	m.up.WithLabelValues(part).Set(1)
	if cfg.CertFile == "" {
		return
	}
	if pair, err := tls.LoadX509KeyPair(cfg.CertFile, cfg.KeyFile); err == nil { // otherwise it is being replaced
		m.expires.WithLabelValues("nats").Set(float64(pair.Leaf.NotAfter.Unix()))
	}
}
