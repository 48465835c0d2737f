package fetch_test

import (
	"errors"
	"fmt"
	"io"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/problem"
)

// TestAddresses shows that invalid addresses, and those that are forbidden whatever they
// lead to, are refused without a connection.
func TestAddresses(t *testing.T) {
	for address, code := range map[string]problem.EntryCode{
		"":                           problem.CodeURLInvalid,
		"example.com/contract.pdf":   problem.CodeURLInvalid,
		"//example.com/contract.pdf": problem.CodeURLInvalid,
		"/etc/passwd":                problem.CodeURLInvalid,
		"https:example.com":          problem.CodeURLInvalid,
		"https://":                   problem.CodeURLInvalid,
		"https:///contract.pdf":      problem.CodeURLInvalid,
		"https://:443/":              problem.CodeURLInvalid,
		"https://a b.test/":          problem.CodeURLInvalid,
		" https://example.com/":      problem.CodeURLInvalid,
		"https://example.com/a b":    problem.CodeURLInvalid,
		"https://example.com/\n":     problem.CodeURLInvalid,
		"https://example.com\\@x/":   problem.CodeURLInvalid,
		"https://a..test/":           problem.CodeURLInvalid,
		"https://-a.test/":           problem.CodeURLInvalid,
		"https://a*.test/":           problem.CodeURLInvalid,
		"https://xn--a.test\u00ad/":  problem.CodeURLInvalid,
		"https://example.com:0/":     problem.CodeURLInvalid,
		"https://example.com:65536/": problem.CodeURLInvalid,
		"https://example.com:x/":     problem.CodeURLInvalid,
		"https://[::1/":              problem.CodeURLInvalid,
		"https://[127.0.0.1]/":       problem.CodeURLInvalid,
		"https://[x]/":               problem.CodeURLInvalid,
		"https://[fe80::1%eth0]/":    problem.CodeURLInvalid,
		"https://user@8.8.8.8/":      problem.CodeURLInvalid,
		"https://user:pass@8.8.8.8/": problem.CodeURLInvalid,
		"https://@8.8.8.8/":          problem.CodeURLInvalid,
		"data:text/plain,a":          problem.CodeURLInvalid,

		"https://example.com/" + strings.Repeat("a", 8<<10): problem.CodeURLInvalid,
		"https://" + strings.Repeat("a.", 150) + "test/":    problem.CodeURLInvalid,

		"http://8.8.8.8/":                 problem.CodeURLForbidden,
		"ftp://8.8.8.8/contract.pdf":      problem.CodeURLForbidden,
		"file:///etc/passwd":              problem.CodeURLForbidden,
		"gopher://8.8.8.8/_x":             problem.CodeURLForbidden,
		"https://2130706433/":             problem.CodeURLForbidden,
		"https://0x7f000001/":             problem.CodeURLForbidden,
		"https://0X7F.1/":                 problem.CodeURLForbidden,
		"https://127.1/":                  problem.CodeURLForbidden,
		"https://0177.0.0.1/":             problem.CodeURLForbidden,
		"https://008.8.8.8/":              problem.CodeURLForbidden,
		"https://8.8.8.8./":               problem.CodeURLForbidden,
		"https://127.0.0.1./":             problem.CodeURLForbidden,
		"https://8.8.8.256/":              problem.CodeURLForbidden,
		"https://8.8.8.8.8/":              problem.CodeURLForbidden,
		"https://example.0x/":             problem.CodeURLForbidden,
		"https://１２７.０.０.１/":              problem.CodeURLForbidden,
		"https://①②⑦.0.0.1/":              problem.CodeURLForbidden,
		"https://127。0。0。1/":              problem.CodeURLForbidden,
		"https://[2600::1%25eth0]/":       problem.CodeURLForbidden,
		"https://[fe80::1%25lo]/":         problem.CodeURLForbidden,
		"https://[::ffff:8.8.8.8]/":       problem.CodeURLForbidden,
		"https://[0:0:0:0:0:ffff:7f00:1]": problem.CodeURLForbidden,
	} {
		c := client(t, strict(), names(nil), func(to string) error {
			t.Errorf("%q: a connection to %s was about to be made", address, to)
			return errReached
		})
		_, err := c.Get(t.Context(), address, io.Discard)
		refused(t, address, err, code)
	}
}

