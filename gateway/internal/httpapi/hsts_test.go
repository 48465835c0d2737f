package httpapi_test

import (
	"crypto/tls"
	"net/http"
	"testing"

	"github.com/rectohq/recto/gateway/internal/httpapi"
	"github.com/rectohq/recto/libs/config"
	"github.com/rectohq/recto/libs/contract/gatewayapi"
	"github.com/rectohq/recto/libs/testkit/pkitest"
)

const strictTransport = "Strict-Transport-Security"

// hsts sends a request as the proxy does, and returns the Strict-Transport-Security headers
// of the response.
func (g *gateway) hsts(t *testing.T, path string, header ...string) []string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, g.url+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, _, answered := g.exchange(t, request, header...)
	return answered.Values(strictTransport)
}

// TestStrictTransportByHost checks the header for each kind of public host.
func TestStrictTransportByHost(t *testing.T) {
	for url, want := range map[string]string{
		"https://recto.example": "max-age=31536000", "https://RECTO.example:8443": "max-age=31536000", "https://localhost.example": "max-age=31536000",
		"https://localhost": "", "https://LOCALHOST:8443": "", "https://localhost.": "", "https://a.localhost": "",
		"https://127.0.0.1:8443": "", "https://192.0.2.7": "", "https://[::1]:8443": "", "https://[2001:db8::1]": "",
	} {
		got := serve(t, "GATEWAY_PUBLIC_URL="+url).hsts(t, "/v2/me")
		if want == "" && len(got) != 0 || want != "" && (len(got) != 1 || got[0] != want) {
			t.Errorf("%s: got %q, want %q", url, got, want)
		}
	}
	if got := serve(t, "GATEWAY_HSTS=0s").hsts(t, "/v2/me"); len(got) != 1 || got[0] != "max-age=0" {
		t.Errorf("GATEWAY_HSTS=0s: got %q", got)
	}
}

// TestStrictTransportOnEveryResponse checks successes, errors and pages, and responses
// without TLS, which must not have the header.
func TestStrictTransportOnEveryResponse(t *testing.T) {
	g := serve(t)
	for path, header := range map[string][]string{
		"/v2/me": nil, "/v2/nothing": nil, "/v2/documents?x=1": nil, "/docs": nil, "/livez": nil, "/openapi.json": nil,
		"/v2/documents": {"x-api-key", "bad"}, "/v2/jobs/x": {"x-api-key", ""},
	} {
		if got := g.hsts(t, path, header...); len(got) != 1 {
			t.Errorf("%s: got %q", path, got)
		}
	}
	for _, path := range []string{"/v2/me", "/livez", "/docs"} {
		if got := g.hsts(t, path, "X-Forwarded-Proto", "http"); len(got) != 0 {
			t.Errorf("%s without TLS: got %q", path, got)
		}
	}
}

// TestStrictTransportByAuthority serves TLS with a certificate of Recto's local authority,
// which must not have the header, and with one of another authority.
func TestStrictTransportByAuthority(t *testing.T) {
	for authority, want := range map[string]int{gatewayapi.LocalAuthority: 0, "Somebody's authority": 1} {
		pki, err := pkitest.Named(t.TempDir(), authority)
		if err != nil {
			t.Fatal(err)
		}
		cert, key, err := pki.Issue("server", "recto.example")
		if err != nil {
			t.Fatal(err)
		}
		var cfg httpapi.Config
		if err := config.Load([]string{"GATEWAY_PUBLIC_URL=https://recto.example", "GATEWAY_TLS_CERT_FILE=" + cert, "GATEWAY_TLS_KEY_FILE=" + key, "GATEWAY_DRAIN_DELAY=0s"}, "GATEWAY_", &cfg); err != nil {
			t.Fatal(err)
		}
		g := serve(t)
		g.start(t, cfg, g.store)
		client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}}
		response, err := client.Get("https" + g.url[len("http"):] + "/livez")
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if got := response.Header.Values(strictTransport); len(got) != want {
			t.Errorf("%s: got %q", authority, got)
		}
		g.expires(t, cert, key)
	}
}

// expires checks that the metric says when the certificate of the API expires.
func (g *gateway) expires(t *testing.T, cert, key string) {
	t.Helper()
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	families, err := g.telemetry.Metrics.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() == "recto_certificate_expiry_timestamp_seconds" {
			if m := f.GetMetric()[0]; m.GetLabel()[0].GetValue() != "api" || m.GetGauge().GetValue() != float64(pair.Leaf.NotAfter.Unix()) {
				t.Errorf("the metric is %v, want %v", m, pair.Leaf.NotAfter)
			}
			return
		}
	}
	t.Error("no metric says when the certificate expires")
}
