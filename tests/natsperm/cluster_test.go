package natsperm

import (
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/telemetry"
	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/libs/testkit/pkitest"
	"github.com/rectohq/recto/tests/harness"
)

// TestCluster starts a cluster of three servers from its configuration file, with TLS
// between the servers and to the services. A service can store an event on all three.
func TestCluster(t *testing.T) {
	authority, err := pkitest.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	certificate, key, err := authority.Issue("server", "127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	var ports []int
	var routes []string
	for range 3 {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		port := ln.Addr().(*net.TCPAddr).Port
		ports = append(ports, port)
		routes = append(routes, fmt.Sprintf("nats://cluster:password-of-cluster@127.0.0.1:%d", port))
		if err := ln.Close(); err != nil {
			t.Fatal(err)
		}
	}
	var servers []*server.Server
	for i, port := range ports {
		options := harness.NATSOptions(t, "cluster.conf", fmt.Sprintf("NATS_SERVER_NAME=nats-%d", i), "NATS_STORE_DIR="+t.TempDir(),
			"NATS_CLUSTER_PASSWORD=password-of-cluster", "NATS_ROUTES=["+strings.Join(routes, ", ")+"]",
			"NATS_TLS_CERT_FILE="+certificate, "NATS_TLS_KEY_FILE="+key, "NATS_TLS_CA_FILE="+authority.File)
		if !options.SyncAlways {
			t.Error("writes are confirmed before they are synced to disk")
		}
		options.Cluster.Host, options.Cluster.Port = "127.0.0.1", port
		servers = append(servers, harness.StartNATS(t, options))
	}
	var urls []string
	for _, s := range servers {
		if !s.ReadyForConnections(patience.Limit()) {
			t.Fatal("a server does not start")
		}
		urls = append(urls, s.ClientURL())
	}
	tel, err := telemetry.New(t.Context(), "document", telemetry.Config{}, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	s := &system{t: t}
	conn, err := bus.Connect(s.within(), "document", bus.Config{
		URL: strings.Join(urls, ","), User: "document", Password: harness.NATSPassword("document"), CAFile: authority.File,
		ClaimBytes: 64 << 20, ClaimTTL: time.Minute, EventTTL: time.Hour, Replicas: 3,
	}, tel)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.PublishEvent(s.within(), contract.Event{ID: "e1", Type: documentapi.EventCreated, Organization: "org_1", Subject: "doc_1", At: 1}); err != nil {
		t.Error(err)
	}
}
