package sdt

import (
	"strings"
	"time"

	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/date"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// SetDate notes the day in the properties of a date control and returns what is
// shown and what a custom XML part stores. Text that is no day is shown as it is,
// and no day is noted.
func (c *Control) SetDate(text string) (shown, stored string) {
	day, err := time.Parse(date.ISO, text)
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

// Day returns the day that a date control shows as values give one: that of its
// properties, or else what the text says by the format of the control. A text that
// says no day is returned as it is.
func (c *Control) Day(text string) string {
	if strings.TrimSpace(text) == "" {
		return ""
	}
	full, _ := wml.Attr(c.kindOf, "fullDate")
	if day := full[:min(len(full), len(date.ISO))]; date.IsDay(day) {
		return day
	}
	if trimmed := strings.TrimSpace(text); date.IsDay(trimmed) {
		return trimmed
	}
	if day, ok := date.Parse(text, wml.Val(wml.Child(c.kindOf, "dateFormat")), wml.Val(wml.Child(c.kindOf, "lid"))); ok && c.isGregorian() {
		return day.Format(date.ISO)
	}
	return text
}

// isGregorian reports whether the control counts years and months as values do.
func (c *Control) isGregorian() bool {
	calendar := strings.ToLower(wml.Val(wml.Child(c.kindOf, "calendar")))
	return calendar == "" || strings.HasPrefix(calendar, "gregorian")
}

// showDay returns the day in the format of the control.
func (c *Control) showDay(day time.Time) string {
	if !c.isGregorian() {
		return day.Format(date.ISO)
	}
	return date.Format(day, wml.Val(wml.Child(c.kindOf, "dateFormat")), wml.Val(wml.Child(c.kindOf, "lid")))
}
