package mongodb_test

import (
	"errors"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/rectohq/recto/libs/mongodb"
	"github.com/rectohq/recto/libs/mongodb/mongodbtest"
)

// TestTelemetry measures and traces commands in two databases of one process.
func TestTelemetry(t *testing.T) {
	spans := tracetest.NewSpanRecorder()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans))
	tel := discard(t)
	tel.Tracer = provider.Tracer("test")
	var dbs []*mongodb.DB
	for range 2 {
		db, err := mongodb.Open(t.Context(), mongodbtest.URL(t), indexes, tel)
		if err != nil {
			t.Fatal(err)
		}
		dbs = append(dbs, db)
	}
	ctx, parent := tel.Tracer.Start(t.Context(), "parent")
	for _, db := range dbs {
		if err := insert(ctx, db, "a secret of a record"); err != nil {
			t.Fatal(err)
		}
	}
	if err := insert(ctx, dbs[0], "a secret of a record"); err != nil && !mongodb.IsDuplicate(err) {
		t.Fatal(err)
	}
	if err := dbs[0].RunCommand(ctx, bson.D{{Key: "noSuchCommand", Value: 1}}).Err(); err == nil {
		t.Error("an unknown command succeeds")
	}
	read(t, dbs[0])
	parent.End()

	if n := durations(t, tel.Metrics, map[string]string{"database": dbs[1].Name(), "collection": "things", "command": "insert", "outcome": "succeeded"}); n != 1 {
		t.Errorf("%d inserts were measured in the second database", n)
	}
	if n := durations(t, tel.Metrics, map[string]string{"database": dbs[0].Name(), "command": "noSuchCommand", "outcome": "failed"}); n != 1 {
		t.Errorf("%d failures were measured", n)
	}
	if n := durations(t, tel.Metrics, map[string]string{"database": dbs[0].Name(), "collection": "things", "command": "getMore"}); n == 0 {
		t.Error("no getMore was measured")
	}
	checkSpans(t, spans.Ended(), parent.SpanContext().TraceID().String(), dbs[1].Name())
	if n := inUse(t, tel.Metrics); n != 0 {
		t.Errorf("%v connections are in use", n)
	}
	if err := errors.Join(dbs[0].Close(), dbs[1].Close()); err != nil {
		t.Error(err)
	}
}

// read reads things in several batches.
func read(t *testing.T, db *mongodb.DB) {
	t.Helper()
	things := db.Collection("things")
	for n := range 500 {
		if _, err := things.InsertOne(t.Context(), bson.D{{Key: "name", Value: n}}); err != nil {
			t.Fatal(err)
		}
	}
	cursor, err := things.Find(t.Context(), bson.D{})
	if err != nil {
		t.Fatal(err)
	}
	var found []bson.M
	if err := cursor.All(t.Context(), &found); err != nil || len(found) != 501 {
		t.Fatalf("%d things, %v", len(found), err)
	}
}

// checkSpans checks the spans of the insert into a database and of the failed command.
func checkSpans(t *testing.T, spans []sdktrace.ReadOnlySpan, trace, database string) {
	t.Helper()
	inserts, failures := 0, 0
	for _, s := range spans {
		attributes := attribute.NewSet(s.Attributes()...)
		name, _ := attributes.Value("db.namespace")
		things, _ := attributes.Value("db.collection.name")
		if s.SpanContext().TraceID().String() == trace && s.Name() == "mongodb insert" && name.AsString() == database && things.AsString() == "things" {
			inserts++
		}
		if s.Status().Code == codes.Error {
			failures++
		}
		for _, a := range s.Attributes() {
			if a.Value.AsString() == "a secret of a record" {
				t.Errorf("the span %s contains stored data", s.Name())
			}
		}
	}
	if inserts != 1 || failures != 1 {
		t.Errorf("%d spans of the insert and %d of failures", inserts, failures)
	}
}

// durations returns the number of measured commands with the labels.
func durations(t *testing.T, r *prometheus.Registry, labels map[string]string) (n uint64) {
	t.Helper()
	for _, m := range metrics(t, r, "recto_mongodb_command_duration_seconds") {
		matching := 0
		for _, l := range m.GetLabel() {
			if want, ok := labels[l.GetName()]; ok && want == l.GetValue() {
				matching++
			}
		}
		if matching == len(labels) {
			n += m.GetHistogram().GetSampleCount()
		}
	}
	return n
}

// inUse returns the number of connections in use.
func inUse(t *testing.T, r *prometheus.Registry) float64 {
	t.Helper()
	found := metrics(t, r, "recto_mongodb_connections_in_use")
	if len(found) != 1 {
		t.Fatalf("got %d gauges", len(found))
	}
	return found[0].GetGauge().GetValue()
}

func metrics(t *testing.T, r *prometheus.Registry, name string) []*dto.Metric {
	t.Helper()
	families, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() == name {
			return f.GetMetric()
		}
	}
	t.Fatalf("there is no metric %s", name)
	return nil
}
