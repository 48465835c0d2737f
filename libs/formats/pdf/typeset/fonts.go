package typeset

import (
	"sync"

	"github.com/go-text/typesetting/language"
)

// Fonts are the fonts of the system, which are read when they are first needed. It is safe
// for concurrent use.
type Fonts struct {
	dirs    []string
	scanned sync.Once
	catalog *catalog

	mutex sync.Mutex
	fonts map[string]*Font // by base name
	lists map[choice][]*Font
	rest  []*Font
}

// choice is what the order of fonts depends on.
type choice struct {
	script language.Script
	style  Style
}

// NewFonts returns the fonts in the folders, such as /usr/share/fonts.
func NewFonts(dirs ...string) *Fonts {
	return &Fonts{dirs: dirs, fonts: map[string]*Font{}, lists: map[choice][]*Font{}}
}

// Prepare searches the folders, and reads the font of plain Latin text ahead of its
// first use.
func (f *Fonts) Prepare() {
	_, _ = f.Set("a", Options{Size: 1}) // without a font, there is nothing to read
}

// find searches the folders once.
func (f *Fonts) find() *catalog {
	f.scanned.Do(func() { f.catalog = scan(f.dirs) })
	return f.catalog
}

// known returns the installed fonts of known families, best first.
func (f *Fonts) known(c choice) []*Font {
	catalog := f.find()
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if list, ok := f.lists[c]; ok {
		return list
	}
	list := f.named(catalog, preferred(c.script, c.style))
	f.lists[c] = list
	return list
}

// others returns the installed fonts of unknown families.
func (f *Fonts) others() []*Font {
	catalog := f.find()
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if f.rest == nil {
		f.rest = f.named(catalog, catalog.others())
	}
	return f.rest
}

// named returns the fonts with these base names. The caller holds the mutex.
func (f *Fonts) named(c *catalog, names []string) []*Font {
	list := []*Font{}
	for _, name := range names {
		path, ok := c.paths[name]
		if !ok {
			continue
		}
		if f.fonts[name] == nil {
			f.fonts[name] = &Font{path: path}
		}
		list = append(list, f.fonts[name])
	}
	return list
}

// pick returns the best font that has all visible characters of the text, or nil.
func (f *Fonts) pick(text []rune, c choice) *Font {
	for _, font := range f.known(c) {
		if font.covers(text) {
			return font
		}
	}
	for _, font := range f.others() {
		if font.covers(text) {
			return font
		}
	}
	return nil
}

// primary returns the font for text of the style, if there is any text at all, or nil. It
// gives empty lines their height.
func (f *Fonts) primary(s Style) *Font {
	return f.pick([]rune{' '}, choice{language.Latin, s})
}
