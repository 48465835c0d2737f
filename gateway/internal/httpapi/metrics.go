package httpapi

import (
	"github.com/prometheus/client_golang/prometheus"
)

// metrics are the gateway's own. Their names are public: dashboards and alerts
// are built on them.
type metrics struct {
	requests    *prometheus.HistogramVec // seconds by method, route, status and code
	refusals    *prometheus.CounterVec   // requests refused before their route, by reason
	fallbacks   prometheus.Counter       // requests counted locally because Redis did not answer
	bodyBytes   prometheus.Counter       // bytes of bodies read
	bodyHeld    prometheus.Gauge         // bytes of memory taken by bodies
	streams     prometheus.Gauge         // streams of events that are open
	idempotency *prometheus.CounterVec   // requests with an Idempotency-Key, by what became of them
}

// newMetrics makes and registers them. It is an error to do so twice with one
// registry.
func newMetrics(r prometheus.Registerer) (*metrics, error) {
	m := &metrics{
		requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "recto_http_request_duration_seconds", Help: "Time from the head of a request to the head of its answer.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60},
		}, []string{"method", "route", "status", "code"}),
		refusals: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "recto_http_requests_refused_total", Help: "Requests refused for their key or rate.",
		}, []string{"reason"}),
		fallbacks: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "recto_ratelimit_fallback_total", Help: "Requests counted locally because Redis did not answer in time.",
		}),
		bodyBytes: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "recto_http_request_body_bytes_total", Help: "Bytes of request bodies that were read.",
		}),
		bodyHeld: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "recto_http_request_body_memory_bytes", Help: "Bytes of memory that bodies of requests have reserved, of GATEWAY_BODY_MEMORY.",
		}),
		streams: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "recto_http_streams", Help: "Streams of events that are open, of GATEWAY_MAX_STREAMS.",
		}),
		idempotency: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "recto_idempotency_requests_total", Help: "Requests with an Idempotency-Key: first, taken_over, replayed, running or conflict.",
		}, []string{"outcome"}),
	}
	for _, c := range []prometheus.Collector{m.requests, m.refusals, m.fallbacks, m.bodyBytes, m.bodyHeld, m.streams, m.idempotency} {
		if err := r.Register(c); err != nil {
			return nil, err
		}
	}
	return m, nil
}
