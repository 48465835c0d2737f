package natsperm

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"os"
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
// between the servers and to the services. A service can store an event on all three. A
// server joins only with a certificate of the authority for one of the names of the servers.
func TestCluster(t *testing.T) {
	authority := newAuthority(t)
	certificate, key, err := authority.Issue("server", "localhost", "127.0.0.1")
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
		routes = append(routes, fmt.Sprintf("nats://localhost:%d", port))
		if err := ln.Close(); err != nil {
			t.Fatal(err)
		}
	}
	var servers []*server.Server
	for i, port := range ports {
		options := harness.NATSOptions(t, "cluster.conf", fmt.Sprintf("NATS_SERVER_NAME=nats-%d", i), "NATS_STORE_DIR="+t.TempDir(),
			"NATS_ROUTES=["+strings.Join(routes, ", ")+"]",
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

	for name, test := range map[string]struct {
		authority *pkitest.Authority
		host      string
		want      string
	}{
		"of a server":             {authority, "localhost", "PONG"},
		"for another name":        {authority, "gateway", "Authorization Violation"},
		"of another authority":    {newAuthority(t), "localhost", "certificate"},
		"for an address, no name": {authority, "127.0.0.1", "Authorization Violation"},
	} {
		if got := join(t, ports[0], authority, test.authority, test.host); !strings.Contains(got, test.want) {
			t.Errorf("a server with a certificate %s gets %q, want %q", name, got, test.want)
		}
	}
}

func newAuthority(t *testing.T) *pkitest.Authority {
	t.Helper()
	authority, err := pkitest.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return authority
}

// join connects to the port on which a server accepts other servers of the cluster, with a
// certificate that own issues for the host, and returns the answer.
func join(t *testing.T, port int, trusted, own *pkitest.Authority, host string) string {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	certificate, key, err := own.Issue("joining", host)
	must(err)
	pair, err := tls.LoadX509KeyPair(certificate, key)
	must(err)
	ca, err := os.ReadFile(trusted.File)
	must(err)
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(ca)
	raw, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	must(err)
	defer raw.Close()
	must(raw.SetDeadline(time.Now().Add(patience.Limit())))
	// A server sends its certificate even if the other one does not ask for its authority.
	conn := tls.Client(raw, &tls.Config{ServerName: "localhost", RootCAs: roots, GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &pair, nil }})
	if _, err := conn.Write([]byte(`CONNECT {"name":"nats-9","cluster":"recto","tls_required":true}` + "\r\nPING\r\n")); err != nil {
		return err.Error()
	}
	for {
		line, err := readLine(conn)
		switch {
		case err != nil:
			return err.Error()
		case strings.HasPrefix(line, "-ERR"), strings.HasPrefix(line, "PONG"):
			return line
		}
	}
}

// readLine reads a line without reading ahead.
func readLine(r io.Reader) (string, error) {
	var line []byte
	for one := make([]byte, 1); ; {
		if _, err := io.ReadFull(r, one); err != nil {
			return "", err
		}
		if one[0] == '\n' {
			return string(line), nil
		}
		line = append(line, one[0])
	}
}
