package config

import (
	"cmp"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"
)

// Problems collects problems with the values of a configuration, for Validate. Every
// problem names its variable.
type Problems []error

// Require adds a problem unless ok.
func (p *Problems) Require(ok bool, format string, args ...any) {
	if !ok {
		*p = append(*p, fmt.Errorf("  "+format, args...))
	}
}

// Positive adds a problem unless d is positive.
func (p *Problems) Positive(name string, d time.Duration) {
	p.Require(d > 0, "%s must be longer than 0s", name)
}

// AtLeast adds a problem if value is below least.
func AtLeast[T cmp.Ordered](p *Problems, name string, value, least T) {
	p.Require(value >= least, "%s must be at least %v", name, least)
}

// Address adds a problem unless value is empty or an address to listen on: host:port or
// :port.
func (p *Problems) Address(name, value string) {
	_, port, err := net.SplitHostPort(value)
	if err == nil {
		_, err = net.LookupPort("tcp", port)
	}
	p.Require(err == nil || value == "", "%s must be host:port or :port, such as 127.0.0.1:8080", name)
}

// Origin adds a problem unless value is empty or a URL that consists only of one of the
// schemes, a host and an optional port. The problem does not repeat the value, which may
// contain a password.
func (p *Problems) Origin(name, value string, schemes ...string) {
	u, ok := parseURL(value, schemes)
	p.Require(value == "" || ok && u.User == nil && u.Path == "" && !u.ForceQuery && u.RawQuery == "" && !strings.Contains(value, "#"),
		"%s must be %s, a host and an optional port", name, strings.Join(schemes, ":// or ")+"://")
}

// URL adds a problem unless value is empty or a URL with one of the schemes. The problem
// does not repeat the value, which may contain a password.
func (p *Problems) URL(name, value string, schemes ...string) {
	_, ok := parseURL(value, schemes)
	p.Require(value == "" || ok, "%s must be a URL that begins with %s and a host", name, strings.Join(schemes, ":// or ")+"://")
}

// parseURL parses a URL and reports whether it has one of the schemes, a host, and, if
// any, a valid port.
func parseURL(value string, schemes []string) (*url.URL, bool) {
	u, err := url.Parse(value)
	if err != nil || !slices.Contains(schemes, u.Scheme) || u.Hostname() == "" {
		return u, false
	}
	if port := u.Port(); port != "" {
		_, err = net.LookupPort("tcp", port)
	}
	return u, err == nil
}

// Networks adds a problem unless every text is a network in CIDR notation.
func (p *Problems) Networks(name string, texts []string) {
	_, err := ParseNetworks(texts)
	p.Require(err == nil, "%s: %v", name, err)
}

// ParseNetworks parses networks in CIDR notation.
func ParseNetworks(texts []string) ([]netip.Prefix, error) {
	var networks []netip.Prefix
	for _, text := range texts {
		n, err := netip.ParsePrefix(strings.TrimSpace(text))
		if err != nil {
			return nil, fmt.Errorf("%q is not a network such as 10.0.0.0/8", text)
		}
		networks = append(networks, n.Masked())
	}
	return networks, nil
}

// Dir adds a problem unless path is an existing folder.
func (p *Problems) Dir(name, path string) {
	info, err := os.Stat(path)
	if err != nil {
		p.Require(false, "%s: %v", name, err)
		return
	}
	p.Require(info.IsDir(), "%s: %s is not a folder", name, path)
}
