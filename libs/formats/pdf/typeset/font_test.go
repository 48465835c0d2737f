package typeset

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	liberation = "/usr/share/fonts/truetype/liberation/LiberationSans-Regular.ttf"
	hebrew     = "/usr/share/fonts/truetype/noto/NotoSansHebrew-Regular.ttf"
)

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// folder returns a folder with these font files.
func folder(t *testing.T, files map[string][]byte) string {
	t.Helper()
	dir := t.TempDir()
	for name, data := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestLazy checks that fonts are not read before their turn.
func TestLazy(t *testing.T) {
	fonts := NewFonts("/usr/share/fonts")
	for _, step := range []struct {
		text string
		want string
	}{
		{"Zoë", "LiberationSans-Regular.ttf"},
		{"Ж Ω", ""},
		{"ש", "NotoSansHebrew-Regular.ttf"},
		{"中", "wqy-zenhei.ttc"},
	} {
		before := fonts.read()
		if _, err := fonts.Set(step.text, Options{Size: 10}); err != nil {
			t.Fatal(err)
		}
		after := strings.TrimSpace(strings.TrimPrefix(fonts.read(), before))
		if after != step.want {
			t.Errorf("%s reads %q, want %q", step.text, after, step.want)
		}
	}
}

// read lists the fonts that have been read, in the order of the steps above.
func (f *Fonts) read() string {
	var all strings.Builder
	for _, name := range []string{
		"LiberationSans-Regular.ttf", "NotoSansHebrew-Regular.ttf", "wqy-zenhei.ttc",
		"DejaVuSans.ttf", "NotoSansArabic-Regular.ttf", "NotoSansThai-Regular.ttf",
	} {
		if font := f.fonts[name]; font != nil && font.metrics != nil {
			all.WriteString(name + " ")
		}
	}
	return all.String()
}

// change returns a font with a table changed.
func change(t *testing.T, font []byte, tag string, edit func([]byte)) []byte {
	t.Helper()
	font = bytes.Clone(font)
	at := bytes.Index(font, []byte(tag))
	if at < 0 || at > 1000 {
		t.Fatalf("no table %s", tag)
	}
	number := func(b []byte) int {
		return int(b[0])<<24 | int(b[1])<<16 | int(b[2])<<8 | int(b[3])
	}
	edit(font[number(font[at+8:]):][:number(font[at+12:])])
	return font
}

func TestUnusableFonts(t *testing.T) {
	font := read(t, hebrew)
	for name, data := range map[string][]byte{
		"empty":      nil,
		"text":       []byte(strings.Repeat("no font ", 99)),
		"cut off":    font[:len(font)/2],
		"CFF":        append([]byte("OTTO"), font[4:]...),
		"restricted": change(t, font, "OS/2", func(b []byte) { b[9] = 2 }),
		"outlines":   bytes.Replace(font, []byte("glyf"), []byte("glyx"), 1),
		"cmap":       change(t, font, "cmap", func(b []byte) { clear(b) }),
		"no cmap":    bytes.Replace(font, []byte("cmap"), []byte("cmax"), 1),
		"head":       change(t, font, "head", func(b []byte) { clear(b) }),
		"too large":  append(bytes.Clone(font), make([]byte, maxFile)...),
		"last resort": change(t, font, "cmap", func(b []byte) {
			copy(b, "\x00\x00\x00\x01\x00\x03\x00\x0a\x00\x00\x00\x0c"+ // one subtable
				"\x00\x0c\x00\x00\x00\x00\x00\x1c\x00\x00\x00\x00\x00\x00\x00\x01"+ // one group
				"\x00\x00\x00\x00\x00\x10\xff\xff\x00\x00\x00\x01")
		}),
	} {
		fonts := NewFonts(folder(t, map[string][]byte{"NotoSansHebrew-Regular.ttf": data}))
		var missing *MissingError
		if _, err := fonts.Set("ש", Options{Size: 10}); !errors.As(err, &missing) {
			t.Errorf("%s: got %v", name, err)
		}
		if got := fonts.Missing("ש"); len(got) != 1 {
			t.Errorf("%s: %q is missing", name, got)
		}
	}
}

func TestTooLarge(t *testing.T) {
	dir := folder(t, map[string][]byte{"LiberationSans-Regular.ttf": read(t, liberation)})
	fonts := NewFonts(dir)
	if err := os.Truncate(filepath.Join(dir, "LiberationSans-Regular.ttf"), maxFile+1); err != nil {
		t.Fatal(err)
	}
	if got := fonts.Missing("a"); len(got) != 1 {
		t.Error("a font file beyond the bound is read")
	}
}

// TestFallBack puts a damaged font before a good one, which is used instead.
func TestFallBack(t *testing.T) {
	dir := folder(t, map[string][]byte{
		"a/NotoSansHebrew-Regular.ttf": []byte("damaged"), "b/Other.TTF": read(t, hebrew),
		"b/ignored.txt": read(t, hebrew), "c/Other.TTF": nil,
	})
	if err := os.Symlink(liberation, filepath.Join(dir, "LiberationSans-Regular.ttf")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/nonexistent", filepath.Join(dir, "DejaVuSans.ttf")); err != nil {
		t.Fatal(err)
	}
	b, err := NewFonts(dir).Set("aש", Options{Size: 10})
	if err != nil {
		t.Fatal(err)
	}
	runs := b.Lines[0].Runs
	if len(runs) != 2 || runs[0].Font.path != filepath.Join(dir, "LiberationSans-Regular.ttf") ||
		runs[1].Font.path != filepath.Join(dir, "b/Other.TTF") {
		t.Errorf("got %+v", runs)
	}
}

// TestDamagedLayout changes the layout tables of a font at random places. The text is set or
// refused, and nothing else happens.
func TestDamagedLayout(t *testing.T) {
	font := read(t, hebrew)
	for _, tag := range []string{"GSUB", "GPOS", "GDEF", "hmtx", "OS/2", "maxp", "loca", "glyf", "cmap"} {
		for step := range 24 {
			data := change(t, font, tag, func(b []byte) {
				for i := step; i < len(b); i += 7 + 5*step {
					b[i] ^= byte(0x55 + step)
				}
			})
			fonts := NewFonts(folder(t, map[string][]byte{"NotoSansHebrew-Regular.ttf": data}))
			b, err := fonts.Set("בְּרֵאשִׁית", Options{Size: 10})
			if err != nil {
				continue
			}
			var w Writer
			w.Show(b.Lines[0], 0, 0)
			embedded, err := w.Fonts()
			if err == nil && len(embedded[0].Program) == 0 {
				t.Errorf("%s %d: neither font nor error", tag, step)
			}
		}
	}
}

func TestGone(t *testing.T) {
	dir := folder(t, map[string][]byte{"LiberationSans-Regular.ttf": read(t, liberation)})
	fonts := NewFonts(dir)
	b, err := fonts.Set("a", Options{Size: 10})
	if err != nil {
		t.Fatal(err)
	}
	var w Writer
	w.Show(b.Lines[0], 0, 0)
	other := NewFonts(dir)
	if other.Missing("a") != nil {
		t.Error("a is missing")
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Fonts(); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Fonts says %v", err)
	}
	if _, err := other.Set("a", Options{Size: 10}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Set says %v", err)
	}
}

// TestBounds hides fonts behind too many folders.
func TestBounds(t *testing.T) {
	deep := strings.Repeat("d/", maxNesting+2) + "LiberationSans-Regular.ttf"
	fonts := NewFonts(folder(t, map[string][]byte{deep: read(t, liberation)}))
	if got := fonts.Missing("a"); len(got) != 1 {
		t.Error("the font is found in a deep folder")
	}
}

// TestClusters takes apart what no font has in full, but keeps marks with their letters.
func TestClusters(t *testing.T) {
	fonts := NewFonts("/usr/share/fonts")
	const kaithiNumberSign = "\U000110BD"
	b, err := fonts.Set(kaithiNumberSign+"é", Options{Size: 10})
	if err != nil {
		t.Fatal(err)
	}
	if runs := b.Lines[0].Runs; len(runs) != 2 || runs[0].Font == runs[1].Font {
		t.Errorf("got %+v", runs)
	}
	const vowel = 0x0D3E // Malayalam
	if got := fonts.Missing("Ω" + string(rune(vowel))); len(got) != 1 || got[0] != vowel {
		t.Errorf("%q is missing", got)
	}
	if _, err := fonts.Set("Ω"+string(rune(vowel)), Options{Size: 10}); err == nil {
		t.Error("the mark was taken from another font")
	}
}

func TestInvisible(t *testing.T) {
	for r, want := range map[rune]bool{
		'a': false, ' ': false, 0xAD: true, 0x200B: true, 0x200D: true, 0x2067: true,
		0xFE0F: true, 0x115F: true, 0xE0041: true, 0x0600: false, 0x110BD: false, 0xFFFA: false,
	} {
		if got := invisible(r); got != want {
			t.Errorf("%U: got %t", r, got)
		}
	}
}

func TestGuard(t *testing.T) {
	err := guard("font x", func() error { panic("index out of range") })
	if err == nil || err.Error() != "font x: panic: index out of range" {
		t.Errorf("got %v", err)
	}
}

func TestReorder(t *testing.T) {
	for levels, want := range map[string]string{
		"": "", "000": "abc", "111": "cba", "011": "acb", "1221": "dbca", "01210": "adcbe",
		"2112": "dcba",
	} {
		parts := []int{0, 1, 2, 3, 4}[:len(levels)]
		reorder(parts, func(i int) uint8 { return levels[i] - '0' })
		var got strings.Builder
		for _, i := range parts {
			got.WriteByte("abcde"[i])
		}
		if got.String() != want {
			t.Errorf("%s: got %s, want %s", levels, got.String(), want)
		}
	}
}
