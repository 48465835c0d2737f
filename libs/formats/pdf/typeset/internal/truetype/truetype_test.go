package truetype

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"
)

// words returns numbers of two bytes each.
func words(values ...int) []byte {
	var out []byte
	for _, v := range values {
		out = binary.BigEndian.AppendUint16(out, uint16(v))
	}
	return out
}

// simple is an outline of three points. Its box is 0 0 100 200.
func simple() []byte {
	return append(words(1, 0, 0, 100, 200, 2, 0), 1, 1, 1, 100, 0, 0, 200, 0)
}

// composite is an outline that consists of other glyphs.
func composite(ids ...int) []byte {
	out := words(-1, 0, 0, 100, 200)
	for i, id := range ids {
		flags := wordArguments | argumentsAreX | moreFollow
		if i == len(ids)-1 {
			flags &^= moreFollow
		}
		out = append(out, words(flags, id, 10, -20)...)
	}
	return out
}

// tablesOf returns the tables of a font with these outlines. Glyph i is 500+i wide.
func tablesOf(outlines ...[]byte) map[string][]byte {
	head := make([]byte, 54)
	copy(head[18:], words(1000))
	copy(head[36:], words(-1, -2, 3, 4))
	hhea := make([]byte, 36)
	copy(hhea[4:], words(800, -200, 50))
	copy(hhea[34:], words(len(outlines)))
	maxp := make([]byte, 32)
	copy(maxp[4:], words(len(outlines)))
	var glyf, loca, hmtx []byte
	for i, outline := range outlines {
		loca = append(loca, words(len(glyf)/2)...)
		glyf = append(glyf, outline...)
		glyf = append(glyf, make([]byte, len(glyf)&1)...)
		hmtx = append(hmtx, words(500+i, 7)...)
	}
	return map[string][]byte{
		"head": head, "hhea": hhea, "maxp": maxp, "glyf": glyf,
		"loca": append(loca, words(len(glyf)/2)...), "hmtx": hmtx,
	}
}

func open(data []byte) (*File, error) {
	return Open(bytes.NewReader(data), int64(len(data)))
}

func mustOpen(t testing.TB, data []byte) *File {
	t.Helper()
	f, err := open(data)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// outline returns an outline of a subset, whose offsets have four bytes.
func outline(t *testing.T, f *File, i int) []byte {
	t.Helper()
	loca, err := f.Table("loca")
	if err != nil {
		t.Fatal(err)
	}
	glyf, err := f.Table("glyf")
	if err != nil {
		t.Fatal(err)
	}
	return glyf[binary.BigEndian.Uint32(loca[4*i:]):binary.BigEndian.Uint32(loca[4*i+4:])]
}

func TestSubset(t *testing.T) {
	f := mustOpen(t, assemble(tablesOf(
		simple(), nil, simple(), composite(2, 4), composite(2), simple())))
	data, err := f.Subset([]Glyph{
		{ID: 0}, {ID: 3}, {ID: 1}, {Made: true},
		{Made: true, Parts: []Part{{2, 5, 6}, {1, 0, 0}, {3, -7, 300}}, Advance: 777},
	})
	if err != nil {
		t.Fatal(err)
	}
	s := mustOpen(t, data)
	advances, err := s.Advances()
	if err != nil {
		t.Fatal(err)
	}
	// The components 2 and 4 follow.
	if want := []uint16{500, 503, 501, 0, 777, 502, 504}; !slices.Equal(advances, want) {
		t.Errorf("advances %d, want %d", advances, want)
	}
	for i, want := range [][]uint16{nil, {5, 6}, nil, nil, {5, 1}, nil, {5}} {
		if got := components(outline(t, s, i)); !slices.Equal(got, want) {
			t.Errorf("glyph %d consists of %d, want %d", i, got, want)
		}
	}
	if got, want := outline(t, s, 4)[:10], words(-1, -7, 6, 105, 500); !bytes.Equal(got, want) {
		t.Errorf("the made glyph begins with %x, want %x", got, want)
	}
	if got := outline(t, s, 5); !bytes.HasPrefix(got, simple()) {
		t.Errorf("the outline was changed to %x", got)
	}
	if sum := checksum(data); sum != 0xB1B0AFBA {
		t.Errorf("the checksum of the file is %x", sum)
	}
	maxp, _ := s.Table("maxp")
	if got := binary.BigEndian.Uint16(maxp[28:]); got != 3 {
		t.Errorf("a glyph has %d components at most", got)
	}
}

// TestScaledComponents subsets a glyph whose components are scaled in all ways.
func TestScaledComponents(t *testing.T) {
	data := words(-1, 0, 0, 9, 9)
	data = append(data, append(words(moreFollow|hasScale, 1), 0, 0, 1, 1)...)
	data = append(data, append(words(moreFollow|hasXYScale, 2), 0, 0, 1, 1, 1, 1)...)
	data = append(data, append(words(moreFollow|hasMatrix, 1), 0, 0, 1, 1, 1, 1, 1, 1, 1, 1)...)
	data = append(data, words(wordArguments, 2, 0, 0)...)
	f := mustOpen(t, assemble(tablesOf(nil, simple(), simple(), data)))
	subset, err := f.Subset([]Glyph{{}, {ID: 3}})
	if err != nil {
		t.Fatal(err)
	}
	got := components(outline(t, mustOpen(t, subset), 1))
	if want := []uint16{2, 3, 2, 3}; !slices.Equal(got, want) {
		t.Errorf("got %d, want %d", got, want)
	}
}

func TestAdvances(t *testing.T) {
	tables := tablesOf(nil, nil, nil)
	copy(tables["hhea"][34:], words(2))
	tables["hmtx"] = words(500, 1, 600, 2, -3)
	h, err := mustOpen(t, assemble(tables)).horizontal(4)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		advance uint16
		bearing int16
	}{{500, 1}, {600, 2}, {600, -3}, {600, 0}} {
		advance, bearing := h.glyph(i)
		if advance != want.advance || bearing != want.bearing {
			t.Errorf("glyph %d: got %d, %d", i, advance, bearing)
		}
	}
}

