package truetype

import (
	"math"
	"os"
	"testing"
)

func FuzzSubset(f *testing.F) {
	f.Add(assemble(tablesOf(simple(), composite(0), composite(1, 0))), uint16(1))
	if data, err := os.ReadFile("/usr/share/fonts/truetype/noto/NotoSansHebrew-Regular.ttf"); err == nil {
		f.Add(data, uint16(30))
	}
	f.Fuzz(func(t *testing.T, data []byte, glyph uint16) {
		font, err := open(data)
		if err != nil {
			return
		}
		font.PostScriptName()
		if m, err := font.Metrics(); err == nil && (m.UnitsPerEm <= 0 || m.Glyphs > math.MaxUint16) {
			t.Fatalf("%+v", m)
		}
		subset, err := font.Subset([]Glyph{
			{}, {ID: glyph}, {Made: true, Parts: []Part{{glyph, 1, 2}, {0, 3, 4}}},
		})
		if err != nil {
			return
		}
		again, err := open(subset)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := again.Subset([]Glyph{{ID: 0}, {ID: 1}, {ID: 2}}); err != nil {
			t.Fatalf("the subset cannot be read: %v", err)
		}
	})
}
