package appearance

import (
	"errors"
	"slices"
	"testing"

	"github.com/rectohq/recto/libs/formats/pdf/typeset"
)

// TestMissingCharacters checks that no place shows a box for a character without glyph, and
// that a failure does not affect the next stream.
func TestMissingCharacters(t *testing.T) {
	s := newSheet(1, 1)
	base := Look{Width: 100, Height: 20}
	comb, multiline := base, base
	comb.Comb, comb.MaxLength, multiline.Multiline = true, 10, true
	for name, draw := range map[string]func(text string) (Stream, error){
		"line":      func(text string) (Stream, error) { return s.Text(base, text) },
		"comb":      func(text string) (Stream, error) { return s.Text(comb, text) },
		"multiline": func(text string) (Stream, error) { return s.Text(multiline, text) },
		"list":      func(text string) (Stream, error) { return s.List(base, []string{text}, []int{0}) },
		"stamp":     func(text string) (Stream, error) { return s.Stamp(Stamp{Width: 9, Height: 9}, text, nil) },
		"paragraph": func(text string) (Stream, error) {
			return s.Stamp(Stamp{Width: 9, Height: 9, Multiline: true}, text, nil)
		},
	} {
		var missing *typeset.MissingError
		if stream, err := draw("a\uE123"); !errors.As(err, &missing) || missing.Rune != '\uE123' || stream.Content != nil {
			t.Errorf("%s: got %v, %v", name, stream, err)
		}
		stream, err := draw("a")
		if err != nil || len(stream.Fonts) != 1 {
			t.Errorf("%s: got fonts %v, %v", name, stream.Fonts, err)
		}
	}
}

func TestFontsOfStreams(t *testing.T) {
	s := newSheet(1, 1)
	l := Look{Width: 100, Height: 20}
	var fonts [][]string
	for _, text := range []string{"abc", "中", "a中", ""} {
		stream, err := s.Text(l, text)
		if err != nil {
			t.Fatal(err)
		}
		fonts = append(fonts, stream.Fonts)
	}
	if len(fonts[0]) != 1 || len(fonts[1]) != 1 || fonts[0][0] == fonts[1][0] || len(fonts[3]) != 0 ||
		!slices.Contains(fonts[2], fonts[0][0]) || !slices.Contains(fonts[2], fonts[1][0]) {
		t.Errorf("got %v", fonts)
	}
}
