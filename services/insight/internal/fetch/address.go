package fetch

import (
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/net/idna"
)

// maxAddress is the maximum length of an address, in bytes. Presigned URLs are the
// longest in practice, with some 2000.
const maxAddress = 8 << 10

// parseAddress returns the address in the form in which it is requested: without a
// fragment, with the host in ASCII, and with a port only if it is not the default of the
// scheme. The error is a *refusal.
func (c *Client) parseAddress(text string) (*url.URL, error) {
	if len(text) > maxAddress {
		return nil, invalid("is longer than %d bytes", maxAddress)
	}
	if strings.ContainsFunc(text, notInURL) {
		return nil, invalid("contains spaces, backslashes or control characters")
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Scheme == "" || u.Opaque != "":
		return nil, invalid("is not a URL with a protocol and a host")
	case u.Scheme != "https" && (u.Scheme != "http" || !c.http):
		return nil, forbidden("does not begin with %s", c.schemes())
	case u.Hostname() == "":
		return nil, invalid("has no host")
	case u.User != nil:
		return nil, invalid("contains a user name or a password")
	}
	return c.normalize(u)
}

// notInURL reports whether r is a character that programs read in different ways.
func notInURL(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsControl(r) || r == unicode.ReplacementChar || r == '\\'
}

// schemes names the schemes that an address may begin with, for messages.
func (c *Client) schemes() string {
	if c.http {
		return "https:// or http://"
	}
	return "https://"
}

// normalize returns u with its host and port in their normal form.
func (c *Client) normalize(u *url.URL) (*url.URL, error) {
	host, err := checkHost(u)
	if err != nil {
		return nil, err
	}
	port, err := checkPort(u)
	if err != nil {
		return nil, err
	}
	n := *u
	n.Fragment, n.RawFragment = "", ""
	n.Host = net.JoinHostPort(host, strconv.Itoa(int(port)))
	if port == defaultPort(u.Scheme) {
		n.Host = strings.TrimSuffix(n.Host, ":"+strconv.Itoa(int(port)))
	}
	return &n, nil
}

// checkPort returns the port of u.
func checkPort(u *url.URL) (uint16, error) {
	if u.Port() == "" {
		return defaultPort(u.Scheme), nil
	}
	port, err := strconv.ParseUint(u.Port(), 10, 16)
	if err != nil || port == 0 {
		return 0, invalid("has an invalid port")
	}
	return uint16(port), nil
}

func defaultPort(scheme string) uint16 {
	if scheme == "http" {
		return 80
	}
	return 443
}

// checkHost returns the host of u in ASCII. It refuses IP addresses in any but the usual
// notation, because programs read them in different ways.
func checkHost(u *url.URL) (string, error) {
	host := u.Hostname()
	if strings.HasPrefix(u.Host, "[") {
		addr, err := netip.ParseAddr(host)
		switch {
		case err != nil || !addr.Is6():
			return "", invalid("has an invalid IPv6 address")
		case addr.Zone() != "" || addr.Is4In6():
			return "", forbidden("has an IPv6 address that is not public: it has a zone, or maps to IPv4")
		}
		return addr.String(), nil
	}
	host, ok := asciiName(host)
	if !ok {
		return "", invalid("has an invalid host name")
	}
	if addr, err := netip.ParseAddr(host); endsInNumber(host) && (err != nil || addr.String() != host) {
		return "", forbidden("has an IP address in an unusual notation")
	}
	return host, nil
}

// label matches one label of a host name. Underscores do occur in practice.
var label = regexp.MustCompile(`^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$`)

// asciiName returns a host name as name servers know it.
func asciiName(host string) (string, bool) {
	name := strings.ToLower(host)
	if strings.ContainsFunc(host, func(r rune) bool { return r > unicode.MaxASCII }) {
		var err error
		if name, err = idna.Lookup.ToASCII(host); err != nil {
			return "", false
		}
	}
	if name == "" || len(name) > 253 {
		return "", false
	}
	for part := range strings.SplitSeq(strings.TrimSuffix(name, "."), ".") {
		if !label.MatchString(part) {
			return "", false
		}
	}
	return name, true
}

// number matches a part that some programs read as a number: 127, 0177 or 0x7f.
var number = regexp.MustCompile(`^([0-9]+|0x[0-9a-f]*)$`)

// endsInNumber reports whether some programs read host as an IPv4 address, as defined in
// https://url.spec.whatwg.org/#ends-in-a-number-checker.
func endsInNumber(host string) bool {
	host = strings.TrimSuffix(host, ".")
	return number.MatchString(host[strings.LastIndexByte(host, '.')+1:])
}

// mask replaces the user name and password in text, an address, by asterisks. If text is
// not a URL, it masks everything that might be a user name or a password.
func mask(text string) string {
	const stars = "***"
	start := 0
	if slashes := strings.Index(text, "//"); slashes >= 0 {
		start = slashes + len("//")
	}
	rest := text[start:]
	authority := rest
	if u, err := url.Parse(text); err == nil && u.Host != "" {
		if end := strings.IndexAny(rest, "/?#"); end >= 0 {
			authority = rest[:end]
		}
	}
	if end := strings.LastIndexByte(authority, '@'); end >= 0 {
		return text[:start] + stars + rest[end:]
	}
	return text
}
