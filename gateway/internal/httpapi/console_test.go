package httpapi_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/rectohq/recto/gateway/internal/identity"
	"github.com/rectohq/recto/libs/bus/bustest"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/gatewayapi"
	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/testkit/patience"
)

const (
	cookieName  = "__Host-recto-session"
	sessionPath = "/console/session"
	ownOrigin   = "https://recto.example" // that of GATEWAY_PUBLIC_URL
)

// browse sends a request as a page of the console does: with the origin, and without a
// key. Header holds names and values in turn; "" removes a header.
func (g *gateway) browse(t *testing.T, method, path, body string, header ...string) reply {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, g.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header = http.Header{"X-Forwarded-Proto": {"https"}, "Origin": {ownOrigin}}
	for i := 0; i < len(header); i += 2 {
		request.Header.Del(header[i])
		if header[i+1] != "" {
			request.Header.Set(header[i], header[i+1])
		}
	}
	request.Close = true
	return roundTrip(t, request)
}

// cookieOf returns the Cookie header for the session that a response sets.
func cookieOf(t *testing.T, r reply) string {
	t.Helper()
	set, _, _ := strings.Cut(r.header.Get("Set-Cookie"), ";")
	if r.status != http.StatusOK || !strings.HasPrefix(set, cookieName+"=rs_sess_") {
		t.Fatalf("got %d %s %v, want a session", r.status, r.body, r.header)
	}
	return set
}

// signIn signs in with an API key and returns the Cookie header.
func (g *gateway) signIn(t *testing.T, key string) string {
	t.Helper()
	return cookieOf(t, g.browse(t, http.MethodPost, sessionPath, fmt.Sprintf(`{"api_key":%q}`, key)))
}

// newKey creates a key and returns it with its secret.
func (g *gateway) newKey(t *testing.T, n identity.NewKey) (identity.Account, string) {
	t.Helper()
	account, secret, err := identity.NewAdmin(g.store, peppers).CreateKey(t.Context(), n)
	if err != nil {
		t.Fatal(err)
	}
	return account, secret
}

// linkFor creates a sign-in link for a key and returns the body that exchanges it.
func (g *gateway) linkFor(t *testing.T, secret string) string {
	t.Helper()
	link, err := identity.NewAdmin(g.store, peppers).CreateLinkFor(t.Context(), secret)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf(`{"link":%q}`, link)
}

// TestSignIn signs in with a key and with a link. Each session acts for the key, until the
// person signs out.
func TestSignIn(t *testing.T) {
	g := serve(t)
	_, me := g.get(t, "/v2/me")
	for _, body := range []string{fmt.Sprintf(`{"api_key":%q}`, g.key), g.linkFor(t, g.key), `{"api_key":null,` + g.linkFor(t, g.key)[1:]} {
		r := g.browse(t, http.MethodPost, sessionPath, body)
		cookie := cookieOf(t, r)
		if r.body != me || r.header.Get("Cache-Control") != "no-store" {
			t.Errorf("got %s, want %s; %v", r.body, me, r.header)
		}
		if got := r.header.Get("Set-Cookie"); got != cookie+"; Path=/; Max-Age=43200; HttpOnly; Secure; SameSite=Strict" {
			t.Errorf("the cookie is %s", got)
		}
		if r := g.browse(t, http.MethodGet, "/console/api/me", "", "Cookie", cookie); r.status != 200 || r.body != me || r.header.Get("Cache-Control") != "no-store" || r.header.Get("RateLimit-Policy") == "" {
			t.Errorf("got %d %s %v", r.status, r.body, r.header)
		}
		for range 2 { // the second time without a session
			r := g.browse(t, http.MethodDelete, sessionPath, "", "Cookie", cookie)
			if r.status != 204 || r.header.Get("Set-Cookie") != cookieName+"=; Path=/; Max-Age=0; HttpOnly; Secure; SameSite=Strict" {
				t.Errorf("sign-out: %d %s %v", r.status, r.body, r.header)
			}
		}
		g.browse(t, http.MethodGet, "/console/api/me", "", "Cookie", cookie).is(t, 403, `"code":2002`, false).is(t, 403, "The session has ended. Sign in", false)
	}
	g.browse(t, http.MethodDelete, sessionPath, "").is(t, 204, "", false)
	g.browse(t, http.MethodDelete, sessionPath, "", "Cookie", cookieName+"=x").is(t, 204, "", false)
}

