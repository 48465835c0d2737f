package mongodbtest

import (
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/connstring"

	"github.com/rectohq/recto/libs/testkit/faultproxy"
)

// Proxy sits between a client and the server, and can simulate an outage. It is stopped
// at first: connections are refused.
type Proxy struct{ faults *faultproxy.Proxy }

// NewProxy returns a proxy for the server of the database URL, and the URL of the
// database through the proxy.
func NewProxy(t testing.TB, database string) (*Proxy, string) {
	t.Helper()
	parsed, err := connstring.Parse(database)
	if err != nil {
		t.Fatal("the URL of the database cannot be parsed")
	}
	p := &Proxy{faultproxy.New(parsed.Hosts[0])}
	t.Cleanup(p.faults.Close)
	p.Stop()
	base, query, _ := strings.Cut(database, "?")
	url := strings.Replace(base, strings.Join(parsed.RawHosts, ","), p.faults.Addr(), 1) + "?" + query
	if !strings.Contains(query, "directConnection=") {
		url += "&directConnection=true" // a replica set would reveal the server's own address
	}
	return p, url
}

// Start starts listening.
func (p *Proxy) Start() { p.faults.Set(faultproxy.None) }

// Stop closes all connections and stops listening.
func (p *Proxy) Stop() {
	p.faults.Set(faultproxy.Refuse)
	p.faults.Cut()
}

// Mute passes requests on but holds back all responses, as if the server had stopped
// right after doing the work.
func (p *Proxy) Mute() { p.faults.Set(faultproxy.HalfDead) }

// Unmute closes the connections whose responses were held back, and lets new connections
// work normally.
func (p *Proxy) Unmute() {
	p.faults.Cut()
	p.faults.Set(faultproxy.None)
}