func TestExtract(t *testing.T) {
	f := mustOpen(t, assemble(tablesOf(simple())))
	data, err := f.Extract("hmtx", "nope", "head")
	if err != nil {
		t.Fatal(err)
	}
	got := mustOpen(t, data)
	if !got.Has("head") || got.Len("hmtx") != 4 || got.Has("glyf") || got.Has("nope") {
		t.Errorf("got %v", got.tables)
	}
}

func TestSubsetRefuses(t *testing.T) {
	deep := [][]byte{simple()}
	for i := range maxDepth {
		deep = append(deep, composite(i))
	}
	many := slices.Repeat([]int{0}, maxComponents+1)
	for name, c := range map[string]struct {
		outlines [][]byte
		glyph    Glyph
		more     int // glyphs
		change   func(map[string][]byte)
	}{
		"no glyph":     {outlines: [][]byte{nil}, glyph: Glyph{ID: 9}},
		"self":         {outlines: [][]byte{composite(0)}},
		"cycle":        {outlines: [][]byte{composite(1), composite(0)}},
		"deep":         {outlines: deep, glyph: Glyph{ID: maxDepth}},
		"component":    {outlines: [][]byte{composite(5)}},
		"cut off":      {outlines: [][]byte{composite(0, 0)[:18]}},
		"many":         {outlines: [][]byte{simple(), composite(many...)}, glyph: Glyph{ID: 1}},
		"parts":        {outlines: [][]byte{nil}, glyph: Glyph{Made: true, Parts: make([]Part, MaxParts+1)}},
		"offset":       {outlines: [][]byte{simple()}, glyph: Glyph{Made: true, Parts: []Part{{Y: -40_000}}}},
		"part":         {outlines: [][]byte{simple()}, glyph: Glyph{Made: true, Parts: []Part{{ID: 1}}}},
		"advance":      {outlines: [][]byte{simple()}, glyph: Glyph{Made: true, Advance: -1}},
		"bounds":       {outlines: [][]byte{simple()}, change: func(m map[string][]byte) { m["loca"] = words(9, 8) }},
		"end":          {outlines: [][]byte{simple()}, change: func(m map[string][]byte) { m["loca"] = words(0, 99) }},
		"short loca":   {outlines: [][]byte{simple()}, change: func(m map[string][]byte) { m["loca"] = words(0) }},
		"short hmtx":   {outlines: [][]byte{simple()}, change: func(m map[string][]byte) { m["hmtx"] = words(0) }},
		"no head":      {outlines: [][]byte{simple()}, change: func(m map[string][]byte) { delete(m, "head") }},
		"no hhea":      {outlines: [][]byte{simple()}, change: func(m map[string][]byte) { delete(m, "hhea") }},
		"no maxp":      {outlines: [][]byte{simple()}, change: func(m map[string][]byte) { delete(m, "maxp") }},
		"no advances":  {outlines: [][]byte{simple()}, change: func(m map[string][]byte) { copy(m["hhea"][34:], words(0)) }},
		"units per em": {outlines: [][]byte{simple()}, change: func(m map[string][]byte) { copy(m["head"][18:], words(0)) }},
		"long outlines": {outlines: [][]byte{make([]byte, maxGlyph+2)}, change: func(m map[string][]byte) {
			copy(m["head"][50:], words(1))
			m["loca"] = words(0, 0, (maxGlyph+2)>>16, 2)
		}},
	} {
		tables := tablesOf(c.outlines...)
		if c.change != nil {
			c.change(tables)
		}
		if _, err := mustOpen(t, assemble(tables)).Subset(append(make([]Glyph, c.more), c.glyph)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	outside := assemble(map[string][]byte{"head": make([]byte, 54)})
	for name, data := range map[string]string{
		"empty":            "",
		"CFF":              "OTTO" + strings.Repeat("\x00", 20),
		"text":             strings.Repeat("no font ", 9),
		"collection":       "ttcf" + strings.Repeat("\xff", 30),
		"tables":           "\x00\x01\x00\x00\xff\xff" + strings.Repeat("\x00", 20),
		"directory":        "\x00\x01\x00\x00\x00\x05" + strings.Repeat("\x00", 20),
		"outside the file": string(outside[:len(outside)-8]),
	} {
		if _, err := open([]byte(data)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// shrinking is a reader of a file that is cut off after it was opened.
type shrinking struct {
	*bytes.Reader
	broken bool
}

func (s *shrinking) ReadAt(b []byte, at int64) (int, error) {
	if s.broken {
		return 0, errors.New("the file is gone")
	}
	return s.Reader.ReadAt(b, at)
}

func TestReadFails(t *testing.T) {
	tables := tablesOf(simple())
	tables["post"] = make([]byte, 32)
	data := assemble(tables)
	r := &shrinking{Reader: bytes.NewReader(data)}
	f, err := Open(r, int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	r.broken = true
	_, errs1 := f.Subset([]Glyph{{}})
	_, errs2 := f.Extract("head")
	_, errs3 := f.Advances()
	if errs1 == nil || errs2 == nil || errs3 == nil {
		t.Errorf("got %v, %v, %v", errs1, errs2, errs3)
	}
}

func TestMetrics(t *testing.T) {
	tables := tablesOf(simple())
	os2 := make([]byte, 96)
	copy(os2, words(4))
	copy(os2[88:], words(712))
	tables["OS/2"] = os2
	tables["post"] = append(words(0, 3, -12, 0x8000), words(0, 0, 0, 1)...)
	m, err := mustOpen(t, assemble(tables)).Metrics()
	if err != nil {
		t.Fatal(err)
	}
	want := Metrics{
		UnitsPerEm: 1000, Ascent: 800, Descent: -200, LineGap: 50, CapHeight: 712,
		BBox: [4]int{-1, -2, 3, 4}, ItalicAngle: -11.5, FixedPitch: true, Glyphs: 1, Embeddable: true,
	}
	if *m != want {
		t.Errorf("got %+v, want %+v", *m, want)
	}
	if got := (&Metrics{UnitsPerEm: 2048}).Thousandths(1024); got != 500 {
		t.Errorf("half the size is %d thousandths", got)
	}
}

func TestEmbeddable(t *testing.T) {
	for fsType, want := range map[uint16]bool{
		0: true, 2: false, 4: true, 8: true, 6: true, 0x100: false, 0x200: false, 0x104: false,
	} {
		if got := embeddable(fsType); got != want {
			t.Errorf("%#x: got %t", fsType, got)
		}
	}
}

func TestPostScriptName(t *testing.T) {
	record := func(platform, id, length, offset int) []byte {
		return words(platform, 0, 0, id, length, offset)
	}
	name := func(records ...[]byte) []byte {
		all := bytes.Join(records, nil)
		table := append(words(0, len(records), 6+len(all)), all...)
		return append(table, "Mac Name-1\x00W\x00i\x00n\x00(\x00)"...)
	}
	for want, table := range map[string][]byte{
		"MacName-1": name(record(3, 4, 4, 0), record(1, 6, 10, 0)),
		"Win":       name(record(3, 6, 10, 10)),
		"Font":      name(record(3, 6, 100, 0)),
	} {
		f := mustOpen(t, assemble(map[string][]byte{"name": table}))
		if got := f.PostScriptName(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	for _, table := range [][]byte{nil, words(0, 5, 9000), words(0, 1, 18, 0, 0)} {
		f := mustOpen(t, assemble(map[string][]byte{"name": table}))
		if got := f.PostScriptName(); got != "Font" {
			t.Errorf("%x: got %s", table, got)
		}
	}
}
