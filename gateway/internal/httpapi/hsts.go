package httpapi

import (
	"fmt"
	"net/netip"
	"net/url"
	"strings"

	"github.com/valyala/fasthttp"
)

// strictTransport returns the value of Strict-Transport-Security (RFC 6797) for
// the public host, "" for a host that must not have it: an IP address cannot, and
// on localhost a browser would stop to speak HTTP with every other program there.
// Subdomains belong to others, and are left alone.
func (c Config) strictTransport() string {
	u, err := url.Parse(c.PublicURL)
	if err != nil {
		return ""
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	_, notIP := netip.ParseAddr(host)
	if notIP == nil || host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return ""
	}
	return fmt.Sprintf("max-age=%d", int64(c.HSTS.Seconds()))
}

// promiseHTTPS tells browsers that the public host is served over HTTPS only.
// RFC 6797, section 7.2, forbids the header on answers in the clear. With a
// certificate of our own authority it would lock people out: under HSTS a browser
// offers no way past a certificate warning.
func (s *Server) promiseHTTPS(fctx *fasthttp.RequestCtx) {
	if s.strictTransport != "" && !s.certificate.local.Load() && s.secure(fctx) {
		fctx.Response.Header.Set(fasthttp.HeaderStrictTransportSecurity, s.strictTransport)
	}
}
