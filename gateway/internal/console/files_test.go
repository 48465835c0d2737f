package console_test

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rectohq/recto/gateway/internal/console"
)

// scripts calls check with each script of the console.
func scripts(t *testing.T, check func(name, text string)) {
	t.Helper()
	n := 0
	err := filepath.WalkDir("static/js", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(name)
		check(strings.TrimPrefix(filepath.ToSlash(name), "static/"), string(content))
		n++
		return err
	})
	if err != nil || n == 0 {
		t.Fatalf("%d scripts, %v", n, err)
	}
}

// TestFiles checks the page, and that only assets are served as assets.
func TestFiles(t *testing.T) {
	page := console.Page()
	if page.Type != "text/html; charset=utf-8" || !strings.Contains(string(page.Content), "<noscript>") || len(page.ETag) != 34 || page.Forever {
		t.Errorf("Page = %q %q %q", page.Type, page.ETag, page.Content)
	}
	for _, path := range []string{"", "index.html", "nothing.js", "../console.go", "static/index.html", ".", "/js/main.js", "js/../js/main.js", "0123456789abcdef/index.html", "0123/js/main.js"} {
		if f, err := console.Asset(path); !errors.Is(err, console.ErrNotFound) {
			t.Errorf("Asset(%q) = %q, %v; want ErrNotFound", path, f.Name, err)
		}
	}
}

// TestAssets serves every script at its own path and below the version of the page, where
// clients may keep it.
func TestAssets(t *testing.T) {
	preloaded := regexp.MustCompile(`<link rel="modulepreload" href="/console/assets/([0-9a-f]{16})/([^"]+)">`).FindAllStringSubmatch(string(console.Page().Content), -1)
	version := map[string]string{}
	for _, found := range preloaded {
		version[found[2]] = found[1]
	}
	scripts(t, func(name, text string) {
		if version[name] == "" {
			t.Errorf("the page does not preload %s", name)
		}
		for address, forever := range map[string]bool{name: false, version[name] + "/" + name: true, "0123456789abcdef/" + name: false} {
			f, err := console.Asset(address)
			if err != nil || string(f.Content) != text || f.Type != "text/javascript; charset=utf-8" || len(f.ETag) != 34 || f.Forever != forever {
				t.Errorf("Asset(%s) = %s, %s, %t, %v", address, f.Type, f.ETag, f.Forever, err)
			}
		}
	})
}

// TestReferences checks that everything that the page and the scripts refer to exists.
func TestReferences(t *testing.T) {
	absolute := regexp.MustCompile(`"/console/assets/([^"$]+)"`)
	exists := func(from, name string) {
		if _, err := console.Asset(name); err != nil {
			t.Errorf("%s refers to %s, which does not exist", from, name)
		}
	}
	for _, found := range absolute.FindAllStringSubmatch(string(console.Page().Content), -1) {
		exists("the page", found[1])
	}
	imports := regexp.MustCompile(`(?m)(?:^(?:import|export)\b.* from |^import |import\()"([^"]+)"`)
	scripts(t, func(name, text string) {
		for _, found := range imports.FindAllStringSubmatch(text, -1) {
			if !strings.HasPrefix(found[1], ".") {
				t.Errorf("%s imports %s, which is not relative", name, found[1])
			}
			exists(name, path.Join(path.Dir(name), found[1]))
		}
		for _, found := range absolute.FindAllStringSubmatch(text, -1) {
			exists(name, found[1])
		}
	})
}

// TestNoMarkup checks that no script can turn a text into markup or code.
func TestNoMarkup(t *testing.T) {
	forbidden := regexp.MustCompile(`(?i)innerHTML|outerHTML|insertAdjacentHTML|document\.write|srcdoc|DOMParser|createContextualFragment|setHTMLUnsafe|\beval\(|new Function|javascript:|setAttribute\("(?:style|on)`)
	scripts(t, func(name, text string) {
		for line := range strings.Lines(text) {
			if found := forbidden.FindString(line); found != "" {
				t.Errorf("%s contains %s: %s", name, found, strings.TrimSpace(line))
			}
		}
	})
}