// TestNames shows that unusual spellings of a host name are looked up.
func TestNames(t *testing.T) {
	known := names(map[string][]string{"host.test": {"8.8.8.8"}, "a_b.host.test": {"8.8.8.8"}, "xn--bcher-kva.test": {"8.8.8.8"}, "1e100.test": {"8.8.8.8"}})
	for _, address := range []string{
		"https://host.test", "HTTPS://HOST.test/", "https://host.test./", "https://host.test:/", "https://a_b.host.test/?q=a@b",
		"https://bücher.test/", "https://BÜCHER.test/ü", "https://xn--bcher-kva.test/", "https://1e100.test/@home", "https://host.test/#a@b",
	} {
		reached := 0
		c := client(t, strict(), known, func(string) error { reached++; return errReached })
		_, err := c.Get(t.Context(), address, io.Discard)
		refused(t, address, err, problem.CodeURLUnreachable)
		if reached != 1 {
			t.Errorf("%s: %d connections were about to be made", address, reached)
		}
	}
}

// TestMasking shows that errors do not repeat the user name and password of an address.
func TestMasking(t *testing.T) {
	c := client(t, strict(), names(nil), func(string) error { return errReached })
	for address, want := range map[string]string{
		"https://secret@host.test/a":         `"https://***@host.test/a"`,
		"https://me:secret@host.test/@a?b@c": `"https://***@host.test/@a?b@c"`,
		"https://me:sec@secret@host.test/":   `"https://***@host.test/"`,
		"https://me:sec/secret@host.test/":   `"https://***@host.test/"`,
		"https://me: secret@host.test/":      `"https://***@host.test/"`,
		"me:secret@host.test":                `"***@host.test"`,
		"ftp://me:secret@host.test/":         `"ftp://***@host.test/"`,
		"https://nobody.test/me@home":        `"https://nobody.test/me@home"`,
	} {
		_, err := c.Get(t.Context(), address, io.Discard)
		var p *problem.Error
		if !errors.As(err, &p) || len(p.Entries) != 1 {
			t.Fatalf("%s: got %v", address, err)
		}
		if got := string(p.Entries[0].Value); got != want {
			t.Errorf("%s: the value is %s, want %s", address, got, want)
		}
		if all := fmt.Sprint(p.Error(), p.Entries); strings.Contains(all, "secret") {
			t.Errorf("%s: the error repeats the password: %s", address, all)
		}
	}
}

// forbiddenNetworks are the networks that must never be connected to, copied
// independently of the code from
// https://www.iana.org/assignments/iana-ipv4-special-registry.
var forbiddenNetworks = []string{
	"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24",
	"192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/3", "168.63.129.16/32",
	"::/3", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20", "4000::/2", "8000::/1",
}

// FuzzAddress requests arbitrary addresses with arbitrary answers from the name server.
func FuzzAddress(f *testing.F) {
	for _, address := range []string{
		"https://host.test/", "https://8.8.8.8/", "https://[2600::1]:443/a", "http://127.0.0.1:80/", "https://0x7f.1/", "https://[::ffff:10.0.0.1]/",
		"https://user:pass@host.test\\@10.0.0.1/", "https://①②⑦.0.0.1/", "https://127.0.0.1%2f@8.8.8.8/", "https://[fe80::1%25eth0]/",
	} {
		f.Add(address, []byte{127, 0, 0, 1}, []byte{8, 8, 8, 8})
	}
	cfg := strict()
	cfg.HTTP = true
	f.Fuzz(func(t *testing.T, address string, one, two []byte) {
		var answers []string
		for _, b := range [][]byte{one, two} {
			if addr, ok := netip.AddrFromSlice(b); ok {
				answers = append(answers, addr.String())
			}
		}
		c := client(t, cfg, &nameServer{answers: map[string][][]string{}, others: answers}, func(to string) error {
			at := netip.MustParseAddrPort(to)
			if slices.ContainsFunc(forbiddenNetworks, func(n string) bool { return netip.MustParsePrefix(n).Contains(at.Addr().Unmap()) }) {
				t.Errorf("%q: a connection to %s was about to be made", address, to)
			}
			if at.Port() != 443 && at.Port() != 80 {
				t.Errorf("%q: a connection to the port %d was about to be made", address, at.Port())
			}
			return errReached
		})
		_, err := c.Get(t.Context(), address, io.Discard)
		var p *problem.Error
		if !errors.As(err, &p) || len(p.Entries) != 1 {
			t.Errorf("%q: got %v, want a problem with one entry", address, err)
		}
	})
}