// TestRefusedSignIn covers every error of a sign-in.
func TestRefusedSignIn(t *testing.T) {
	g := serve(t)
	used := g.linkFor(t, g.key)
	cookieOf(t, g.browse(t, http.MethodPost, sessionPath, used))
	account, revoked := g.newKey(t, identity.NewKey{Scopes: everything})
	linkOfRevoked := g.linkFor(t, revoked)
	if err := identity.NewAdmin(g.store, peppers).RevokeKey(t.Context(), account.Key.ID); err != nil {
		t.Fatal(err)
	}
	cookie := g.signIn(t, g.key)
	_, session, _ := strings.Cut(cookie, "=")
	for name, tc := range map[string]struct {
		body, want string
		status     int
	}{
		"a used link":             {used, "Run recto open", 403},
		"an unknown link":         {`{"link":"x"}`, "Run recto open", 403},
		"an empty link":           {`{"link":""}`, "Run recto open", 403},
		"a link of a revoked key": {linkOfRevoked, "Run recto open", 403},
		"a session as a link":     {fmt.Sprintf(`{"link":%q}`, session), `"code":2002`, 403},
		"an expired link":         {g.expiredLink(t), "has expired", 403},
		"a wrong key":             {`{"api_key":"rk_live_x"}`, "The API key is not valid", 403},
		"an empty key":            {`{"api_key":""}`, "The API key is not valid", 403},
		"a revoked key":           {fmt.Sprintf(`{"api_key":%q}`, revoked), `"code":2002`, 403},
		"a session as a key":      {fmt.Sprintf(`{"api_key":%q}`, session), `"code":2002`, 403},
		"both":                    {`{"api_key":"a","link":"b"}`, "exactly one", 400},
		"neither":                 {`{}`, "exactly one", 400},
		"a number":                {`{"api_key":1}`, "invalid_type", 400},
		"an unknown member":       {`{"link":"a","x":1}`, "unrecognized_key", 400},
		"no JSON":                 {`api_key=a`, "not valid JSON", 400},
		"no body":                 {``, "The body is empty", 400},
		"a large body":            {`{"link":"` + strings.Repeat("a", 4<<10) + `"}`, `"code":3004`, 413},
	} {
		if r := g.browse(t, http.MethodPost, sessionPath, tc.body); r.status != tc.status || !strings.Contains(r.body, tc.want) || r.header.Get("Set-Cookie") != "" {
			t.Errorf("%s: %d %s %v, want %d with %q", name, r.status, r.body, r.header, tc.status, tc.want)
		}
	}
	g.browse(t, http.MethodPost, sessionPath+"?x=1", `{"link":"a"}`).is(t, 400, "x", false)
	g.browse(t, http.MethodGet, sessionPath, "").is(t, 405, `"code":1002`, false)
	g.browse(t, http.MethodPut, sessionPath, "").is(t, 405, `"code":1002`, false)
	g.browse(t, http.MethodPost, sessionPath, "{}", "X-Forwarded-Proto", "http").is(t, 426, "HTTPS", false)
}

// expiredLink stores a link that expired a moment ago, and returns the body to exchange it.
func (g *gateway) expiredLink(t *testing.T) string {
	t.Helper()
	old := &aged{g.store, 11 * time.Minute}
	link, err := identity.NewAdmin(old, peppers).CreateLinkFor(t.Context(), g.key)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf(`{"link":%q}`, link)
}

// aged is a store whose new sessions and links began some time ago.
type aged struct {
	identity.Store
	age time.Duration
}

func (a *aged) CreateSession(ctx context.Context, s identity.Session) error {
	s.CreatedAt, s.ExpiresAt = s.CreatedAt.Add(-a.age), s.ExpiresAt.Add(-a.age)
	return a.Store.CreateSession(ctx, s)
}

