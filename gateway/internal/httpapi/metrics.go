package httpapi

import (
	"github.com/prometheus/client_golang/prometheus"
)

// metrics are the metrics of the gateway. Their names are public: dashboards and alerts
// depend on them.
type metrics struct {
	requests    *prometheus.HistogramVec // seconds by method, route, status and code
	refusals    *prometheus.CounterVec   // requests rejected before routing, by reason
	fallbacks   prometheus.Counter       // requests counted locally because Redis did not respond
	bodyBytes   prometheus.Counter       // bytes of request bodies that were read
	bodyHeld    prometheus.Gauge         // bytes of memory reserved for request bodies
	streams     prometheus.Gauge         // open streams of events
	idempotency *prometheus.CounterVec   // requests with an Idempotency-Key, by outcome
}

// newMetrics creates and registers the metrics. Registering them twice with one registry
// is an error.
func newMetrics(r prometheus.Registerer) (*metrics, error) {
	m := &metrics{
		requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "recto_http_request_duration_seconds", Help: "Time from the headers of a request until its response is ready, or until the end of a stream.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60},
		}, []string{"method", "route", "status", "code"}),
		refusals: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "recto_http_requests_refused_total", Help: "Requests rejected because of their API key or rate limit, by reason.",
		}, []string{"reason"}),
		fallbacks: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "recto_ratelimit_fallback_total", Help: "Requests counted locally because Redis did not respond in time.",
		}),
		bodyBytes: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "recto_http_request_body_bytes_total", Help: "Bytes of request bodies that were read.",
		}),
		bodyHeld: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "recto_http_request_body_memory_bytes", Help: "Bytes of memory reserved for request bodies, out of GATEWAY_BODY_MEMORY.",
		}),
		streams: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "recto_http_streams", Help: "Open streams of events, out of GATEWAY_MAX_STREAMS.",
		}),
		idempotency: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "recto_idempotency_requests_total", Help: "Requests with an Idempotency-Key, by outcome: first, taken_over, replayed, running or conflict.",
		}, []string{"outcome"}),
	}
	for _, c := range []prometheus.Collector{m.requests, m.refusals, m.fallbacks, m.bodyBytes, m.bodyHeld, m.streams, m.idempotency} {
		if err := r.Register(c); err != nil {
			return nil, err
		}
	}
	return m, nil
}
