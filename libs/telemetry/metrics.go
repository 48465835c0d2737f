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

// CertificateExpiry returns the metric that says when each certificate of the process
// expires, in seconds since 1970. Whoever loads a certificate sets it, by its use.
func CertificateExpiry(r prometheus.Registerer) *prometheus.GaugeVec {
	return Register(r, prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "recto_certificate_expiry_timestamp_seconds", Help: "When a certificate expires: api serves the API, nats authenticates to NATS.",
	}, []string{"certificate"}))
}
