package bus_test

import (
	"crypto/tls"
	"testing"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/bus/bustest"
	"github.com/rectohq/recto/libs/telemetry"
	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/libs/testkit/pkitest"
)

// gauges returns the gauges of a process, by name and the value of their only label.
func gauges(t *testing.T, tel *telemetry.Telemetry) map[string]float64 {
	t.Helper()
	families, err := tel.Metrics.Gather()
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]float64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if len(m.GetLabel()) == 1 {
				values[f.GetName()+" "+m.GetLabel()[0].GetValue()] = m.GetGauge().GetValue()
			}
		}
	}
	return values
}

// TestConnectionMetrics checks that the metrics say whether the connection is up, and when
// the client certificate expires.
func TestConnectionMetrics(t *testing.T) {
	pki, err := pkitest.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	cfg := bustest.Config()
	if cfg.CertFile, cfg.KeyFile, err = pki.Issue("gateway", "127.0.0.1"); err != nil {
		t.Fatal(err)
	}
	pair, err := tls.LoadX509KeyPair(cfg.CertFile, cfg.KeyFile)
	if err != nil {
		t.Fatal(err)
	}
	o := server.Options{TLS: true}
	if o.TLSConfig, err = server.GenTLSConfig(&server.TLSConfigOpts{CertFile: cfg.CertFile, KeyFile: cfg.KeyFile, CaFile: pki.File}); err != nil {
		t.Fatal(err)
	}
	n := listen(t, o)
	cfg.URL, cfg.CAFile = n.ClientURL(), pki.File
	tel, err := telemetry.New(t.Context(), "gateway", telemetry.Config{}, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	conn, err := bus.Connect(patience.Context(t), "gateway", cfg, tel)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	got, expires := gauges(t, tel), float64(pair.Leaf.NotAfter.Unix())
	if got["recto_nats_connected gateway"] != 1 || got["recto_certificate_expiry_timestamp_seconds nats"] != expires {
		t.Errorf("connected: %v, want an expiry of %v", got, expires)
	}
	n.Shutdown()
	patience.Until(t, "the metric says that the connection is lost", func() bool {
		state, ok := gauges(t, tel)["recto_nats_connected gateway"]
		return ok && state == 0
	})
}
