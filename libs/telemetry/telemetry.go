// Package telemetry makes a Recto process observable: logs as JSON lines, Prometheus
// metrics, health, and OpenTelemetry traces if an OTLP endpoint is configured. It has no
// global state: the program creates one Telemetry and passes it to every part.
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

// Config configures telemetry.
type Config struct {
	LogLevel    slog.Level `env:"LOG_LEVEL" envDefault:"INFO" desc:"minimum level of log lines: DEBUG, INFO, WARN, ERROR"`
	MetricsAddr string     `env:"METRICS_ADDR" envDefault:":9464" desc:"address that serves /metrics, /livez and /readyz without TLS"`
	// The limits of MetricsAddr.
	MetricsConnections int      `env:"METRICS_MAX_CONNECTIONS" envDefault:"64" desc:"maximum number of connections to METRICS_ADDR; beyond that, a new connection replaces the one that has been idle the longest"`
	MetricsPerAddress  int      `env:"METRICS_CONNECTIONS_PER_ADDRESS" envDefault:"16" desc:"maximum number of connections to METRICS_ADDR from one address; 0: no limit"`
	MetricsTrusted     []string `env:"METRICS_TRUSTED_NETWORKS" envDefault:"127.0.0.0/8,::1/128" desc:"networks exempt from METRICS_CONNECTIONS_PER_ADDRESS, separated by commas"`
	OTLPEndpoint       string   `env:"OTEL_EXPORTER_OTLP_ENDPOINT" desc:"OTLP/HTTP endpoint for traces; empty disables them. OpenTelemetry's other OTEL_ variables apply as well"`
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

// Telemetry holds a part's logger, metrics, health and tracer.
type Telemetry struct {
	Log     *slog.Logger
	Metrics *prometheus.Registry
	Health  *Health
	Tracer  trace.Tracer

	log    *slog.Logger // without the name of the service
	traces traces
}

// New returns the telemetry of the process called service. It writes logs to w.
func New(ctx context.Context, service string, cfg Config, w io.Writer) (*Telemetry, error) {
	traces, err := newTraces(ctx, cfg.OTLPEndpoint)
	if err != nil {
		return nil, fmt.Errorf("start traces: %w", err)
	}
	registry, health := prometheus.NewRegistry(), NewHealth()
	err = errors.Join(
		registry.Register(readiness{health}),
		registry.Register(collectors.NewGoCollector()),
		registry.Register(collectors.NewProcessCollector(collectors.ProcessCollectorOpts{})),
	)
	if err != nil {
		return nil, err
	}
	t := &Telemetry{Metrics: registry, Health: health, log: newLogger(w, cfg.LogLevel), traces: traces}
	return t.Part(service)
}

// Part returns the telemetry of a part of the process. The part logs and traces as the
// service of that name, and shares everything else with t.
func (t *Telemetry) Part(service string) (*Telemetry, error) {
	tracer, err := t.traces.tracer(service)
	if err != nil {
		return nil, fmt.Errorf("start traces of %s: %w", service, err)
	}
	part := *t
	part.Log, part.Tracer = t.log.With("service", service), tracer
	return &part, nil
}

// Stop sends the remaining traces of all parts.
func (t *Telemetry) Stop(ctx context.Context) error { return t.traces.stop(ctx) }
