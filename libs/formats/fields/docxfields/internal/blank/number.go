package blank

import (
	"regexp"
	"strings"
)

// numberPattern is the part of Word's number formats that formatNumber understands: a
// currency, thousands with their separator, decimals, and a percent sign.
var numberPattern = regexp.MustCompile(`^([^#0-9.,'"]*)(?:#([.,’ \x{00A0}])##)?0(?:([.,])(0+))?([^#0-9.,'"]*)$`)

// plainNumber is a number in the format of values.
var plainNumber = regexp.MustCompile(`^(-?)([0-9]*)(?:\.([0-9]+))?$`)

// formatNumber formats a number with the format of a legacy form field, such as
// "#,##0.00" or "$#,##0;($#,##0)", whose second half is for negative numbers. Unlike Word,
// it never rounds: a document must not show another number than the one that was sent. It
// returns text unchanged if that is not a number, or the format is another one.
func formatNumber(text, format string) string {
	number := plainNumber.FindStringSubmatch(text)
	if number == nil || number[2]+number[3] == "" {
		return text
	}
	minus := number[1]
	positive, negative, given := strings.Cut(format, ";")
	if given && minus != "" {
		positive, minus = negative, "" // the format shows that the number is negative
	}
	beforeNumber, afterNumber := "", ""
	if inner, ok := strings.CutPrefix(positive, "("); ok {
		if inner, ok = strings.CutSuffix(inner, ")"); ok {
			positive, beforeNumber, afterNumber = inner, "(", ")"
		}
	}
	pattern := numberPattern.FindStringSubmatch(positive)
	if pattern == nil {
		return text
	}
	return minus + beforeNumber + pattern[1] + digits(number[2], number[3], pattern[2], pattern[3], len(pattern[4])) + pattern[5] + afterNumber
}

// digits writes a number with the separators of thousands and of decimals, and with at
// least the given number of decimals. The separators may be "".
func digits(whole, decimals, thousands, point string, least int) string {
	if whole = strings.TrimLeft(whole, "0"); whole == "" {
		whole = "0"
	}
	for at := len(whole) - 3; thousands != "" && at > 0; at -= 3 {
		whole = whole[:at] + thousands + whole[at:]
	}
	for len(decimals) > least && strings.HasSuffix(decimals, "0") {
		decimals = decimals[:len(decimals)-1]
	}
	decimals += strings.Repeat("0", max(0, least-len(decimals)))
	if decimals == "" {
		return whole
	}
	if point == "" {
		if point = "."; thousands == "." {
			point = ","
		}
	}
	return whole + point + decimals
}
