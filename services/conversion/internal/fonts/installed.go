package fonts

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rectohq/recto/libs/contract/conversionapi"
)

// SystemConfig is the configuration of fontconfig that LibreOffice uses.
const SystemConfig = "/etc/fonts/fonts.conf"

// lastResort is the family for fonts that no rule knows, if it is installed.
const lastResort = "DejaVu Sans"

// symbolFamily is the family that LibreOffice shows the symbols of symbolFonts with, by a
// table of its own and not by fontconfig. It shows letters in them like those of other fonts.
const symbolFamily = "OpenSymbol"

var symbolFonts = map[string]bool{"symbol": true, "wingdings": true, "wingdings2": true, "wingdings3": true, "webdings": true}

// Bounds of the folders of fonts. Files beyond them are not found.
const (
	maxEntries = 20_000
	maxNesting = 12
)

// Installed knows the installed fonts, and what stands in for others. It may be used
// concurrently.
type Installed struct {
	rules []rule
	// families maps the keys of families to their names.
	families map[string]string
	// embedded maps the key of a family to what Embedded returns for its fonts.
	embedded map[string]map[string]bool
}

// Load reads a configuration file of fontconfig, such as SystemConfig, those that it
// includes, and the names of the fonts in the folders that they list. Rules that depend on
// languages, sizes or styles are left out. Files of fonts that cannot be read are not found.
// The error says which configuration file cannot be read, or that there are no fonts.
func Load(configFile string) (*Installed, error) {
	var c config
	if err := c.read(configFile, 0); err != nil {
		return nil, fmt.Errorf("read the configuration of fontconfig: %w", err)
	}
	i := &Installed{rules: c.rules, families: map[string]string{}, embedded: map[string]map[string]bool{}}
	entries := 0
	for _, dir := range c.dirs {
		i.addFolder(dir, 0, &entries)
	}
	if len(i.families) == 0 {
		return nil, fmt.Errorf("no fonts in %s", strings.Join(c.dirs, ", "))
	}
	return i, nil
}

// addFolder adds the fonts of a folder and of those in it. It follows links, as fontconfig
// does.
func (i *Installed) addFolder(dir string, nesting int, entries *int) {
	list, err := os.ReadDir(dir)
	if err != nil || nesting > maxNesting {
		return
	}
	for _, entry := range list {
		if *entries++; *entries > maxEntries {
			return
		}
		path := filepath.Join(dir, entry.Name())
		mode := entry.Type()
		if mode&fs.ModeSymlink != 0 {
			info, err := os.Stat(path)
			if err != nil {
				continue
			}
			mode = info.Mode().Type()
		}
		switch {
		case mode.IsDir():
			i.addFolder(path, nesting+1, entries)
		case mode.IsRegular() && isFontFile(path):
			i.addFile(path)
		}
	}
}

func (i *Installed) addFile(path string) {
	f, err := os.Open(path)
	if err != nil {
		return
	}
	defer f.Close()
	for _, face := range readFaces(f) {
		for _, family := range face.families {
			k := key(family)
			if i.families[k] == "" {
				i.families[k] = family
				i.embedded[k] = map[string]bool{key(family): true}
			}
			if face.postScript != "" {
				i.embedded[k][key(withoutStyle(face.postScript))] = true
				// LibreOffice removes the hyphens from the names of fonts that it embeds as Type 1.
				i.embedded[k][key(strings.ReplaceAll(face.postScript, "-", ""))] = true
			}
		}
	}
}

// Replacement returns the family that text in the font has: the font itself if it is
// installed, or what fontconfig chooses for upright text in English. It returns "" if nothing
// that is installed may stand in, and for fonts of mathematics, whose replacement depends on
// the characters that fonts have.
func (i *Installed) Replacement(font string) string {
	if family := i.families[key(font)]; family != "" {
		return family
	}
	weak := ""
	for _, c := range substitute(i.rules, font) {
		family := i.families[c.key]
		if c.strong && family != "" {
			return family
		}
		if c.key == "math" {
			return ""
		}
		weak = cmp.Or(weak, family)
	}
	return cmp.Or(weak, i.families[key(lastResort)])
}

// Replaced returns those of the named fonts that are not installed, with the families that
// stand in for them, in the order of named. It leaves out fonts whose replacement is not
// among the embedded ones, as Embedded returns them: no text of the document has the font.
func (i *Installed) Replaced(named, embedded []string) []conversionapi.ReplacedFont {
	inFile := map[string]bool{}
	for _, name := range embedded {
		inFile[key(name)] = true
	}
	var all []conversionapi.ReplacedFont
	for _, font := range named {
		if i.families[key(font)] != "" {
			continue
		}
		family := i.Replacement(font)
		if symbolFonts[key(font)] && i.isEmbedded(symbolFamily, inFile) {
			family = symbolFamily
		}
		if family != "" && i.isEmbedded(family, inFile) {
			all = append(all, conversionapi.ReplacedFont{Font: font, Replacement: family})
		}
	}
	return all
}

func (i *Installed) isEmbedded(family string, inFile map[string]bool) bool {
	for name := range i.embedded[key(family)] {
		if inFile[name] {
			return true
		}
	}
	return false
}

func isFontFile(path string) bool {
	return slices.Contains([]string{".ttf", ".ttc", ".otf", ".otc"}, strings.ToLower(filepath.Ext(path)))
}