// TestFailedSignInsAreLimited checks that invalid links, sessions and keys all count as
// invalid keys of their address.
func TestFailedSignInsAreLimited(t *testing.T) {
	g := serve(t, "GATEWAY_FAILED_KEYS=3")
	for n, want := range []int{403, 403, 403, 429} {
		var r reply
		switch n % 3 {
		case 0:
			r = g.browse(t, http.MethodPost, sessionPath, `{"link":"x"}`)
		case 1:
			r = g.browse(t, http.MethodPost, sessionPath, `{"api_key":"x"}`)
		case 2:
			r = g.browse(t, http.MethodGet, "/console/api/me", "", "Cookie", cookieName+"=x")
		}
		if r.status != want {
			t.Errorf("attempt %d: %d %s, want %d", n+1, r.status, r.body, want)
		}
	}
	cookieOf(t, g.browse(t, http.MethodPost, sessionPath, fmt.Sprintf(`{"api_key":%q}`, g.key)))
}

// TestSessionEnds lets sessions expire and revokes a key. A session of a key that expires
// soon lasts no longer than the key.
func TestSessionEnds(t *testing.T) {
	g := serve(t, "GATEWAY_SESSION_LIFETIME=2h")
	account, secret := g.newKey(t, identity.NewKey{Scopes: everything})
	cookie := g.signIn(t, secret)
	g.browse(t, http.MethodGet, "/console/api/me", "", "Cookie", cookie).is(t, 200, account.Key.ID, false)
	if err := identity.NewAdmin(g.store, peppers).RevokeKey(t.Context(), account.Key.ID); err != nil {
		t.Fatal(err)
	}
	g.auth.Forget(account.Key.ID) // as the gateway does on gatewayapi.KeyChanged
	g.browse(t, http.MethodGet, "/console/api/me", "", "Cookie", cookie).is(t, 403, `"code":2002`, false)

	valid, _ := g.newKey(t, identity.NewKey{Scopes: everything})
	for age, status := range map[time.Duration]int{time.Hour: 200, 3 * time.Hour: 403} {
		opened, err := identity.NewSignIn(&aged{g.store, age}, g.auth, peppers, 2*time.Hour).Open(t.Context(), valid)
		if err != nil {
			t.Fatal(err)
		}
		if r := g.browse(t, http.MethodGet, "/console/api/me", "", "Cookie", cookieName+"="+opened.Secret); r.status != status {
			t.Errorf("a session of 2 h after %s: %d %s, want %d", age, r.status, r.body, status)
		}
	}
	_, brief := g.newKey(t, identity.NewKey{Scopes: everything, Expires: time.Now().Add(time.Hour)})
	r := g.browse(t, http.MethodPost, sessionPath, fmt.Sprintf(`{"api_key":%q}`, brief))
	if set, err := http.ParseSetCookie(r.header.Get("Set-Cookie")); err != nil || set.MaxAge > 3600 || set.MaxAge < 1 {
		t.Errorf("the cookie of a key that expires in an hour is %+v, %v", set, err)
	}
}

