package appearance

import (
	"slices"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/pdf/typeset"
)

func TestParseDA(t *testing.T) {
	for da, want := range map[string]struct {
		font  string
		size  float64
		color []float64
	}{
		"":                                {},
		"/Helv 12 Tf 0 g":                 {"Helv", 12, []float64{0}},
		"0 g /Helv 0 Tf":                  {"Helv", 0, []float64{0}},
		"/F#20a#zz 9.5 Tf":                {"F a#zz", 9.5, nil},
		"/F# .5 Tf":                       {"F#", .5, nil},
		"/A 1 Tf /B 2 Tf":                 {"B", 2, nil},
		"1 0 .5 rg/TiRo 10 Tf":            {"TiRo", 10, []float64{1, 0, .5}},
		"0 0 0 1 k /F 8. Tf":              {"F", 8, []float64{0, 0, 0, 1}},
		"2 -1 0 rg":                       {"", 0, []float64{1, 0, 0}},
		"0 1 rg":                          {},
		"0.5 g 1 rg":                      {"", 0, []float64{.5}},
		"12 Tf":                           {},
		"12 /Helv Tf":                     {},
		"/Helv -12 Tf":                    {"Helv", 0, nil},
		"/Helv 1e99999 Tf":                {"Helv", 0, nil},
		"/Helv 99999 Tf":                  {"Helv", maxSize, nil},
		"/Helv x Tf":                      {},
		"0 0 1 RG 1 w /Helv 7 Tf":         {"Helv", 7, nil},
		"[(a 12 Tf)] <</X 3>> /Helv 7 Tf": {"Helv", 7, nil},
		"1 2 3 4 5 6 7 8 9 10 rg 0 g":     {"", 0, []float64{0}},
		"/Helv 7 Tf" + strings.Repeat(" ", maxDA) + "9 g": {"Helv", 7, nil},
		"\x00/Helv\t7\nTf\r1\fg":                          {"Helv", 7, []float64{1}},
	} {
		font, size, color := ParseDA(da)
		if font != want.font || size != want.size || !slices.Equal(color, want.color) {
			t.Errorf("%.40q: got %q, %v, %v, want %v", da, font, size, color, want)
		}
	}
}

func FuzzParseDA(f *testing.F) {
	f.Add("/Helv 12 Tf 0 g")
	f.Add("/F#20 .5 Tf 1 0 0 rg [3] 0 d (x) Tj % end")
	f.Fuzz(func(t *testing.T, da string) {
		_, size, color := ParseDA(da)
		if !(0 <= size && size <= maxSize) {
			t.Errorf("size %v", size)
		}
		for _, v := range color {
			if !(0 <= v && v <= 1) {
				t.Errorf("color %v", color)
			}
		}
		if n := len(color); n != 0 && n != 1 && n != 3 && n != 4 {
			t.Errorf("color %v", color)
		}
	})
}

func TestStyleOf(t *testing.T) {
	for name, want := range map[string]typeset.Style{
		"":                              {},
		"Helv":                          {},
		"HeBo":                          {Bold: true},
		"HeOb":                          {Italic: true},
		"HeBO":                          {Bold: true, Italic: true},
		"TiRo":                          {Serif: true},
		"TiBo":                          {Serif: true, Bold: true},
		"TiIt":                          {Serif: true, Italic: true},
		"TiBI":                          {Serif: true, Bold: true, Italic: true},
		"Cour":                          {Mono: true},
		"CoBo":                          {Mono: true, Bold: true},
		"CoOb":                          {Mono: true, Italic: true},
		"CoBO":                          {Mono: true, Bold: true, Italic: true},
		"ArialMT":                       {},
		"Arial-BoldMT":                  {Bold: true},
		"ABCDEF+TimesNewRomanPS-BoldMT": {Serif: true, Bold: true},
		"ABCDEF+":                       {},
		"CourierNewPS-BoldItalicMT":     {Mono: true, Bold: true, Italic: true},
		"LiberationSans-Oblique":        {Italic: true},
		"MicrosoftSansSerif":            {},
		"LiberationSerif":               {Serif: true},
		"Georgia,BoldItalic":            {Serif: true, Bold: true, Italic: true},
		"NotoSansMono-Black":            {Mono: true, Bold: true},
		"MyriadPro-Semibold":            {Bold: true},
	} {
		if got := StyleOf(name); got != want {
			t.Errorf("%s: got %+v, want %+v", name, got, want)
		}
	}
}
