package mongodbtest

import (
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/connstring"

	"github.com/rectohq/recto/libs/testkit/faultproxy"
)

// Proxy stands between a client and the server, and can be away. It begins
// stopped: nobody listens.
type Proxy struct{ faults *faultproxy.Proxy }

// NewProxy returns a proxy to the server of a database's URL, and the URL by
// which the database is reached through it.
func NewProxy(t testing.TB, database string) (*Proxy, string) {
	t.Helper()
	parsed, err := connstring.Parse(database)
	if err != nil {
		t.Fatal("the URL of the database cannot be read")
	}
	p := &Proxy{faultproxy.New(parsed.Hosts[0])}
	t.Cleanup(p.faults.Close)
	p.Stop()
	base, query, _ := strings.Cut(database, "?")
	url := strings.Replace(base, strings.Join(parsed.RawHosts, ","), p.faults.Addr(), 1) + "?" + query
	if !strings.Contains(query, "directConnection=") {
		url += "&directConnection=true" // a replica set would tell of the server itself
	}
	return p, url
}

// Start begins to listen.
func (p *Proxy) Start() { p.faults.Set(faultproxy.None) }

// Stop ends all connections and listens no more.
func (p *Proxy) Stop() {
	p.faults.Set(faultproxy.Refuse)
	p.faults.Cut()
}

// Mute lets requests pass and holds all answers back, as if the server had
// stopped at the very end of its work.
func (p *Proxy) Mute() { p.faults.Set(faultproxy.HalfDead) }

// Unmute ends the connections whose answers are lost and lets those of new ones
// pass.
func (p *Proxy) Unmute() {
	p.faults.Cut()
	p.faults.Set(faultproxy.None)
}
