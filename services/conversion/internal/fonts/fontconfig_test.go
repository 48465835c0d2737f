package fonts_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/rectohq/recto/services/conversion/internal/fonts"
)

// usual are names of fonts in documents.
var usual = []string{
	"Calibri", "Calibri Light", "Cambria", "Cambria Math", "Arial", "Arial Narrow", "Arial Black", "Arial Unicode MS",
	"Times New Roman", "Times", "Courier New", "Courier", "Verdana", "Georgia", "Garamond", "Segoe UI", "Segoe UI Symbol",
	"Segoe UI Emoji", "Aptos", "Aptos Display", "Helvetica", "Helvetica Neue", "Consolas", "Tahoma", "Trebuchet MS",
	"Century Gothic", "Century Schoolbook", "Book Antiqua", "Bookman Old Style", "Palatino Linotype", "Lucida Console",
	"Lucida Sans Unicode", "Franklin Gothic Book", "Gill Sans MT", "Comic Sans MS", "Impact", "Candara", "Constantia", "Corbel",
	"Symbol", "Wingdings", "Webdings", "MS Gothic", "MS Mincho", "SimSun", "SimHei", "Microsoft YaHei", "Malgun Gothic", "Batang",
	"PMingLiU", "Roboto", "Open Sans", "Lato", "Montserrat", "Inter", "Noto Sans CJK JP", "Source Sans Pro", "Inconsolata",
	"Menlo", "Monaco", "Bitstream Vera Sans", "Luxi Serif", "Nimbus Sans", "Nimbus Roman No9 L", "TeX Gyre Heros", "TeX Gyre Termes",
	"Gelasio", "Caladea", "Carlito", "Arimo", "Tinos", "Cousine", "Albany AMT", "Liberation Sans", "liberationsans", "DejaVu Sans Condensed",
	"WenQuanYi Zen Hei Mono", "OpenSymbol", "Mangal", "Arabic Typesetting", "Sylfaen", "Nonexistent Family",
}

// different lists the names for which the answer differs from fontconfig's, and why.
var different = map[string]string{
	"Cambria Math": "the one of fontconfig depends on the characters that fonts have",
}

// TestReplacementAgreesWithFontconfig compares replacements with those of fc-match.
func TestReplacementAgreesWithFontconfig(t *testing.T) {
	program, err := exec.LookPath("fc-match")
	if err != nil {
		t.Fatalf("%v; run make install-packages", err)
	}
	installed := load(t)
	agreed := 0
	for _, name := range usual {
		command := exec.Command(program, "-f", "%{family}", strings.ReplaceAll(name, "-", `\-`))
		command.Env = append(command.Environ(), "LC_ALL=en_US.UTF-8")
		out, err := command.Output()
		if err != nil {
			t.Fatal(err)
		}
		got := installed.Replacement(name)
		reason, known := different[name]
		switch agrees := slices.Contains(strings.Split(string(out), ","), got); {
		case agrees:
			agreed++
		case known:
			t.Logf("%s: got %q, fontconfig chooses %s: %s", name, got, out, reason)
		default:
			t.Errorf("%s: got %q, want %q", name, got, out)
		}
	}
	t.Logf("%d of %d replacements agree with fontconfig", agreed, len(usual))
}

func load(t testing.TB) *fonts.Installed {
	t.Helper()
	installed, err := fonts.Load(fonts.SystemConfig)
	if err != nil {
		t.Fatalf("%v; run make install-packages", err)
	}
	return installed
}
