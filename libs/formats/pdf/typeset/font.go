package typeset

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"sync"
	"unicode"

	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/font/opentype"
	"github.com/go-text/typesetting/font/opentype/tables"
	"github.com/go-text/typesetting/harfbuzz"

	"github.com/rectohq/recto/libs/formats/pdf/typeset/internal/truetype"
)

// Font is one font at any size. It reads its file in steps: first the characters that it
// has, and the rest when it is used.
type Font struct {
	path string

	coverage sync.Once
	cmap     font.Cmap // nil if the font is unusable
	metrics  *truetype.Metrics

	// shaping guards the shaper, which keeps buffers between calls.
	shaping sync.Mutex
	loaded  bool
	shaper  *harfbuzz.Font
	buffer  *harfbuzz.Buffer
	// advances are those of the glyphs, in units of the font, and name is the PostScript
	// name.
	advances []uint16
	name     string
}

// guard calls a function and turns a panic into an error. The parser of fonts is not
// trusted with damaged files.
func guard(what string, f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%s: panic: %v", what, r)
		}
	}()
	return f()
}

// open calls a function with the opened file.
func (f *Font) open(use func(*truetype.File) error) error {
	return guard("font "+f.path, func() error {
		file, err := os.Open(f.path)
		if err != nil {
			return err
		}
		defer file.Close()
		info, err := file.Stat()
		if err != nil {
			return err
		}
		if info.Size() > maxFile {
			return errors.New("the font file is too large")
		}
		parsed, err := truetype.Open(file, info.Size())
		if err != nil {
			return err
		}
		return use(parsed)
	})
}

// characters returns the font's map from characters to glyphs, or nil if the font cannot be
// used.
func (f *Font) characters() font.Cmap {
	f.coverage.Do(func() {
		if err := f.open(f.readCoverage); err != nil {
			f.cmap = nil
		}
	})
	return f.cmap
}

func (f *Font) readCoverage(file *truetype.File) error {
	if !file.Has("glyf") || !file.Has("loca") {
		return errors.New("the font has no TrueType outlines")
	}
	m, err := file.Metrics()
	if err != nil {
		return err
	}
	if !m.Embeddable {
		return errors.New("the license of the font forbids embedding")
	}
	raw, err := file.Table("cmap")
	if err != nil {
		return err
	}
	table, _, err := tables.ParseCmap(raw)
	if err != nil {
		return err
	}
	cmap, _, err := font.ProcessCmap(table, tables.FPNone)
	if err != nil {
		return err
	}
	// Fonts of last resort show a box for everything, even for what is no character.
	const noncharacter = 0xFDD0
	if g, ok := cmap.Lookup(noncharacter); ok && g != 0 {
		return errors.New("the font is a font of last resort")
	}
	f.cmap, f.metrics = cmap, m
	return nil
}

// has reports whether the font has a glyph for a character. It has none for private
// characters, because each font gives them a meaning of its own.
func (f *Font) has(r rune) bool {
	cmap := f.characters()
	if cmap == nil || unicode.Is(unicode.Co, r) {
		return false
	}
	g, ok := cmap.Lookup(r)
	return ok && g != 0 && int(g) < f.metrics.Glyphs
}

// maxOutlines is the size of outlines in bytes that are read for shaping. They serve to
// place marks in fonts without anchors, but cost much time in CJK fonts.
const maxOutlines = 1 << 20

// load reads what shaping needs. The caller holds the mutex.
func (f *Font) load() error {
	if f.loaded {
		return nil
	}
	return f.open(func(file *truetype.File) error {
		tags := []string{
			"head", "hhea", "maxp", "cmap", "hmtx", "OS/2", "GDEF", "GSUB", "GPOS", "kern",
		}
		if file.Len("glyf") <= maxOutlines {
			tags = append(tags, "glyf", "loca")
		}
		data, err := file.Extract(tags...)
		if err != nil {
			return err
		}
		loader, err := opentype.NewLoader(bytes.NewReader(data))
		if err != nil {
			return err
		}
		f.name = file.PostScriptName()
		if f.advances, err = file.Advances(); err != nil {
			return err
		}
		parsed, err := font.NewFont(loader)
		if err != nil {
			return err
		}
		f.shaper = harfbuzz.NewFont(font.NewFace(parsed))
		f.buffer = harfbuzz.NewBuffer()
		f.loaded = true
		return nil
	})
}

// points converts a length in units of the font.
func (f *Font) points(units int, size float64) float64 {
	return float64(units) * size / float64(f.metrics.UnitsPerEm)
}
