package fetch_test

import (
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/services/insight/internal/fetch"
)

// strict is a configuration that can reach public addresses only.
func strict() fetch.Config { return fetch.Config{MaxBytes: 1 << 20, Timeout: patience.Limit()} }

// special holds addresses of every kind that is not public.
var special = map[string][]string{
	"this machine":                {"127.0.0.1", "127.0.0.2", "127.255.255.255", "::1"},
	"unspecified":                 {"0.0.0.0", "0.1.2.3", "::"},
	"private":                     {"10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1"},
	"unique local":                {"fc00::1", "fd12:3456::1"},
	"link local":                  {"169.254.1.1", "fe80::1", "fec0::1"},
	"cloud metadata":              {"169.254.169.254", "fd00:ec2::254", "fd20:ce::254", "100.100.100.200", "192.0.0.192", "168.63.129.16"},
	"carrier-grade NAT":           {"100.64.0.1", "100.127.255.255"},
	"protocols":                   {"192.0.0.1", "192.88.99.1", "192.31.196.1", "192.52.193.1", "192.175.48.1", "2620:4f:8000::1"},
	"documentation and benchmark": {"192.0.2.1", "198.51.100.1", "203.0.113.1", "198.18.0.1", "198.19.255.255", "2001:db8::1", "3fff::1", "2001:2::1"},
	"multicast":                   {"224.0.0.1", "239.255.255.255", "ff02::1", "ff0e::1"},
	"reserved and broadcast":      {"240.0.0.1", "255.255.255.255", "4000::1", "5f00::1", "100::1"},
	"IPv4-compatible":             {"::7f00:1", "::8.8.8.8"},
	"NAT64":                       {"64:ff9b::7f00:1", "64:ff9b::8.8.8.8", "64:ff9b:1::a00:1", "64:ff9b:1:ffff::1"},
	"6to4":                        {"2002:7f00:1::1", "2002:808:808::1"},
	"Teredo":                      {"2001::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2"},
	"ORCHID":                      {"2001:10::1", "2001:20::1"},
	"ISATAP":                      {"2600::5efe:a00:1", "2600::200:5efe:7f00:1"},
}

// public holds public addresses, some of them next to special ones.
var public = []string{
	"1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0", "169.253.255.255",
	"172.15.255.255", "172.32.0.0", "192.167.255.255", "198.17.255.255", "223.255.255.255", "2600::1", "2001:4860:4860::8888", "2a00:1450::1",
}

// literal writes an address as the host of a URL.
func literal(address string) string {
	if strings.Contains(address, ":") {
		return "[" + address + "]"
	}
	return address
}

// TestSpecialAddresses shows that addresses of every special kind are refused, literally
// and by name.
func TestSpecialAddresses(t *testing.T) {
	for kind, addresses := range special {
		for _, address := range addresses {
			c := client(t, strict(), names(map[string][]string{"host.test": {address}}), func(to string) error {
				t.Errorf("%s: a connection to %s was about to be made", kind, to)
				return errReached
			})
			for _, host := range []string{literal(address), "host.test"} {
				_, err := c.Get(t.Context(), "https://"+host+"/", io.Discard)
				e := refused(t, kind+" "+host, err, problem.CodeURLForbidden)
				if host == "host.test" && strings.Contains(fmt.Sprint(e), address) {
					t.Errorf("the error reveals what a name resolves to: %+v", e)
				}
			}
		}
	}
}

// TestMappedAddress shows that IPv4 addresses mapped to IPv6 are refused.
func TestMappedAddress(t *testing.T) {
	for _, address := range []string{"::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:a9fe:a9fe"} {
		c := client(t, strict(), names(map[string][]string{"host.test": {address}}), func(to string) error {
			t.Errorf("a connection to %s was about to be made", to)
			return errReached
		})
		for _, host := range []string{literal(address), "host.test"} {
			_, err := c.Get(t.Context(), "https://"+host+"/", io.Discard)
			refused(t, host, err, problem.CodeURLForbidden)
		}
	}
}

