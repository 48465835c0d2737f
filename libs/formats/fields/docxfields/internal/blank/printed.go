package blank

import (
	"regexp"
	"strings"

	"github.com/rectohq/recto/libs/formats/fields/detect"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/paragraph"
)

// sign matches the currency or the percent sign of an amount: "$", "US$", "EUR", "%".
const sign = `(?:[A-Z]{0,3}\p{Sc}|%|\b(?:USD|EUR|GBP|CHF|CAD|AUD|NZD|JPY|CNY|INR|SGD|HKD|ZAR|SEK|NOK|DKK|PLN|CZK|BRL|MXN|AED)\b)`

var (
	anySign = regexp.MustCompile(sign)
	// bracketedSign matches a blank in brackets with signs, and the text around the blank.
	bracketedSign = regexp.MustCompile(`^\[\s*(` + sign + `\s*)?[_●•∙·○◦#?.…⚫▪■–—-]*((?:\s*` + sign + `)?)\s*\]$`)
	// signBefore and signAfter match the text next to a blank whose brackets are not part
	// of it. Their last groups are the signs.
	signBefore = regexp.MustCompile(`(?:(\[)\s*)?(` + sign + `\s*)?$`)
	signAfter  = regexp.MustCompile(`^(\s*` + sign + `)?(?:\s*(\]))?`)
	// century matches the printed beginning of a year.
	century = regexp.MustCompile(`(?:^|[^0-9])((?:19|20)[0-9]?)$`)
	year    = regexp.MustCompile(`^[0-9]{4}$`)
)

// maxPrinted bounds the text next to a blank that may belong to its value, in bytes.
const maxPrinted = 16

// printed describes what the document prints of the value of a blank.
type printed struct {
	// in is the range that a value replaces: the blank, and the brackets around it if they
	// also contain a sign.
	in textRange
	// before and after are the signs in brackets that the value replaces. They are
	// written again, next to the value.
	before, after string
	// beforeKept and afterKept are the signs next to the blank that stay where they are.
	beforeKept, afterKept string
	// century is the printed beginning of a year, such as "20", or "".
	century string
}

// printedAt returns what the document prints of the value of b.
func printedAt(p *paragraph.Paragraph, b *detect.Blank) printed {
	at := printed{in: textRange{b.Start, b.End}}
	if b.Kind != detect.Line && b.Kind != detect.Prompt {
		return at
	}
	if m := bracketedSign.FindStringSubmatch(p.Text[b.Start:b.End]); m != nil && m[1]+m[2] != "" {
		at.before, at.after = m[1], m[2]
		return at
	}
	text := p.Text[max(0, b.Start-maxPrinted):b.Start]
	before := signBefore.FindStringSubmatchIndex(text)
	after := signAfter.FindStringSubmatch(p.Text[b.End:min(len(p.Text), b.End+maxPrinted)])
	at.beforeKept, at.afterKept = group(text, before, 2), after[1]
	if group(text, before, 1) != "" && after[2] != "" && at.beforeKept+at.afterKept != "" {
		at.in = textRange{b.Start - (len(text) - before[0]), b.End + len(after[0])}
		at.before, at.after = at.beforeKept, at.afterKept
		at.beforeKept, at.afterKept = "", ""
	}
	if m := century.FindStringSubmatch(text); m != nil && b.Kind == detect.Line {
		at.century = m[1]
	}
	return at
}

// group returns a group of a match, or "" if it matched nothing.
func group(s string, match []int, n int) string {
	if match[2*n] < 0 {
		return ""
	}
	return s[match[2*n]:match[2*n+1]]
}

// complete returns the text that takes the place of the blank for a value. Nothing of the
// value is shown twice: neither a sign that is printed, nor the century of a year with
// four digits. A value with another sign keeps its own.
func (at printed) complete(value string) string {
	if at.century != "" && year.MatchString(value) {
		return strings.TrimPrefix(value, at.century)
	}
	before, after := at.before+at.beforeKept, at.after+at.afterKept
	if before+after == "" {
		return value
	}
	amount := withoutSigns(value, strings.TrimSpace(before), strings.TrimSpace(after))
	if anySign.MatchString(amount) {
		return value
	}
	return at.before + amount + at.after
}

// withoutSigns returns the value without the printed signs at its ends. For "US$", that
// includes "$".
func withoutSigns(value, before, after string) string {
	amount := strings.TrimSpace(value)
	short := strings.TrimLeft(before, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
	for _, s := range []string{before, short} {
		if rest, ok := strings.CutPrefix(amount, s); ok && s != "" {
			amount = strings.TrimSpace(rest)
			break
		}
	}
	if rest, ok := strings.CutSuffix(amount, after); ok && after != "" {
		amount = strings.TrimSpace(rest)
	}
	return amount
}
