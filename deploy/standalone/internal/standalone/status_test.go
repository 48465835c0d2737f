package standalone

import (
	"crypto/tls"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/rectohq/recto/deploy/standalone/internal/authority"
	"github.com/rectohq/recto/deploy/standalone/internal/datadir"
)

// TestStatusOfParts checks recto status for a program whose parts are not all ready, and
// for one that does not present the certificate of the data folder.
func TestStatusOfParts(t *testing.T) {
	dir, files := dataFolder(t)
	answer, code := `{"status":"not ready","parts":{"gateway":"ready","conversion":"not ready"}}`, http.StatusServiceUnavailable
	server := serveStatus(t, files, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(code)
		_, _ = io.WriteString(w, answer)
	})
	running := datadir.Running{Version: "1.2.3", StartedAt: time.Now().Add(-time.Hour), Addr: server, APIURL: "https://a/v2", ConsoleURL: "https://a/console", DocsURL: "https://a/docs", ObjectsURL: "https://b"}
	if err := dir.Announce(running); err != nil {
		t.Fatal(err)
	}
	status, stdout, stderr := execute(t, "status", "--data", dir.Path())
	for _, want := range []string{"Recto is not ready.", "1.2.3", "for 1h0m", "https://a/v2", "https://a/console", "https://a/docs", "https://b", "  conversion    not ready\n", "  gateway       ready\n"} {
		if status != 1 || stderr != "recto: conversion: not ready\n" || !strings.Contains(stdout, want) {
			t.Errorf("the output lacks %q: %d, %q\n%s", want, status, stderr, stdout)
		}
	}
	answer, code = `{"status":"ready","parts":{"gateway":"ready"}}`, http.StatusOK
	if status, stdout, stderr := execute(t, "status", "--json", "--data", dir.Path()); status != 0 || stderr != "" || !strings.Contains(stdout, `"version": "1.2.3"`) {
		t.Errorf("when it is ready: %d, %q\n%s", status, stderr, stdout)
	}
	if status, stdout, stderr := execute(t, "health", "--data", dir.Path()); status != 0 || stdout != "ready\n" {
		t.Errorf("health, at the announced address: %d, %q\n%s", status, stderr, stdout)
	}
	_, others := dataFolder(t)
	impostor := serveStatus(t, others, func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, answer) })
	if status, stdout, stderr := execute(t, "status", "--data", dir.Path(), "--addr", impostor); status != 1 || stdout != "" || !strings.Contains(stderr, "no Recto runs on "+dir.Path()) {
		t.Errorf("another authority: %d, %q\n%s", status, stderr, stdout)
	}
	if err := dir.Withdraw(); err != nil {
		t.Fatal(err)
	}
	if status, stdout, stderr := execute(t, "open", "--data", dir.Path()); status != 1 || stdout != "" || !strings.Contains(stderr, "start one with recto up") {
		t.Errorf("open, after the program ended: %d, %q\n%s", status, stderr, stdout)
	}
}

// TestRunningFlags checks which addresses recto doctor checks.
func TestRunningFlags(t *testing.T) {
	dir, _ := dataFolder(t)
	flags := Flags{Data: dir.Path(), Addr: "127.0.0.1:1", ObjectsAddr: "127.0.0.1:2"}
	check := func(set string, want Flags) {
		t.Helper()
		if got, err := runningFlags(flags, func(flag string) bool { return flag == set }); err != nil || got != want {
			t.Errorf("with %q set: %+v, %v, want %+v", set, got, err, want)
		}
	}
	check("", flags)
	if err := dir.Announce(datadir.Running{Addr: "127.0.0.1:3", ObjectsAddr: "127.0.0.1:4"}); err != nil {
		t.Fatal(err)
	}
	check("", Flags{Data: flags.Data, Addr: "127.0.0.1:3", ObjectsAddr: "127.0.0.1:4"})
	check("addr", Flags{Data: flags.Data, Addr: "127.0.0.1:1", ObjectsAddr: "127.0.0.1:4"})
	check("objects-addr", Flags{Data: flags.Data, Addr: "127.0.0.1:3", ObjectsAddr: "127.0.0.1:2"})
	flags.Data = t.TempDir()
	check("", flags)
}

// dataFolder creates a data folder with a certificate.
func dataFolder(t *testing.T) (datadir.Dir, authority.Files) {
	t.Helper()
	dir, err := datadir.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := dir.Secrets(); err != nil {
		t.Fatal(err)
	}
	files, _, err := authority.Ensure(dir.TLS(), []string{"127.0.0.1"}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return dir, files
}

// serveStatus serves /readyz over TLS with the certificate, and returns the address.
func serveStatus(t *testing.T, files authority.Files, answer http.HandlerFunc) string {
	t.Helper()
	pair, err := tls.LoadX509KeyPair(files.Certificate, files.Key)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(answer)
	server.TLS = &tls.Config{Certificates: []tls.Certificate{pair}}
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // one client rejects the certificate
	server.StartTLS()
	t.Cleanup(server.Close)
	return server.Listener.Addr().(*net.TCPAddr).String()
}
