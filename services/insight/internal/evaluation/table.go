package evaluation

import (
	"fmt"
	"strconv"
	"strings"
)

// Column is a report with a name.
type Column struct {
	Name string
	*Report
}

// Table returns reports on the same documents side by side. The annotations are the same
// for all of them.
func Table(columns []Column) string {
	var b strings.Builder
	titles, union, width := "", NewReport(), 0
	for _, c := range columns {
		titles += fmt.Sprintf("   %-27s", c.Name)
		for name := range c.Scores {
			union.score(name)
			width = max(width, len(name))
		}
	}
	if titles = strings.TrimRight(titles, " "); titles != "" {
		fmt.Fprintf(&b, "%-*s%s\n", width, "", titles)
	}
	fmt.Fprintf(&b, "%-*s%s%7s\n", width, "", strings.Repeat("        P      R     F1  found", len(columns)), "gold")
	for _, name := range union.Names() {
		fmt.Fprintf(&b, "%-*s", width, name)
		gold := 0
		for _, c := range columns {
			s := c.Scores[name]
			if s == nil {
				s = &Score{}
			}
			gold = max(gold, s.Gold)
			fmt.Fprintf(&b, "   %6.3f %6.3f %6.3f %6d", s.Precision(), s.Recall(), s.F1(), s.Found)
		}
		fmt.Fprintf(&b, "%7d\n", gold)
	}
	for _, c := range columns {
		c.rest(&b)
	}
	return b.String()
}

// rest writes the parts of a report that are not scores.
func (c Column) rest(b *strings.Builder) {
	if c.Name != "" {
		fmt.Fprintf(b, "%s:\n", c.Name)
	}
	if totals := c.ClauseTotals(); totals.Kinds > 0 {
		fmt.Fprintln(b, totals)
	}
	fmt.Fprintf(b, "calibration error %.3f\n", c.Calibration.Error())
	for _, bin := range c.Calibration.Bins() {
		fmt.Fprintf(b, "  confidence %.2f: %.2f right of %d\n", bin.Confidence, bin.Right, bin.Items)
	}
	if c.Items > 0 {
		fmt.Fprintf(b, "grounding: %d of %d items have the right place\n", c.Items-len(c.Ungrounded), c.Items)
	}
	if c.LongQuotes > 0 {
		fmt.Fprintf(b, "pages: %d of %d long quotes have the right page (%s)\n", c.RightPages, c.LongQuotes, strconv.FormatFloat(ratio(c.RightPages, c.LongQuotes), 'f', 4, 64))
	}
	c.Effort.write(b, c.Documents, c.Pages)
}
