package mongodb

import (
	"context"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"go.mongodb.org/mongo-driver/v2/event"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/rectohq/recto/libs/telemetry"
)

// commands creates a measurement for each command, and a span for those of a request or a job.
type commands struct {
	durations *prometheus.HistogramVec

	mu    sync.Mutex
	spans map[command]started
}

// command identifies a running command: request IDs are unique only within a connection.
type command struct {
	connection string
	request    int64
}

type started struct {
	span       trace.Span
	collection string
}

// newCommandMonitor returns a monitor that measures and traces commands. It does not
// record their contents.
func newCommandMonitor(t *telemetry.Telemetry) *event.CommandMonitor {
	c := &commands{spans: map[command]started{}, durations: telemetry.Register(t.Metrics, prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "recto_mongodb_command_duration_seconds", Help: "Duration of database commands as seen by this process.",
		Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
	}, []string{"database", "collection", "command", "outcome"}))}
	return &event.CommandMonitor{Started: c.started, Succeeded: c.succeeded, Failed: c.failed}
}

func (c *commands) started(ctx context.Context, e *event.CommandStartedEvent) {
	collection, ok := e.Command.Lookup(e.CommandName).StringValueOK()
	if !ok { // a command without a collection has another type here, and so has getMore
		collection, _ = e.Command.Lookup("collection").StringValueOK()
	}
	_, span := telemetry.Child(ctx, "mongodb "+e.CommandName, trace.SpanKindClient,
		attribute.String("db.system.name", "mongodb"), attribute.String("db.namespace", e.DatabaseName),
		attribute.String("db.operation.name", e.CommandName), attribute.String("db.collection.name", collection),
	)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.spans[command{e.ConnectionID, e.RequestID}] = started{span, collection}
}

func (c *commands) succeeded(_ context.Context, e *event.CommandSucceededEvent) {
	c.finished(e.CommandFinishedEvent, nil)
}

func (c *commands) failed(_ context.Context, e *event.CommandFailedEvent) {
	c.finished(e.CommandFinishedEvent, e.Failure)
}

// finished ends the span of a command and measures it.
func (c *commands) finished(e event.CommandFinishedEvent, err error) {
	id := command{e.ConnectionID, e.RequestID}
	c.mu.Lock()
	began, ok := c.spans[id]
	delete(c.spans, id)
	c.mu.Unlock()
	if !ok {
		return
	}
	outcome := "succeeded"
	if err != nil {
		outcome = "failed"
		began.span.SetStatus(codes.Error, "the command failed") // the error text may contain values of records
	}
	began.span.End()
	c.durations.WithLabelValues(e.DatabaseName, began.collection, e.CommandName, outcome).Observe(e.Duration.Seconds())
}

// newPoolMonitor returns a monitor that counts the connections in use.
func newPoolMonitor(t *telemetry.Telemetry) *event.PoolMonitor {
	inUse := telemetry.Register(t.Metrics, prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "recto_mongodb_connections_in_use", Help: "Database connections in use by a command.",
	}))
	return &event.PoolMonitor{Event: func(e *event.PoolEvent) {
		switch e.Type {
		case event.ConnectionCheckedOut:
			inUse.Inc()
		case event.ConnectionCheckedIn:
			inUse.Dec()
		}
	}}
}
