package docxtext

import (
	"fmt"
	"strconv"
	"strings"
)

// numeral formats n in a number format named by ST_NumberFormat (ECMA-376 part 1,
// 17.18.59). Unknown formats are decimal.
func numeral(format string, n int) string {
	switch format {
	case "none":
		return ""
	case "decimalZero":
		return fmt.Sprintf("%02d", n)
	case "lowerLetter":
		return letters(n)
	case "upperLetter":
		return strings.ToUpper(letters(n))
	case "lowerRoman":
		return strings.ToLower(roman(n))
	case "upperRoman":
		return roman(n)
	case "ordinal":
		return strconv.Itoa(n) + ordinalEnd(n)
	}
	return strconv.Itoa(n)
}

// maxLetters is how often Word repeats a letter before it starts over.
const maxLetters = 30

// letters returns a to z, aa to zz, aaa and so on.
func letters(n int) string {
	if n <= 0 {
		return strconv.Itoa(n)
	}
	n = (n - 1) % (26 * maxLetters)
	return strings.Repeat(string(rune('a'+n%26)), n/26+1)
}

// maxRoman is the largest number with a Roman numeral.
const maxRoman = 3999

// roman returns n as a Roman numeral, or in decimal digits if it has none.
func roman(n int) string {
	if n <= 0 || n > maxRoman {
		return strconv.Itoa(n)
	}
	var out strings.Builder
	for _, d := range []struct {
		value int
		text  string
	}{
		{1000, "M"}, {900, "CM"}, {500, "D"}, {400, "CD"}, {100, "C"}, {90, "XC"},
		{50, "L"}, {40, "XL"}, {10, "X"}, {9, "IX"}, {5, "V"}, {4, "IV"}, {1, "I"},
	} {
		for ; n >= d.value; n -= d.value {
			out.WriteString(d.text)
		}
	}
	return out.String()
}

// ordinalEnd returns the English ordinal suffix of n.
func ordinalEnd(n int) string {
	if n%100 >= 11 && n%100 <= 13 {
		return "th"
	}
	switch n % 10 {
	case 1:
		return "st"
	case 2:
		return "nd"
	case 3:
		return "rd"
	}
	return "th"
}
