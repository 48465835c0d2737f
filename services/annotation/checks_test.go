package annotation

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/runner"
)

func TestFontsCheck(t *testing.T) {
	installed := "/usr/share/fonts"
	if found, err := fontsCheck([]string{installed}).Run(t.Context()); err != nil || !strings.Contains(found, "Devanagari") {
		t.Errorf("with the fonts of install-packages: %q, %v", found, err)
	}
	for name, tt := range map[string]struct {
		dirs       []string
		names, fix []string
	}{
		"no fonts":       {[]string{t.TempDir()}, []string{"Latin", "Arabic", "Korean"}, []string{"fonts-liberation", "fonts-noto-core", "fonts-wqy-zenhei"}},
		"no such folder": {[]string{filepath.Join(t.TempDir(), "none")}, []string{"Latin"}, []string{"fonts-liberation"}},
	} {
		_, err := fontsCheck(tt.dirs).Run(t.Context())
		var advice *runner.Advice
		if !errors.As(err, &advice) || !advice.Optional {
			t.Errorf("%s: got %v", name, err)
			continue
		}
		for _, want := range tt.names {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v does not name %s", name, err, want)
			}
		}
		for _, want := range tt.fix {
			if strings.Count(advice.Fix, want) != 1 {
				t.Errorf("%s: the advice is %s", name, advice.Fix)
			}
		}
	}
}
