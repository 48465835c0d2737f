package docxfields

import (
	"strings"
	"time"
)

// isoDay is how values give days.
const isoDay = "2006-01-02"

// parseDay reads a day as values give one.
func parseDay(s string) (time.Time, bool) {
	day, err := time.Parse(isoDay, s)
	return day, err == nil
}

// setDate notes the day in the properties of a date control, or that there is
// none, and returns what is shown and what a custom XML part stores.
func (c *control) setDate(day time.Time, given bool) (shown, stored string) {
	if !given {
		removeAttribute(c.kindOf, "fullDate")
		return "", ""
	}
	full := day.Format(isoDay) + "T00:00:00Z"
	setAttribute(c.kindOf, "fullDate", full)
	shown = c.showDay(day)
	switch val(child(c.kindOf, "storeMappedDataAs")) {
	case "date":
		return shown, day.Format(isoDay)
	case "text":
		return shown, shown
	default:
		return shown, day.Format(isoDay) + "T00:00:00"
	}
}

// showDay returns the day in the format of the control.
func (c *control) showDay(day time.Time) string {
	calendar := val(child(c.kindOf, "calendar"))
	if calendar != "" && !strings.HasPrefix(strings.ToLower(calendar), "gregorian") {
		return day.Format(isoDay)
	}
	return formatDay(day, val(child(c.kindOf, "dateFormat")), val(child(c.kindOf, "lid")))
}

// formatDay writes the day by a pattern of Word: d, dd, ddd, dddd, M to MMMM, yy
// and yyyy, and text, also in quotes. In languages whose names are not known, and
// by a pattern that asks for more than a day, it writes YYYY-MM-DD.
func formatDay(day time.Time, pattern, language string) string {
	iso := day.Format(isoDay)
	names, known := namesOf(language)
	var out strings.Builder
	for pattern != "" {
		n := runLength(pattern)
		switch c := pattern[0]; c {
		case '\'', '"':
			quoted, rest, _ := strings.Cut(pattern[1:], pattern[:1])
			out.WriteString(quoted)
			pattern = rest
			continue
		case 'd', 'D', 'M', 'y', 'Y':
			if !known && n > 2 && (c == 'd' || c == 'D' || c == 'M') {
				return iso
			}
			out.WriteString(dayElement(day, strings.ToLower(pattern[:1])[0], n, names))
		case 'h', 'H', 'm', 's':
			return iso
		default:
			n = 1
			out.WriteByte(c)
		}
		pattern = pattern[n:]
	}
	if out.Len() == 0 {
		return iso
	}
	return out.String()
}

// runLength returns how often the first character of the pattern is repeated.
func runLength(pattern string) int {
	n := 1
	for n < len(pattern) && pattern[n] == pattern[0] {
		n++
	}
	return n
}

// dayElement returns the part of a day that the letter asks for, in the length.
func dayElement(day time.Time, letter byte, length int, names dayNames) string {
	switch {
	case letter == 'y' && length <= 2:
		return day.Format("06")
	case letter == 'y':
		return day.Format("2006")
	case letter == 'm' && length == 1:
		return day.Format("1")
	case letter == 'm' && length == 2:
		return day.Format("01")
	case letter == 'm' && length == 3:
		return names.short(names.months[day.Month()-1])
	case letter == 'm':
		return names.months[day.Month()-1]
	case length == 1:
		return day.Format("2")
	case length == 2:
		return day.Format("02")
	case length == 3:
		return names.short(names.days[day.Weekday()])
	default:
		return names.days[day.Weekday()]
	}
}

// dayNames are the names of days and months in a language.
type dayNames struct {
	// days begin with Sunday.
	days   [7]string
	months [12]string
	// letters is how many of them a short name has, 0 if the language has rules
	// of its own, and dot whether a dot ends it.
	letters int
}

// short returns the short form of a name.
func (n dayNames) short(name string) string {
	letters := []rune(name)
	return string(letters[:min(len(letters), n.letters)])
}

// namesOf returns the names in the language of a tag such as "de-AT", those of
// English without one.
func namesOf(language string) (dayNames, bool) {
	language, _, _ = strings.Cut(strings.ToLower(language), "-")
	switch language {
	case "", "en":
		return namesFrom("Sunday Monday Tuesday Wednesday Thursday Friday Saturday",
			"January February March April May June July August September October November December", 3), true
	case "de":
		return namesFrom("Sonntag Montag Dienstag Mittwoch Donnerstag Freitag Samstag",
			"Januar Februar März April Mai Juni Juli August September Oktober November Dezember", 3), true
	case "fr":
		return namesFrom("dimanche lundi mardi mercredi jeudi vendredi samedi",
			"janvier février mars avril mai juin juillet août septembre octobre novembre décembre", 4), true
	case "es":
		return namesFrom("domingo lunes martes miércoles jueves viernes sábado",
			"enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre", 3), true
	case "it":
		return namesFrom("domenica lunedì martedì mercoledì giovedì venerdì sabato",
			"gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre", 3), true
	case "nl":
		return namesFrom("zondag maandag dinsdag woensdag donderdag vrijdag zaterdag",
			"januari februari maart april mei juni juli augustus september oktober november december", 3), true
	case "pt":
		return namesFrom("domingo segunda-feira terça-feira quarta-feira quinta-feira sexta-feira sábado",
			"janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro", 3), true
	}
	return dayNames{}, false
}

// namesFrom returns the names that the lists have.
func namesFrom(days, months string, letters int) dayNames {
	n := dayNames{letters: letters}
	copy(n.days[:], strings.Fields(days))
	copy(n.months[:], strings.Fields(months))
	return n
}