func TestPublicAddresses(t *testing.T) {
	for _, address := range public {
		var reached []string
		c := client(t, strict(), names(map[string][]string{"host.test": {address}}), func(to string) error {
			reached = append(reached, to)
			return errReached
		})
		for _, host := range []string{literal(address), "host.test"} {
			_, err := c.Get(t.Context(), "https://"+host+"/", io.Discard)
			refused(t, host, err, problem.CodeURLUnreachable)
		}
		want := netip.AddrPortFrom(netip.MustParseAddr(address), 443).String()
		if !slices.Equal(reached, []string{want, want}) {
			t.Errorf("%s: connections to %v were about to be made", address, reached)
		}
	}
}

// TestMixedAnswers shows that only the public address is reached if a name has public and
// private ones.
func TestMixedAnswers(t *testing.T) {
	var reached []string
	c := client(t, strict(), names(map[string][]string{"host.test": {"10.0.0.1", "8.8.8.8", "127.0.0.1"}}), func(to string) error {
		reached = append(reached, to)
		return errReached
	})
	_, err := c.Get(t.Context(), "https://host.test/", io.Discard)
	if err == nil || len(reached) != 1 || reached[0] != "8.8.8.8:443" {
		t.Errorf("connections to %v were about to be made: %v", reached, err)
	}
}

// TestRebinding shows that a name is refused once it resolves to a forbidden address, even
// if the first lookup was allowed.
func TestRebinding(t *testing.T) {
	known := &nameServer{answers: map[string][][]string{"files.test": {{"127.0.0.1"}, {"127.0.0.2"}}}}
	w := serve(t, standard(), known, func(out http.ResponseWriter, req *http.Request) {
		if req.URL.Path == "/again" {
			http.Redirect(out, req, "/document", http.StatusFound)
		}
	})
	if _, err := w.Get(t.Context(), w.at("/again"), io.Discard); err == nil {
		t.Error("the second address was reached")
	} else {
		refused(t, "again", err, problem.CodeURLForbidden)
	}
	if want := []string{w.server.Listener.Addr().String()}; !slices.Equal(w.reached, want) {
		t.Errorf("connections were made to %v, want %v", w.reached, want)
	}
}

// TestPorts shows which ports may be used for which addresses.
func TestPorts(t *testing.T) {
	for _, test := range []struct {
		cfg     fetch.Config
		address string
		allowed bool
	}{
		{strict(), "https://8.8.8.8/", true},
		{strict(), "https://8.8.8.8:443/", true},
		{strict(), "https://8.8.8.8:0443/", true},
		{strict(), "https://8.8.8.8:80/", false},
		{strict(), "https://8.8.8.8:22/", false},
		{strict(), "https://8.8.8.8:8443/", false},
		{standard(), "https://8.8.8.8:8443/", false},
		{standard(), "https://127.0.0.1:8443/", true},
		{standard(), "https://127.0.0.2:443/", false},
		{withPorts("8443"), "https://8.8.8.8:8443/", true},
		{withPorts("8443"), "https://8.8.8.8:8444/", false},
		{withPorts("8443"), "https://10.0.0.1:8443/", false},
		{withHTTP(), "http://8.8.8.8/", true},
		{withHTTP(), "http://8.8.8.8:80/", true},
		{withHTTP(), "http://8.8.8.8:8080/", false},
		{withHTTP(), "http://10.0.0.1/", false},
		{strict(), "http://8.8.8.8/", false},
	} {
		reached := 0
		c := client(t, test.cfg, local(), func(string) error { reached++; return errReached })
		_, err := c.Get(t.Context(), test.address, io.Discard)
		code := problem.CodeURLForbidden
		if test.allowed {
			code = problem.CodeURLUnreachable
		}
		refused(t, test.address, err, code)
		if (reached == 1) != test.allowed {
			t.Errorf("%s: %d connections were about to be made", test.address, reached)
		}
	}
}

func withPorts(ports ...string) fetch.Config {
	cfg := strict()
	cfg.Ports = ports
	return cfg
}

func withHTTP() fetch.Config {
	cfg := strict()
	cfg.HTTP = true
	return cfg
}
