// Package telemetry is how a process of Recto can be watched: logs as JSON
// lines, Prometheus metrics, health, and OpenTelemetry traces where an OTLP
// endpoint is configured. Nothing in it is global: whoever starts the process
// makes one Telemetry and hands it to every part.
package telemetry

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"go.opentelemetry.io/otel/trace"

	"github.com/rectohq/recto/libs/config"
)

// Config is what can be configured of it.
type Config struct {
	LogLevel    slog.Level `env:"LOG_LEVEL" envDefault:"INFO" desc:"least level of log lines that are written: DEBUG, INFO, WARN, ERROR"`
	MetricsAddr string     `env:"METRICS_ADDR" envDefault:":9464" desc:"address that serves /metrics, /livez and /readyz in the clear"`
	// The limits of MetricsAddr.
	MetricsConnections int      `env:"METRICS_MAX_CONNECTIONS" envDefault:"64" desc:"connections at a time to METRICS_ADDR. When there are as many, a new one takes the place of the one that has been idle for longest"`
	MetricsPerAddress  int      `env:"METRICS_CONNECTIONS_PER_ADDRESS" envDefault:"16" desc:"connections at a time to METRICS_ADDR from one address; 0: no limit"`
	MetricsTrusted     []string `env:"METRICS_TRUSTED_NETWORKS" envDefault:"127.0.0.0/8,::1/128" desc:"networks that METRICS_CONNECTIONS_PER_ADDRESS does not apply to, separated by commas"`
	OTLPEndpoint       string   `env:"OTEL_EXPORTER_OTLP_ENDPOINT" desc:"OTLP/HTTP endpoint that traces are sent to; empty sends none. The other OTEL_ variables of OpenTelemetry apply"`
}

// Validate implements config.Validator.
func (c Config) Validate() []error {
	var p config.Problems
	p.Address("METRICS_ADDR", c.MetricsAddr)
	config.AtLeast(&p, "METRICS_MAX_CONNECTIONS", c.MetricsConnections, 1)
	config.AtLeast(&p, "METRICS_CONNECTIONS_PER_ADDRESS", c.MetricsPerAddress, 0)
	p.Networks("METRICS_TRUSTED_NETWORKS", c.MetricsTrusted)
	p.URL("OTEL_EXPORTER_OTLP_ENDPOINT", c.OTLPEndpoint, "http", "https")
	return p
}

// Telemetry is what a part writes its logs, metrics, health and traces to.
type Telemetry struct {
	Log     *slog.Logger
	Metrics *prometheus.Registry
	Health  *Health
	Tracer  trace.Tracer

	stop func(context.Context) error
}

// New returns the telemetry of the process called service. Logs go to w.
func New(ctx context.Context, service string, cfg Config, w io.Writer) (*Telemetry, error) {
	provider, stop, err := newTracerProvider(ctx, service, cfg.OTLPEndpoint)
	if err != nil {
		return nil, fmt.Errorf("start traces: %w", err)
	}
	registry := prometheus.NewRegistry()
	err = errors.Join(
		registry.Register(collectors.NewGoCollector()),
		registry.Register(collectors.NewProcessCollector(collectors.ProcessCollectorOpts{})),
	)
	return &Telemetry{
		Log:     newLogger(w, cfg.LogLevel).With("service", service),
		Metrics: registry,
		Health:  NewHealth(),
		Tracer:  provider.Tracer("github.com/rectohq/recto"),
		stop:    stop,
	}, err
}

// Stop sends what traces there are left.
func (t *Telemetry) Stop(ctx context.Context) error { return t.stop(ctx) }
