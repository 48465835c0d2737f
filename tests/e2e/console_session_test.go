package e2e

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/rectohq/recto/tests/harness"
)

// signInLink matches the links that commands print. Its groups are the address of the
// console and the secret.
var signInLink = regexp.MustCompile(`(https://\S+/console)#sign-in=(rs_link_[0-9A-Za-z]{49})\b`)

// visitor is a browser that has the console open.
type visitor struct {
	*harness.Client
	origin, cookie string
}

// visit returns a visitor without a session.
func visit(t *testing.T, s *harness.System) *visitor {
	t.Helper()
	return &visitor{Client: s.Client(t).WithKey(""), origin: strings.TrimSuffix(s.BaseURL, "/v2")}
}

// send sends a request as a page of the console does.
func (v *visitor) send(method, path string, body any) *harness.Answer {
	header := map[string]string{"Origin": v.origin, "Sec-Fetch-Site": "same-origin"}
	if v.cookie != "" {
		header["Cookie"] = v.cookie
	}
	return v.Do(harness.Request{Method: method, Path: "/" + path, Body: body, Header: header, Undocumented: true})
}

// signIn exchanges a key or a link for a session.
func (v *visitor) signIn(t *testing.T, body object) *harness.Answer {
	t.Helper()
	a := v.send(http.MethodPost, "/console/session", body)
	if a.Status == http.StatusOK {
		v.cookie, _, _ = strings.Cut(a.Header.Get("Set-Cookie"), ";")
	}
	return a
}

// secretOf returns the secret of the last sign-in link in the output of a command.
func secretOf(t *testing.T, s *harness.System, out string) string {
	t.Helper()
	found := signInLink.FindAllStringSubmatch(out, -1)
	if len(found) == 0 || found[len(found)-1][1] != strings.TrimSuffix(s.BaseURL, "/v2")+"/console" {
		t.Fatalf("there is no link to the console in:\n%s", out)
	}
	return found[len(found)-1][2]
}

// madeKey is what keys create prints.
type madeKey struct {
	ID             string `json:"id"`
	APIKey         string `json:"api_key"`
	OrganizationID string `json:"organization_id"`
}

// newKey creates a key of a new organization.
func newKey(t *testing.T, organization string) madeKey {
	t.Helper()
	return decode[madeKey](t, recto(t, shared, "keys", "create", "--json", "--rate", "unlimited", "--organization", organization))
}

// TestConsoleSession works with documents in a session, with those of its own organization
// only, until the person signs out or the key is revoked.
func TestConsoleSession(t *testing.T) {
	k := newKey(t, t.Name())
	v := visit(t, shared)
	v.send(http.MethodGet, "/console/api/me", nil).Fails(401, 2001)
	var me struct{ Organization struct{ ID string } }
	v.signIn(t, object{"api_key": k.APIKey}).OK(&me)
	if me.Organization.ID != k.OrganizationID {
		t.Errorf("the session belongs to %s, want %s", me.Organization.ID, k.OrganizationID)
	}
	var d document
	v.send(http.MethodPost, "/console/api/documents", valid()).OK(&d)
	v.send(http.MethodGet, "/console/api/documents/"+d.ID, nil).OK(nil)
	shared.Client(t).WithKey(k.APIKey).Get("/documents/" + d.ID).OK(nil)
	foreign := create(t, shared.NewClient(t), valid())
	v.send(http.MethodGet, "/console/api/documents/"+foreign.ID, nil).Fails(404, 4001)
	v.Do(harness.Request{Path: "/me", Header: map[string]string{"Cookie": v.cookie}}).Fails(401, 2001)
	v.Do(harness.Request{Method: http.MethodDelete, Path: "//console/api/documents/" + d.ID, Header: map[string]string{"Cookie": v.cookie}, Undocumented: true}).Fails(403, 2004)

	other := visit(t, shared)
	other.signIn(t, object{"api_key": k.APIKey}).OK(nil)
	if a := other.send(http.MethodDelete, "/console/session", nil); a.Status != http.StatusNoContent {
		t.Errorf("the sign-out returns %d %s", a.Status, a.Body)
	}
	eventually(t, func() (string, bool) {
		a := other.send(http.MethodGet, "/console/api/me", nil)
		return string(a.Body), a.Status == http.StatusForbidden
	})
	v.send(http.MethodGet, "/console/api/me", nil).OK(nil)
	recto(t, shared, "keys", "revoke", k.ID)
	eventually(t, func() (string, bool) {
		a := v.send(http.MethodGet, "/console/api/me", nil)
		return string(a.Body), a.Status == http.StatusForbidden
	})
	v.signIn(t, object{"api_key": k.APIKey}).Fails(403, 2002)
}

// TestKeyLink signs in with the link that keys link prints for a key. It works once.
func TestKeyLink(t *testing.T) {
	k := newKey(t, t.Name())
	out := recto(t, shared, "keys", "link", k.ID)
	found := signInLink.FindStringSubmatch(out)
	if found == nil || strings.Count(out, "\n") != 1 {
		t.Fatalf("keys link prints %q", out)
	}
	v := visit(t, shared)
	v.signIn(t, object{"link": found[2]}).OK(nil)
	v.send(http.MethodGet, "/console/api/documents", nil).OK(nil)
	p := visit(t, shared).signIn(t, object{"link": found[2]}).Fails(403, 2002)
	if !strings.Contains(p.Detail, "Run recto open for a new link") {
		t.Errorf("a used link: %s", p.Detail)
	}
	recto(t, shared, "keys", "revoke", k.ID)
	for _, id := range []string{k.ID, "key_9"} {
		if out, err := shared.Recto(t.Context(), "keys", "link", id); err == nil || signInLink.MatchString(out) {
			t.Errorf("keys link %s: %v\n%s", id, err, out)
		}
	}
}

// TestOpenLink signs in with the links that recto up and recto open --print print. No log
// contains them.
func TestOpenLink(t *testing.T) {
	harness.StandaloneOnly(t)
	s := harness.Start(t, harness.Options{})
	up := s.Shows(t, "/console#sign-in=", "recto open makes a new link")
	for _, out := range []string{up, runCommand(t, "open", "--print", "--data", s.Dir).stdout} {
		v := visit(t, s)
		v.signIn(t, object{"link": secretOf(t, s, out)}).OK(nil)
		var me struct{ Organization struct{ ID string } }
		v.send(http.MethodGet, "/console/api/me", nil).OK(&me)
		if me.Organization.ID != s.OrganizationID {
			t.Errorf("the session belongs to %s, want %s", me.Organization.ID, s.OrganizationID)
		}
		if _, secret, _ := strings.Cut(v.cookie, "="); strings.Contains(s.Output(), secret) {
			t.Error("the output contains the secret of a session")
		}
	}
	if n := len(signInLink.FindAllString(s.Output(), -1)); n != 1 {
		t.Errorf("the output has %d links, want only that of recto up", n)
	}
	if a := visit(t, s).send(http.MethodGet, "/console", nil); a.Status != 200 || !strings.Contains(a.Header.Get("Content-Security-Policy"), "default-src 'none'") {
		t.Errorf("/console returns %d %v", a.Status, a.Header)
	}
}
