package docxfields

import (
	"strings"
	"time"

	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// isoDay is how values give days.
const isoDay = "2006-01-02"

// isDay reports whether s is a day as values give one.
func isDay(s string) bool {
	_, err := time.Parse(isoDay, s)
	return err == nil
}

// setDate notes the day in the properties of a date control and returns what is
// shown and what a custom XML part stores. Text that is no day is shown as it is,
// and no day is noted.
func (c *sdtControl) setDate(text string) (shown, stored string) {
	day, err := time.Parse(isoDay, text)
	if err != nil {
		wml.RemoveAttr(c.kindOf, "fullDate")
		return text, text
	}
	wml.SetAttr(c.kindOf, "fullDate", text+"T00:00:00Z")
	shown = c.showDay(day)
	switch wml.Val(wml.Child(c.kindOf, "storeMappedDataAs")) {
	case "date":
		return shown, text
	case "text":
		return shown, shown
	default:
		return shown, text + "T00:00:00"
	}
}

// day returns the day that a date control shows as values give one: that of its
// properties, or else what the text says by the format of the control. A text that
// says no day is returned as it is.
func (c *sdtControl) day(text string) string {
	if strings.TrimSpace(text) == "" {
		return ""
	}
	full, _ := wml.Attr(c.kindOf, "fullDate")
	if day := full[:min(len(full), len(isoDay))]; isDay(day) {
		return day
	}
	if trimmed := strings.TrimSpace(text); isDay(trimmed) {
		return trimmed
	}
	if day, ok := parseDay(text, wml.Val(wml.Child(c.kindOf, "dateFormat")), wml.Val(wml.Child(c.kindOf, "lid"))); ok && c.isGregorian() {
		return day.Format(isoDay)
	}
	return text
}

// isGregorian reports whether the control counts years and months as values do.
func (c *sdtControl) isGregorian() bool {
	calendar := strings.ToLower(wml.Val(wml.Child(c.kindOf, "calendar")))
	return calendar == "" || strings.HasPrefix(calendar, "gregorian")
}

// showDay returns the day in the format of the control.
func (c *sdtControl) showDay(day time.Time) string {
	if !c.isGregorian() {
		return day.Format(isoDay)
	}
	return formatDay(day, wml.Val(wml.Child(c.kindOf, "dateFormat")), wml.Val(wml.Child(c.kindOf, "lid")))
}

// formatDay writes the day by a pattern of Word: d, dd, ddd, dddd, M to MMMM, yy
// and yyyy, and text, also in quotes. A time is that of the start of the day. In
// languages whose names are not known it writes YYYY-MM-DD where a name belongs.
func formatDay(day time.Time, pattern, language string) string {
	tokens := datePattern(pattern)
	names, known := namesOf(language)
	beside := hasDay(tokens)
	var out strings.Builder
	for _, t := range tokens {
		if !known && t.isName() || t.letter == unknownLetter {
			return day.Format(isoDay)
		}
		out.WriteString(t.format(day, names, beside))
	}
	if out.Len() == 0 {
		return day.Format(isoDay)
	}
	return out.String()
}

// format writes what the token stands for. Beside says that the number of the day
// stands beside the month.
func (t dateToken) format(day time.Time, names dayNames, beside bool) string {
	switch {
	case t.letter == 0:
		return t.text
	case t.letter == 'y' && t.length <= 2:
		return day.Format("06")
	case t.letter == 'y':
		return day.Format("2006")
	case t.letter == 'M' && t.length == 3:
		return names.shortMonths[day.Month()-1]
	case t.letter == 'M' && t.length > 3:
		return names.month(int(day.Month()-1), beside)
	case t.letter == 'M':
		return day.Format([]string{"1", "01"}[t.length-1])
	case t.letter == 'd' && t.length == 3:
		return names.shortDays[day.Weekday()]
	case t.letter == 'd' && t.length > 3:
		return names.days[day.Weekday()]
	case t.letter == 'd':
		return day.Format([]string{"2", "02"}[t.length-1])
	case t.letter == 'h':
		return "12"
	case t.letter == 'a':
		return "AM"
	default:
		return "00"[:min(t.length, 2)]
	}
}
