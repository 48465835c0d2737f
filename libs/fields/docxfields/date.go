package docxfields

import (
	"strings"
	"time"
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
func (c *control) setDate(text string) (shown, stored string) {
	day, err := time.Parse(isoDay, text)
	if err != nil {
		removeAttribute(c.kindOf, "fullDate")
		return text, text
	}
	setAttribute(c.kindOf, "fullDate", text+"T00:00:00Z")
	shown = c.showDay(day)
	switch val(child(c.kindOf, "storeMappedDataAs")) {
	case "date":
		return shown, text
	case "text":
		return shown, shown
	default:
		return shown, text + "T00:00:00"
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
		return names.shortMonths[day.Month()-1]
	case letter == 'm':
		return names.months[day.Month()-1]
	case length == 1:
		return day.Format("2")
	case length == 2:
		return day.Format("02")
	case length == 3:
		return names.shortDays[day.Weekday()]
	default:
		return names.days[day.Weekday()]
	}
}

// dayNames are the names of days and months in a language, and their short forms.
// Days begin with Sunday.
type dayNames struct {
	days, shortDays     []string
	months, shortMonths []string
}

// namesOf returns the names in the language of a tag such as "de-AT", those of
// English without one.
func namesOf(language string) (dayNames, bool) {
	language, _, _ = strings.Cut(strings.ToLower(language), "-")
	switch language {
	case "", "en":
		return namesFrom("Sunday Monday Tuesday Wednesday Thursday Friday Saturday", 3,
			"January February March April May June July August September October November December"), true
	case "de":
		return namesFrom("Sonntag Montag Dienstag Mittwoch Donnerstag Freitag Samstag", 2,
			"Januar Februar März April Mai Juni Juli August September Oktober November Dezember"), true
	case "fr":
		names := namesFrom("dimanche lundi mardi mercredi jeudi vendredi samedi", 3,
			"janvier février mars avril mai juin juillet août septembre octobre novembre décembre")
		names.shortDays = strings.Fields("dim. lun. mar. mer. jeu. ven. sam.")
		names.shortMonths = strings.Fields("janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc.")
		return names, true
	case "es":
		return namesFrom("domingo lunes martes miércoles jueves viernes sábado", 3,
			"enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"), true
	case "it":
		return namesFrom("domenica lunedì martedì mercoledì giovedì venerdì sabato", 3,
			"gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre"), true
	case "nl":
		return namesFrom("zondag maandag dinsdag woensdag donderdag vrijdag zaterdag", 2,
			"januari februari maart april mei juni juli augustus september oktober november december"), true
	case "pt":
		return namesFrom("domingo segunda-feira terça-feira quarta-feira quinta-feira sexta-feira sábado", 3,
			"janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro"), true
	}
	return dayNames{}, false
}

// namesFrom returns the names that the lists have. The short forms of days have
// so many letters, and those of months three.
func namesFrom(days string, letters int, months string) dayNames {
	n := dayNames{days: strings.Fields(days), months: strings.Fields(months)}
	n.shortDays, n.shortMonths = cutNames(n.days, letters), cutNames(n.months, 3)
	return n
}

// cutNames returns the beginnings of the names.
func cutNames(names []string, letters int) []string {
	var cut []string
	for _, name := range names {
		cut = append(cut, string([]rune(name)[:letters]))
	}
	return cut
}
