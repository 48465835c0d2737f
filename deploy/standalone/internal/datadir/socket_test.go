package datadir_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rectohq/recto/deploy/standalone/internal/datadir"
)

// TestSocket connects to a socket in a folder whose path is too long for a socket, replaces
// one that a killed program has left, and removes it.
func TestSocket(t *testing.T) {
	d, err := datadir.Open(filepath.Join(t.TempDir(), strings.Repeat("x", 200), "data"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Dial(t.Context()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("before Listen: %v", err)
	}
	for _, text := range []string{"first", "second"} {
		ln, err := d.Listen()
		if err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(filepath.Join(d.Path(), "control.sock")); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("the socket is %v, %v", info, err)
		}
		go func() {
			conn, err := ln.Accept()
			if err != nil {
				t.Error(err)
				return
			}
			_, _ = io.WriteString(conn, text)
			_ = conn.Close()
		}()
		conn, err := d.Dial(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(conn); err != nil || string(got) != text {
			t.Errorf("got %q, %v", got, err)
		}
		_ = conn.Close()
		_ = ln.Close()
		if _, err := d.Dial(t.Context()); err == nil {
			t.Error("a closed socket accepts a connection")
		}
	}
	if err := errors.Join(d.Unlisten(), d.Unlisten()); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(d.Path()); err != nil || len(left) != 0 {
		t.Errorf("%v is left, %v", left, err)
	}
}
