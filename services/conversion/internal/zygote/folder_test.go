package zygote

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/rectohq/recto/libs/sandbox"
)

// frozen returns a folder as a zygote has it before the first document.
func frozen(t *testing.T) *folder {
	t.Helper()
	f := &folder{dir: t.TempDir()}
	for _, name := range []string{"work", "tmp/a/b"} {
		if err := os.MkdirAll(f.path(name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(f.path("tmp", "a", "b", "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := f.freeze(); err != nil {
		t.Fatal(err)
	}
	if len(f.kept) != 2 || len(left(t, f)) != 0 {
		t.Fatalf("%v is kept, and %v left", f.kept, left(t, f))
	}
	return f
}

// TestInner shows that a copy can read the profile and cannot change it.
func TestInner(t *testing.T) {
	f := &folder{dir: "/zygote"}
	p := f.inner(sandbox.Policy{Write: []string{f.dir}, Sockets: []string{"/tmp"}})
	if !slices.Equal(p.Write, []string{"/zygote/work", "/zygote/tmp"}) || !slices.Contains(p.Read, "/zygote/profile") || p.Sockets != nil {
		t.Errorf("got %+v", p)
	}
}

// TestClear leaves all kinds of files in the folders that a copy can write to.
func TestClear(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(outside, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, leave := range map[string]func(f *folder) error{
		"a file":             func(f *folder) error { return os.WriteFile(f.path("work", "x"), nil, 0) },
		"a file in a kept":   func(f *folder) error { return os.WriteFile(f.path("tmp", "a", "b", "x"), nil, 0) },
		"a folder":           func(f *folder) error { return os.MkdirAll(f.path("tmp", "x", "y", "z"), 0o700) },
		"a folder in a kept": func(f *folder) error { return os.MkdirAll(f.path("tmp", "a", "x", "y"), 0o700) },
		"a link":             func(f *folder) error { return os.Symlink(outside, f.path("work", "x")) },
		"a link to a folder": func(f *folder) error { return os.Symlink(filepath.Dir(outside), f.path("tmp", "a", "x")) },
	} {
		t.Run(name, func(t *testing.T) {
			f := frozen(t)
			if err := leave(f); err != nil {
				t.Fatal(err)
			}
			if err := f.clear(); err != nil {
				t.Error(err)
			}
			if found := left(t, f); len(found) != 0 {
				t.Errorf("%q is left", found)
			}
			if _, err := os.Stat(outside); err != nil {
				t.Errorf("a file outside: %v", err)
			}
		})
	}
}

// TestClearFails shows that a zygote whose folders a copy has destroyed is not used again.
func TestClearFails(t *testing.T) {
	outside := t.TempDir()
	for name, destroy := range map[string]func(f *folder) error{
		"a kept folder is gone": func(f *folder) error { return os.RemoveAll(f.path("tmp", "a", "b")) },
		"a kept folder is a file": func(f *folder) error {
			if err := os.RemoveAll(f.path("tmp", "a")); err != nil {
				return err
			}
			return os.WriteFile(f.path("tmp", "a"), nil, 0o600)
		},
		"a kept folder is a link": func(f *folder) error {
			if err := os.RemoveAll(f.path("tmp", "a")); err != nil {
				return err
			}
			return os.Symlink(outside, f.path("tmp", "a"))
		},
	} {
		f := frozen(t)
		if err := destroy(f); err != nil {
			t.Fatal(err)
		}
		if f.clear() == nil {
			t.Errorf("%s: the folder counts as clear", name)
		}
	}
}
