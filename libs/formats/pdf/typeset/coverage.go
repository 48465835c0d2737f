package typeset

import (
	"slices"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// covers reports whether the font has all visible characters of a grapheme cluster, in this
// form or as composed or decomposed characters. The shaper converts between the forms.
func (f *Font) covers(cluster []rune) bool {
	if f.characters() == nil {
		return false
	}
	if f.coversAll(cluster) {
		return true
	}
	if isASCII(cluster) {
		return false
	}
	s := string(cluster)
	return f.coversAll([]rune(norm.NFC.String(s))) || f.coversAll([]rune(norm.NFD.String(s)))
}

func (f *Font) coversAll(text []rune) bool {
	for _, r := range text {
		if !f.has(r) && !invisible(r) && !f.replaces(r) {
			return false
		}
	}
	return true
}

// replaces reports whether the shaper shows a character by means of another one that the
// font has.
func (f *Font) replaces(r rune) bool {
	const hyphen, nonBreakingHyphen, ogham = 0x2010, 0x2011, 0x1680
	switch {
	case r == nonBreakingHyphen:
		return f.has(hyphen)
	case unicode.Is(unicode.Zs, r) && r != ogham:
		return f.has(' ')
	}
	return false
}

// invisible reports whether a character is never drawn: joiners, variation selectors,
// controls of bidirectional text, and the like.
func invisible(r rune) bool {
	switch {
	case r < 0xAD:
		return false
	case unicode.Is(unicode.Prepended_Concatenation_Mark, r), 0xFFF9 <= r && r <= 0xFFFB,
		0x13430 <= r && r <= 0x1345F:
		return false // format characters that are drawn
	}
	return unicode.In(r, unicode.Cf, unicode.Variation_Selector,
		unicode.Other_Default_Ignorable_Code_Point)
}

func isASCII(text []rune) bool {
	return !slices.ContainsFunc(text, func(r rune) bool { return r >= 0x80 })
}

// lacking returns the characters of a grapheme cluster for which there is no font. If every
// character has a font, but no font has them all, it returns the marks.
func (f *Fonts) lacking(cluster []rune, c choice) []rune {
	if f.pick(cluster, c) != nil {
		return nil
	}
	var missing, marks []rune
	for _, r := range cluster {
		switch {
		case f.pick([]rune{r}, c) == nil:
			missing = append(missing, r)
		case unicode.Is(unicode.M, r) && !invisible(r):
			marks = append(marks, r)
		}
	}
	if len(missing) == 0 {
		return marks
	}
	return missing
}
