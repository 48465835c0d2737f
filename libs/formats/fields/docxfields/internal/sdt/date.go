package sdt

import (
	"strings"
	"time"

	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/date"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// SetDate records the date in the properties of a date control, and returns the text to
// show and the text to store in a custom XML part. Text that is not a date is shown
// unchanged, and no date is recorded.
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

// Day returns the date that a date control shows, in the format of values. It comes from
// the control's properties, or else from its text, parsed with the control's date format.
// Text that is not a date is returned unchanged.
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

// isGregorian reports whether the control uses the calendar of values.
func (c *Control) isGregorian() bool {
	calendar := strings.ToLower(wml.Val(wml.Child(c.kindOf, "calendar")))
	return calendar == "" || strings.HasPrefix(calendar, "gregorian")
}

// showDay formats the date as the control specifies.
func (c *Control) showDay(day time.Time) string {
	if !c.isGregorian() {
		return day.Format(date.ISO)
	}
	return date.Format(day, wml.Val(wml.Child(c.kindOf, "dateFormat")), wml.Val(wml.Child(c.kindOf, "lid")))
}