// TestSignOutIsAnnounced checks that the other gateways learn of a sign-out.
func TestSignOutIsAnnounced(t *testing.T) {
	g := serve(t)
	changed := make(chan string, 1)
	other := bustest.Connect(t, g.nats, "gateway")
	if err := other.Subscribe(gatewayapi.KeyChanged, func(id []byte) { changed <- string(id) }); err != nil {
		t.Fatal(err)
	}
	keys, err := g.store.ListKeys(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	g.browse(t, http.MethodDelete, sessionPath, "", "Cookie", g.signIn(t, g.key)).is(t, 204, "", false)
	select {
	case id := <-changed:
		if id != keys[0].ID {
			t.Errorf("the changed key is %q, want %q", id, keys[0].ID)
		}
	case <-time.After(patience.Limit()):
		t.Error("the sign-out was not announced")
	}
}

// TestSessionsAndKeysAreApart checks that /v2 takes no session and /console/api takes no
// key, and that each session sees only its own organization, within the scopes of its key.
func TestSessionsAndKeysAreApart(t *testing.T) {
	g, _ := serveAll(t)
	_, other := g.newKey(t, identity.NewKey{Organization: "Other", Scopes: []contract.Scope{contract.ScopeDocumentsRead}})
	cookie, otherCookie := g.signIn(t, g.key), g.signIn(t, other)
	g.browse(t, http.MethodGet, "/v2/me", "", "Cookie", cookie).is(t, 401, `"code":2001`, false)
	g.browse(t, http.MethodGet, "/console/api/me", "", "X-Api-Key", g.key).is(t, 401, "You are not signed in", false)
	g.browse(t, http.MethodGet, "/console/api/me", "", "X-Api-Key", g.key, "Cookie", "x="+cookie).is(t, 401, `"code":2001`, false)
	g.browse(t, http.MethodGet, "/v2/me", "", "X-Api-Key", g.key, "Cookie", otherCookie, "X-Recto-Console", "api").is(t, 200, identity.DefaultOrganization, false)
	g.browse(t, http.MethodGet, "/console/api/me", "", "X-Api-Key", g.key, "Cookie", otherCookie).is(t, 200, `"Other"`, false)
	g.browse(t, http.MethodGet, "/console/api/me/", "", "Cookie", cookie).is(t, 200, identity.DefaultOrganization, false)
	const document = `{"name":"x","files":[{"name":"a.docx","type":"a/b"}]}`
	g.browse(t, http.MethodPost, "/console/api/documents", document, "Cookie", otherCookie).is(t, 403, "lacks the scope documents:write", false)
	g.browse(t, http.MethodPost, "/console/api/documents", document, "Cookie", cookie).is(t, 200, `"upload_url"`, false)
	g.browse(t, http.MethodGet, "/console/api/nothing", "", "Cookie", cookie).is(t, 404, `"code":1001`, false)
	g.browse(t, http.MethodGet, "/console/api", "").is(t, 401, `"code":2001`, false)
	g.browse(t, http.MethodGet, "/console/api/openapi.json", "").is(t, 200, `"openapi"`, false)
	job := g.browse(t, http.MethodPost, "/console/api/documents/doc_1/convert", "", "Cookie", cookie, "Prefer", "respond-async").is(t, 202, "job_", false)
	if got := job.header.Get("Location"); !strings.HasPrefix(got, "/console/api/jobs/job_") {
		t.Errorf("the location is %s", got)
	}
	if r := g.browse(t, http.MethodHead, "/console/api/me", "", "Cookie", cookie); r.status != 200 || r.body != "" || r.header.Get("Content-Length") == "0" {
		t.Errorf("HEAD: %d %q %v", r.status, r.body, r.header)
	}
	metrics, err := g.telemetry.Metrics.Gather()
	if text := fmt.Sprint(metrics); err != nil || !strings.Contains(text, `"/console/api/documents/:document_id/convert"`) || strings.Contains(text, "doc_1") {
		t.Errorf("the metrics lack the route, or contain an id: %v", err)
	}
}

// TestSessionHasTheRateOfItsKey uses up the rate of a key: with the key, by signing in, and
// with the session.
func TestSessionHasTheRateOfItsKey(t *testing.T) {
	g := serve(t)
	_, secret := g.newKey(t, identity.NewKey{Scopes: everything, Rate: 3})
	g.get(t, "/v2/me", "x-api-key", secret)
	link := g.linkFor(t, secret)
	cookie := g.signIn(t, secret)
	g.browse(t, http.MethodGet, "/console/api/me", "", "Cookie", cookie).is(t, 200, "", false)
	g.browse(t, http.MethodGet, "/console/api/me", "", "Cookie", cookie).is(t, 429, `"code":2003`, false)
	g.browse(t, http.MethodPost, sessionPath, fmt.Sprintf(`{"api_key":%q}`, secret)).is(t, 429, `"code":2003`, false)
	cookieOf(t, g.browse(t, http.MethodPost, sessionPath, link)) // a link is not lost
}

// TestForeignPages sends requests as pages of other sites do. They change nothing, and get
// no CORS headers, even if the page may use /v2.
func TestForeignPages(t *testing.T) {
	g := serve(t, "GATEWAY_CORS_ORIGINS=*")
	cookie := g.signIn(t, g.key)
	host := strings.TrimPrefix(g.url, "http://")
	signIn := fmt.Sprintf(`{"api_key":%q}`, g.key)
	for _, tc := range []struct {
		method, path, body string
		header             []string
		status             int
	}{
		{"POST", sessionPath, signIn, []string{"Origin", ""}, 403},
		{"POST", sessionPath, signIn, []string{"Origin", page}, 403},
		{"POST", sessionPath, signIn, []string{"Sec-Fetch-Site", "same-site"}, 403},
		{"POST", sessionPath, signIn, []string{"Origin", "https://" + host, "Sec-Fetch-Site", "same-origin"}, 200},
		{"DELETE", sessionPath, "", []string{"Origin", page}, 403},
		{"POST", "/console/api/insights", "{}", []string{"Origin", page}, 403},
		{"POST", "/console/api/insights", "{}", []string{"Origin", ""}, 403},
		{"OPTIONS", "/console/api/me", "", []string{"Origin", page, "Access-Control-Request-Method", "GET"}, 403},
		{"OPTIONS", sessionPath, "", []string{"Origin", page, "Access-Control-Request-Method", "POST"}, 403},
		{"GET", "/console/api/me", "", []string{"Sec-Fetch-Site", "cross-site"}, 403},
		{"GET", "/console/api/me", "", []string{"Origin", page}, 200},
		{"GET", "/console/api/me", "", []string{"Origin", "", "Sec-Fetch-Site", "same-origin"}, 200},
		{"GET", "/console", "", []string{"Origin", page, "Sec-Fetch-Site", "cross-site"}, 200},
		{"DELETE", "/console/api/me", "", nil, 405},
	} {
		r := g.browse(t, tc.method, tc.path, tc.body, append([]string{"Cookie", cookie}, tc.header...)...)
		if r.status != tc.status || r.status == 403 && !strings.Contains(r.body, `"code":2004`) || len(corsHeaders(r.header)) != 0 {
			t.Errorf("%s %s %v: %d %s %v, want %d", tc.method, tc.path, tc.header, r.status, r.body, r.header, tc.status)
		}
	}
}

// TestConsoleRefusesEarly announces bodies that the gateway refuses without reading them.
func TestConsoleRefusesEarly(t *testing.T) {
	g := serve(t)
	cookie := g.signIn(t, g.key)
	for name, tc := range map[string]struct {
		path, header string
		length, want int
	}{
		"a sign-in":             {sessionPath, "", 5000, 413},
		"no session":            {"/console/api/documents", "", 100, 401},
		"an ended session":      {"/console/api/documents", "Cookie: " + cookieName + "=x\r\n", 100, 403},
		"a huge body":           {"/console/api/documents", "Cookie: " + cookie + "\r\n", 1 << 30, 413},
		"a huge form elsewhere": {"/console/api/insights", "Content-Type: multipart/form-data; boundary=x\r\nCookie: " + cookie + "\r\n", 1 << 30, 413},
		"another origin":        {"/console/api/documents", "Origin: " + page + "\r\nCookie: " + cookie + "\r\n", 100, 403},
	} {
		for _, expect := range []string{"", "Expect: 100-continue\r\n"} {
			conn, err := net.Dial("tcp", strings.TrimPrefix(g.url, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			header := tc.header + expect
			if !strings.Contains(header, "Origin") {
				header += "Origin: " + ownOrigin + "\r\n"
			}
			fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nX-Forwarded-Proto: https\r\nContent-Length: %d\r\n%s\r\n", tc.path, tc.length, header)
			_ = conn.SetReadDeadline(time.Now().Add(patience.Limit()))
			response, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil || response.StatusCode != tc.want || !response.Close {
				t.Errorf("%s, %q: %+v, %v; want %d", name, expect, response, err, tc.want)
			}
			_ = conn.Close()
		}
	}
}

// TestConsoleStream reads a stream of insights with a session.
func TestConsoleStream(t *testing.T) {
	g, s := serveInsights(t)
	g.events.append(allEvents()...)
	s.set(func(s *insightService) { s.state = jobapi.Succeeded })
	r := g.browse(t, http.MethodPost, "/console"+strings.Replace(insightsPath, "/v2", "/api", 1), want(`"doc_text":"t","stream":true`), "Cookie", g.signIn(t, g.key))
	if r.status != 200 || r.header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("got %d %s %v", r.status, r.body, r.header)
	}
	var got []received
	sse(t, strings.NewReader(r.body), func(e received) bool { got = append(got, e); return true })
	complete(t, got, 0)
}

// TestConsolePage reads the page at every path that shows it.
func TestConsolePage(t *testing.T) {
	g := serve(t)
	for _, path := range []string{"/console", "/console/", "/console/documents/doc_1", "/console/apis", "/console/sessions", "/console?x=1"} {
		r := g.browse(t, http.MethodGet, path, "", "Origin", "")
		if r.status != 200 || r.header.Get("Content-Type") != "text/html; charset=utf-8" || !strings.Contains(r.body, "<title>") {
			t.Errorf("%s: %d %s %v", path, r.status, r.body, r.header)
		}
		for name, want := range map[string]string{
			"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
			"Referrer-Policy":         "no-referrer", "X-Frame-Options": "DENY", "Cross-Origin-Opener-Policy": "same-origin", "Cache-Control": "no-cache", "X-Content-Type-Options": "nosniff",
		} {
			if got := r.header.Get(name); got != want {
				t.Errorf("%s: %s is %q", path, name, got)
			}
		}
		for _, tag := range []string{r.header.Get("ETag"), "*"} {
			if again := g.browse(t, http.MethodGet, path, "", "If-None-Match", tag); again.status != 304 || again.body != "" || again.header.Get("ETag") != r.header.Get("ETag") {
				t.Errorf("%s again: %d %s %v", path, again.status, again.body, again.header)
			}
		}
		if head := g.browse(t, http.MethodHead, path, ""); head.status != 200 || head.body != "" || head.header.Get("ETag") != r.header.Get("ETag") {
			t.Errorf("HEAD %s: %d %v", path, head.status, head.header)
		}
	}
	for _, path := range []string{"/console/assets", "/console/assets/nothing.js", "/console/assets/index.html", "/console/assets/../console.go", "/console/session/x"} {
		g.browse(t, http.MethodGet, path, "").is(t, 404, `"code":1001`, false)
	}
	r := g.browse(t, http.MethodGet, "/", "", "Accept", "text/html,application/xhtml+xml,*/*;q=0.8")
	if r.status != 302 || r.header.Get("Location") != "/console" || r.header.Get("Vary") != "Accept" {
		t.Errorf("/ for a browser: %d %v", r.status, r.header)
	}
	g.browse(t, http.MethodGet, "/", "").is(t, 200, `"openapi":"https://recto.example/openapi.json"`, false)
}

// TestConsoleAssets reads a script as the page refers to it, and at its own path. Browsers may
// keep the first one.
func TestConsoleAssets(t *testing.T) {
	g := serve(t)
	page := g.browse(t, http.MethodGet, "/console", "")
	_, rest, _ := strings.Cut(page.body, `<script type="module" src="`)
	path, _, _ := strings.Cut(rest, `"`)
	for path, cache := range map[string]string{path: "public, max-age=31536000, immutable", "/console/assets/js/main.js": "no-cache"} {
		r := g.browse(t, http.MethodGet, path, "")
		if r.status != 200 || r.header.Get("Content-Type") != "text/javascript; charset=utf-8" || r.header.Get("Cache-Control") != cache || !strings.Contains(r.body, "import ") {
			t.Errorf("%s: %d %v %.100s", path, r.status, r.header, r.body)
		}
		if again := g.browse(t, http.MethodGet, path, "", "If-None-Match", r.header.Get("ETag")); again.status != 304 {
			t.Errorf("%s again: %d %v", path, again.status, again.header)
		}
		if small := g.browse(t, http.MethodGet, path, "", "Accept-Encoding", "gzip"); small.header.Get("Content-Encoding") != "gzip" || len(small.body) >= len(r.body) {
			t.Errorf("%s is not compressed: %v", path, small.header)
		}
	}
}

// TestConsoleWithoutStore signs in and out while the key store is unavailable.
func TestConsoleWithoutStore(t *testing.T) {
	g := serve(t)
	cookie, link := g.signIn(t, g.key), g.linkFor(t, g.key)
	unknown := cookie[:len(cookie)-49] + identity.NewSecret(true)[8:]
	if err := g.store.Close(); err != nil {
		t.Fatal(err)
	}
	for _, tc := range [][3]string{
		{http.MethodPost, sessionPath, fmt.Sprintf(`{"api_key":%q}`, g.key)}, {http.MethodPost, sessionPath, link},
		{http.MethodDelete, sessionPath, ""}, {http.MethodGet, "/console/api/me", ""},
	} {
		g.browse(t, tc[0], tc[1], tc[2], "Cookie", cookie).is(t, 503, `"code":5003`, false)
	}
	g.browse(t, http.MethodGet, "/console/api/me", "", "Cookie", unknown).is(t, 403, `"code":2002`, false) // its checksum is wrong
}
