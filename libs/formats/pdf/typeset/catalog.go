package typeset

import (
	"cmp"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-text/typesetting/language"
)

// Bounds on the folders of fonts. Files beyond them are not found.
const (
	maxEntries = 20_000
	maxOthers  = 1_000
	maxNesting = 12
	maxFile    = 64 << 20
)

// family is a family of fonts by the base names of its files. Names that are "" stand for
// the regular style.
type family struct {
	regular, bold, italic, boldItalic string
	serif, mono                       bool
	// scripts are those that prefer the family. Without scripts, it is for all.
	scripts []language.Script
}

func latin(name, italic, regular string, serif, mono bool) family {
	return family{
		regular: name + regular + ".ttf", bold: name + "-Bold.ttf",
		italic: name + "-" + italic + ".ttf", boldItalic: name + "-Bold" + italic + ".ttf",
		serif: serif, mono: mono,
	}
}

func noto(name string, serif bool, scripts ...language.Script) family {
	return family{
		regular: name + "-Regular.ttf", bold: name + "-Bold.ttf",
		serif: serif, scripts: scripts,
	}
}

// families are the known families, in the order of preference.
func families() []family {
	return []family{
		latin("LiberationSans", "Italic", "-Regular", false, false),
		latin("LiberationSerif", "Italic", "-Regular", true, false),
		latin("LiberationMono", "Italic", "-Regular", false, true),
		latin("DejaVuSans", "Oblique", "", false, false),
		noto("NotoNaskhArabic", true, language.Arabic),
		noto("NotoSansArabic", false, language.Arabic),
		noto("NotoSansHebrew", false, language.Hebrew),
		noto("NotoSerifHebrew", true, language.Hebrew),
		noto("NotoSansDevanagari", false, language.Devanagari),
		noto("NotoSerifDevanagari", true, language.Devanagari),
		noto("NotoSansThai", false, language.Thai),
		noto("NotoSerifThai", true, language.Thai),
		{regular: "wqy-zenhei.ttc", scripts: []language.Script{
			language.Han, language.Hiragana, language.Katakana, language.Hangul, language.Bopomofo,
		}},
	}
}

// file returns the base name of the family's file in the style.
func (f *family) file(s Style) string {
	switch {
	case s.Bold && s.Italic:
		return cmp.Or(f.boldItalic, f.bold, f.regular)
	case s.Bold:
		return cmp.Or(f.bold, f.regular)
	case s.Italic:
		return cmp.Or(f.italic, f.regular)
	}
	return f.regular
}

// distance orders families: first those made for the script, then the general ones, then
// those made for other scripts. The style decides among equals.
func (f *family) distance(script language.Script, s Style) int {
	distance := 0
	switch {
	case slices.Contains(f.scripts, script):
	case len(f.scripts) == 0:
		distance = 10
	default:
		distance = 20
	}
	if f.mono != s.Mono {
		distance += 2
	}
	if f.serif != (s.Serif && !s.Mono) {
		distance++
	}
	return distance
}

// preferred returns the base names of the known fonts for a script, best first. Each family
// is also there in its regular style, because the styled file may be missing.
func preferred(script language.Script, s Style) []string {
	all := families()
	slices.SortStableFunc(all, func(a, b family) int {
		return a.distance(script, s) - b.distance(script, s)
	})
	var names []string
	for _, f := range all {
		for _, name := range []string{f.file(s), f.regular} {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// catalog is what the folders of fonts contain.
type catalog struct {
	// paths holds the path of each font file by its base name.
	paths map[string]string
}

func scan(dirs []string) *catalog {
	c := &catalog{paths: map[string]string{}}
	entries := 0
	for _, dir := range dirs {
		// Errors, such as a folder without permission, only mean that fonts are not found.
		_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if entries++; entries > maxEntries {
				return filepath.SkipAll
			}
			if d == nil {
				return err
			}
			if d.IsDir() && strings.Count(path, "/")-strings.Count(dir, "/") > maxNesting {
				return filepath.SkipDir
			}
			c.add(path, d)
			return nil
		})
	}
	return c
}

// add adds a file if it is named like a font. The first of several with a name wins.
func (c *catalog) add(path string, d fs.DirEntry) {
	name := d.Name()
	extension := strings.ToLower(filepath.Ext(name))
	if _, ok := c.paths[name]; ok || d.IsDir() || extension != ".ttf" && extension != ".ttc" {
		return
	}
	if d.Type()&fs.ModeSymlink != 0 {
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() {
			return
		}
	} else if !d.Type().IsRegular() {
		return
	}
	c.paths[name] = path
}

// others lists the fonts of unknown families in the order of their names, plain styles first.
func (c *catalog) others() []string {
	known := map[string]bool{}
	for _, f := range families() {
		for _, name := range []string{f.regular, f.bold, f.italic, f.boldItalic} {
			known[name] = true
		}
	}
	var plain, other []string
	for _, name := range slices.Sorted(maps.Keys(c.paths)) {
		switch {
		case known[name]:
		case styled(name):
			other = append(other, name)
		default:
			plain = append(plain, name)
		}
	}
	all := slices.Concat(plain, other)
	return all[:min(len(all), maxOthers)]
}

// styled reports whether the name of a file tells that its style is not the plain one.
func styled(name string) bool {
	lower := strings.ToLower(name)
	return slices.ContainsFunc([]string{
		"bold", "italic", "oblique", "light", "thin", "black", "condensed", "narrow", "mono",
	}, func(word string) bool { return strings.Contains(lower, word) })
}
