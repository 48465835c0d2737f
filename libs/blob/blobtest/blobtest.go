// Package blobtest gives tests a bucket on an S3 server of their own. There is one server
// per process, so a package that uses it must call Main from its TestMain. The server
// changes the working directory of the process to the folder of its objects, so tests
// must not read files by relative paths.
package blobtest

import (
	"context"
	"fmt"
	"net"
	"os"
	"sync/atomic"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/rectohq/recto/libs/blob"
	"github.com/rectohq/recto/libs/engines/objectserver"
	"github.com/rectohq/recto/libs/telemetry"
)

// config is the configuration of this process's server, set by Main.
var config blob.Config

// Main starts the server, runs the tests and stops the server. It returns the exit code.
func Main(m *testing.M) int {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "blobtest:", err)
		return 1
	}
	return code
}

// run runs the tests with an object server. It is separate from Main so that its deferred
// calls run before the process exits.
func run(m *testing.M) (int, error) {
	dir, err := os.MkdirTemp("", "blobtest-")
	if err != nil {
		return 0, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	addr := ln.Addr().String()
	_ = ln.Close()
	config = blob.Config{
		Endpoint: "http://" + addr, Region: "us-east-1", AccessKey: "access", SecretKey: "a secret of tests", PathStyle: true, CreateBucket: true,
		LocalDir: objectserver.Buckets(dir),
	}
	server, err := objectserver.Start(context.Background(), objectserver.Config{
		Dir: dir, Addr: addr, Region: config.Region, AccessKey: config.AccessKey, SecretKey: config.SecretKey,
	})
	if err != nil {
		return 0, err
	}
	code := m.Run()
	return code, server.Stop()
}

// Config returns the configuration for the named bucket.
func Config(bucket string) blob.Config {
	c := config
	c.Bucket = bucket
	return c
}

// buckets counts the buckets of NewBucket.
var buckets atomic.Int64

// NewBucket returns the name of a bucket that nothing else in this process uses.
func NewBucket() string { return fmt.Sprintf("bucket-%d", buckets.Add(1)) }

// Dial opens the named bucket.
func Dial(t testing.TB, bucket string) *blob.Store {
	t.Helper()
	s, err := blob.Dial(t.Context(), Config(bucket), &telemetry.Telemetry{Log: telemetry.Discard(), Health: telemetry.NewHealth(), Metrics: prometheus.NewRegistry()})
	if err != nil {
		t.Fatal(err)
	}
	return s
}
