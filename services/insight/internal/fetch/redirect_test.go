package fetch_test

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/problem"
)

func TestRedirects(t *testing.T) {
	w := serve(t, standard(), local(), func(out http.ResponseWriter, req *http.Request) {
		left, _ := strconv.Atoi(strings.TrimPrefix(req.URL.Path, "/"))
		if left > 0 {
			out.Header().Set("Location", fmt.Sprintf("/%d", left-1))
			out.WriteHeader([]int{301, 302, 303, 307, 308}[left%5])
			return
		}
		fmt.Fprint(out, "a document")
	})
	for n := range 7 {
		f, err := w.Get(t.Context(), w.at(fmt.Sprintf("/%d", n)), io.Discard)
		if n <= 3 {
			if err != nil || f.Size != 10 {
				t.Errorf("%d redirects: got %+v, %v", n, f, err)
			}
			continue
		}
		w.reached = nil
		_, err = w.Get(t.Context(), w.at(fmt.Sprintf("/%d", n)), io.Discard)
		refused(t, w.at("/"), err, problem.CodeURLUnreachable)
		if len(w.reached) != 4 {
			t.Errorf("%d redirects: there were %d connections, want 4", n, len(w.reached))
		}
	}
}

// TestRedirectAway shows that redirects to forbidden addresses are refused.
func TestRedirectAway(t *testing.T) {
	locations := map[string]problem.EntryCode{
		"http://8.8.8.8/":           problem.CodeURLForbidden,
		"file:///etc/passwd":        problem.CodeURLForbidden,
		"https://8.8.8.8:22/":       problem.CodeURLForbidden,
		"//0x7f.1/":                 problem.CodeURLForbidden,
		"https://user:pass@8.8.8.8": problem.CodeURLUnreachable,
		"https://":                  problem.CodeURLUnreachable,
		"https://%zz/":              problem.CodeURLUnreachable,
		"":                          problem.CodeURLUnreachable,
	}
	for _, addresses := range special {
		for _, address := range addresses {
			if address != "127.0.0.1" {
				locations["https://"+literal(address)+"/"] = problem.CodeURLForbidden
			}
		}
	}
	for location, code := range locations {
		w := serve(t, standard(), local(), func(out http.ResponseWriter, _ *http.Request) {
			out.Header().Set("Location", location)
			out.WriteHeader(http.StatusFound)
		})
		_, err := w.Get(t.Context(), w.at("/"), io.Discard)
		e := refused(t, location, err, code)
		if want := `"` + w.at("/") + `"`; string(e.Value) != want || !strings.Contains(e.Message, "redirects") {
			t.Errorf("%s: the entry is %+v, want the value %s", location, e, want)
		}
		if len(w.reached) != 1 {
			t.Errorf("%s: connections to %v were about to be made", location, w.reached)
		}
	}
}

// TestDowngrade shows that a redirect from https to http is refused even if both are
// allowed.
func TestDowngrade(t *testing.T) {
	cfg := standard()
	cfg.HTTP = true
	plain := serve(t, cfg, local(), func(out http.ResponseWriter, _ *http.Request) { fmt.Fprint(out, "a document") })
	if _, err := plain.Get(t.Context(), plain.at("/"), io.Discard); err != nil {
		t.Fatal(err)
	}
	w := serve(t, standard(), local(), func(out http.ResponseWriter, req *http.Request) {
		http.Redirect(out, req, plain.at("/"), http.StatusFound)
	})
	cfg.CAFile = w.caFile
	both := client(t, cfg, local(), func(string) error { return nil })
	_, err := both.Get(t.Context(), w.at("/"), io.Discard)
	refused(t, w.at("/"), err, problem.CodeURLForbidden)
	if len(plain.requests) != 1 {
		t.Errorf("the http server got %d requests, want 1", len(plain.requests))
	}
}
