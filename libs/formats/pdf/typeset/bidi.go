package typeset

import (
	"slices"

	gotext "github.com/go-text/typesetting/bidi"
	"golang.org/x/text/unicode/bidi"
)

// rightToLeft reports whether a paragraph begins with a strong character that is written
// from right to left. Characters in isolates do not count (UAX #9, P2).
func rightToLeft(text []rune) bool {
	isolates := 0
	for _, r := range text {
		switch class(r) {
		case bidi.LRI, bidi.RLI, bidi.FSI:
			isolates++
		case bidi.PDI:
			isolates = max(0, isolates-1)
		case bidi.L:
			if isolates == 0 {
				return false
			}
		case bidi.R, bidi.AL:
			if isolates == 0 {
				return true
			}
		}
	}
	return false
}

func class(r rune) bidi.Class {
	properties, _ := bidi.LookupRune(r)
	return properties.Class()
}

// longest is the length of the pieces of very long paragraphs. The library takes time in
// proportion to the square of the length of some texts.
const longest = 2048

// levels returns the embedding level of each character of a paragraph. Even levels are
// written from left to right.
func levels(text []rune, rtl bool) []uint8 {
	all := make([]uint8, len(text))
	if len(text) <= 4*longest {
		setLevels(text, all, rtl)
		return all
	}
	for start := 0; start < len(text); start += longest {
		end := min(start+longest, len(text))
		setLevels(text[start:end], all[start:end], rtl)
	}
	return all
}

func setLevels(text []rune, all []uint8, rtl bool) {
	direction, base := gotext.LeftToRight, uint8(0)
	if rtl {
		direction, base = gotext.RightToLeft, 1
	}
	var p gotext.Paragraph
	runs := p.Segment(text, direction)
	strong := bidi.L
	for i := range runs.NumRuns() {
		run := runs.Run(i)
		for j := run.Start; j < run.End; j++ {
			all[j] = uint8(run.Level)
		}
		if base == 0 && (run.Level == 0 || run.Level == 2) {
			setNumbers(text[run.Start:run.End], all[run.Start:run.End], strong)
		}
		strong = lastStrong(text[run.Start:run.End], strong)
	}
}

// lastStrong returns the class of the last letter, or the one before if there is none.
func lastStrong(text []rune, before bidi.Class) bidi.Class {
	for _, r := range slices.Backward(text) {
		if c := class(r); c == bidi.L || c == bidi.R || c == bidi.AL {
			return c
		}
	}
	return before
}

// setNumbers sets the levels of a run in a paragraph from left to right. The library returns
// runs of one direction, in which text has level 0 but numbers may have level 2. Numbers must
// stay on the proper side of their neighbours from right to left. strong is the class of the
// last letter before the run, or L.
func setNumbers(run []rune, levels []uint8, strong bidi.Class) {
	for i, r := range run {
		levels[i] = 0
		switch c := class(r); {
		case c == bidi.L:
			strong = c
		case (c == bidi.NSM || c == bidi.BN) && i > 0:
			levels[i] = levels[i-1]
		case isNumber(run, i, strong):
			levels[i] = 2
		}
	}
}

// isNumber reports whether the character at i belongs to a number of level 2. The rules are
// W1 to W7 of UAX #9, as far as they apply to a run of one direction.
func isNumber(run []rune, i int, strong bidi.Class) bool {
	switch class(run[i]) {
	case bidi.AN:
		return true
	case bidi.EN:
		return strong != bidi.L
	case bidi.ET:
		return strong == bidi.R && (hasNumber(run[i:], 1) || hasNumber(run[:i+1], -1))
	case bidi.ES, bidi.CS:
		if i == 0 || i+1 == len(run) {
			return false
		}
		before, after := class(run[i-1]), class(run[i+1])
		return before == after && (before == bidi.AN || before == bidi.EN && strong != bidi.L)
	}
	return false
}

// hasNumber reports whether signs such as "%", at the beginning of a run or at its end if
// the step is -1, are next to a number. It looks at a few of them only.
func hasNumber(run []rune, step int) bool {
	const most = 8
	at := 0
	if step < 0 {
		at = len(run) - 1
	}
	for range most {
		if at < 0 || at >= len(run) {
			return false
		}
		switch class(run[at]) {
		case bidi.EN:
			return true
		case bidi.ET, bidi.NSM, bidi.BN:
			at += step
		default:
			return false
		}
	}
	return false
}

// reorder puts the parts of a line into visual order by their levels (UAX #9, L2).
func reorder[T any](parts []T, level func(T) uint8) {
	highest := uint8(0)
	for _, p := range parts {
		highest = max(highest, level(p))
	}
	for l := highest; l > 0; l-- {
		for i := 0; i < len(parts); i++ {
			start := i
			for i < len(parts) && level(parts[i]) >= l {
				i++
			}
			slices.Reverse(parts[start:i])
		}
	}
}
