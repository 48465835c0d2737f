// Package servicetest runs one service in a test, on a NATS server and a bucket of its
// own, alongside a fake document service. A package that uses it calls blobtest.Main from
// its TestMain.
package servicetest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/rectohq/recto/libs/blob"
	"github.com/rectohq/recto/libs/blob/blobtest"
	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/bus/bustest"
	"github.com/rectohq/recto/libs/engines/natsserver"
	"github.com/rectohq/recto/libs/runner"
	"github.com/rectohq/recto/libs/telemetry"
	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/libs/testkit/syncbuffer"
)

// World is what surrounds the service under test. It ends with the test.
type World struct {
	T    *testing.T
	NATS *natsserver.Server
	// Blobs is the bucket called Bucket. All worlds of a test share it.
	Blobs  *blob.Store
	Bucket string
	// Caller is connected to NATS as the gateway is.
	Caller *bus.Conn
}

// New returns a world without any service.
func New(t *testing.T) *World {
	t.Helper()
	server := bustest.Server(t)
	digest := sha256.Sum256([]byte(t.Name()))
	bucket := "b" + hex.EncodeToString(digest[:8])
	return &World{T: t, NATS: server, Blobs: blobtest.Dial(t, bucket), Bucket: bucket, Caller: bustest.Connect(t, server, "gateway")}
}

// Service is a service that runs until Stop is called or the test ends.
type Service struct {
	// Health and Metrics are the service's own.
	Health  *telemetry.Health
	Metrics prometheus.Gatherer
	// Log holds what the service has logged so far.
	Log *syncbuffer.Buffer
	// Stop ends the service and returns the error of its Run. A second call returns nil.
	Stop func() error
}

// Start starts the service called name. It does not wait until the service is ready. If
// Run fails and the test has not called Stop, the test fails.
func (w *World) Start(name string, run func(context.Context, runner.Deps) error) *Service {
	w.T.Helper()
	s := &Service{Log: &syncbuffer.Buffer{}}
	tel, err := telemetry.New(w.T.Context(), name, telemetry.Config{}, io.MultiWriter(w.T.Output(), s.Log))
	if err != nil {
		w.T.Fatal(err)
	}
	s.Health, s.Metrics = tel.Health, tel.Metrics
	conn := bustest.Connect(w.T, w.NATS, name)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		ended <- run(ctx, runner.Deps{Telemetry: tel, Bus: conn, Blobs: w.Blobs})
		close(ended)
	}()
	s.Stop = func() error {
		cancel()
		return <-ended
	}
	w.T.Cleanup(func() { // before its connection is closed
		if err := s.Stop(); err != nil {
			w.T.Errorf("%s: %v", name, err)
		}
	})
	return s
}

// StartReady starts the service called name and waits until its part of that name is
// ready.
func (w *World) StartReady(name string, run func(context.Context, runner.Deps) error) *Service {
	w.T.Helper()
	s := w.Start(name, run)
	if err := s.Health.Part(name).Wait(patience.Context(w.T)); err != nil {
		w.T.Fatal(err)
	}
	return s
}

// JetStream returns a connection that may do anything on the NATS server.
func (w *World) JetStream() jetstream.JetStream {
	w.T.Helper()
	nc, err := nats.Connect("", w.NATS.Option())
	if err != nil {
		w.T.Fatal(err)
	}
	w.T.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		w.T.Fatal(err)
	}
	return js
}

// WaitPending waits until the consumer of the stream has n messages that no worker has
// taken, as an autoscaler counts them.
func (w *World) WaitPending(js jetstream.JetStream, stream, consumer string, n uint64) {
	w.T.Helper()
	patience.Until(w.T, "the messages of "+stream+" are pending for "+consumer, func() bool {
		c, err := js.Consumer(patience.Context(w.T), stream, consumer)
		if err != nil {
			w.T.Fatal(err)
		}
		return c.CachedInfo().NumPending == n
	})
}

// Count counts the objects whose keys begin with prefix.
func (w *World) Count(prefix string) (n int) {
	w.T.Helper()
	if err := w.Blobs.List(w.T.Context(), prefix, func(blob.Object) error { n++; return nil }); err != nil {
		w.T.Fatal(err)
	}
	return n
}

// Download returns the content and the headers of a presigned URL.
func (w *World) Download(url string) ([]byte, http.Header) {
	w.T.Helper()
	response, err := http.Get(url)
	if err != nil {
		w.T.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		w.T.Fatalf("status %d, %v: %.200s", response.StatusCode, err, content)
	}
	return content, response.Header
}
