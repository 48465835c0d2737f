package law

import (
	"slices"
	"strings"

	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/rules/passage"
)

// americanStates are the states of the United States, its federal district and some of
// its territories.
var americanStates = []string{
	"Alabama", "Alaska", "Arizona", "Arkansas", "California", "Colorado", "Connecticut", "Delaware", "Florida", "Georgia",
	"Hawaii", "Idaho", "Illinois", "Indiana", "Iowa", "Kansas", "Kentucky", "Louisiana", "Maine", "Maryland",
	"Massachusetts", "Michigan", "Minnesota", "Mississippi", "Missouri", "Montana", "Nebraska", "Nevada", "New Hampshire",
	"New Jersey", "New Mexico", "New York", "North Carolina", "North Dakota", "Ohio", "Oklahoma", "Oregon", "Pennsylvania",
	"Rhode Island", "South Carolina", "South Dakota", "Tennessee", "Texas", "Utah", "Vermont", "Virginia", "Washington",
	"West Virginia", "Wisconsin", "Wyoming", "District of Columbia", "Puerto Rico", "Guam",
}

// jurisdictions are the states, provinces and countries whose laws contracts choose.
var jurisdictions = slices.Concat(americanStates, []string{
	"Alberta", "British Columbia", "Manitoba", "New Brunswick", "Newfoundland and Labrador", "Nova Scotia", "Ontario", "Quebec", "Québec", "Saskatchewan",
	"New South Wales", "Queensland", "South Australia", "Tasmania", "Victoria", "Western Australia",
	"England and Wales", "England", "Wales", "Scotland", "Northern Ireland", "United Kingdom", "Great Britain", "Jersey", "Guernsey", "Isle of Man",
	"Argentina", "Australia", "Austria", "Bahamas", "Bahrain", "Bangladesh", "Barbados", "Belgium", "Bermuda", "Brazil",
	"British Virgin Islands", "Bulgaria", "Canada", "Cayman Islands", "Chile", "Hong Kong", "Macau", "People's Republic of China",
	"PRC", "China", "Colombia", "Costa Rica", "Croatia", "Curacao", "Cyprus", "Czech Republic", "Denmark", "Dominican Republic", "Ecuador", "Egypt", "Estonia",
	"Finland", "France", "Germany", "Ghana", "Gibraltar", "Greece", "Hungary", "Iceland", "India", "Indonesia", "Ireland", "Israel",
	"Italy", "Jamaica", "Japan", "Jordan", "Kazakhstan", "Kenya", "South Korea", "Republic of Korea", "Korea", "Kuwait", "Latvia", "Lebanon", "Liberia", "Liechtenstein",
	"Lithuania", "Luxembourg", "Malaysia", "Malta", "Marshall Islands", "Mauritius", "Mexico", "Monaco", "Morocco", "Netherlands",
	"New Zealand", "Nigeria", "Norway", "Oman", "Pakistan", "Panama", "Peru", "Philippines", "Papua New Guinea", "Poland", "Portugal", "Qatar", "Romania",
	"Russian Federation", "Russia", "Saudi Arabia", "Serbia", "Singapore", "Slovakia", "Slovenia", "South Africa", "Spain", "Sri Lanka",
	"Sweden", "Switzerland", "Taiwan", "Thailand", "Turkey", "Ukraine", "Dubai", "United Arab Emirates", "Uruguay", "Venezuela", "Vietnam",
	"United States of America", "United States",
})

// jurisdiction matches one of them on one line, ignoring case.
var jurisdiction = regexp.MustCompile(`(?i)\b(` + strings.ReplaceAll(strings.Join(jurisdictions, "|"), " ", `\s+`) + `)\b`)

// InUnitedStates reports whether a place is the United States, one of the states, or a
// territory.
func InUnitedStates(place string) bool {
	for _, state := range slices.Concat(americanStates, []string{"United States", "United States of America"}) {
		if strings.HasSuffix(place, state) {
			return true
		}
	}
	return false
}

// IsPlace reports whether s is the name of a state, province or country.
func IsPlace(s string) bool {
	s = passage.OneLine(s)
	return slices.ContainsFunc(jurisdictions, func(j string) bool { return strings.EqualFold(j, s) })
}

// PlaceIn returns the first state, province or country that s names, in the spelling of
// lists, "" for none.
func PlaceIn(s string) string {
	return strings.TrimPrefix(placeName(jurisdiction.FindString(s)), "the ")
}

// PlaceOf returns the state, province or country that s begins with, by its name or its
// adjective: "Delaware limited liability", "German". It returns "" for none.
func PlaceOf(s string) string {
	if at := jurisdiction.FindStringIndex(s); at != nil && at[0] == 0 {
		return PlaceIn(s)
	}
	word, _, _ := strings.Cut(strings.TrimSpace(s), " ")
	return strings.TrimPrefix(nationalLaws[strings.ToLower(word)], "the ")
}

// stateOf returns a place with the kind of state that before ends with, as in "the laws
// of …": "the State of California", "England".
func stateOf(place, before string) string {
	for _, kind := range []string{"State", "Commonwealth", "Province", "Republic", "Federal Republic", "Kingdom"} {
		if strings.HasSuffix(strings.ToLower(strings.TrimSpace(before)), strings.ToLower(kind)+" of") {
			return "the " + kind + " of " + place
		}
	}
	return place
}

// placeName returns the name of a jurisdiction in the spelling of jurisdictions.
func placeName(s string) string {
	s = passage.OneLine(s)
	if strings.EqualFold(s, "PRC") {
		return "the People's Republic of China"
	}
	for _, j := range jurisdictions {
		if strings.EqualFold(j, s) {
			return j
		}
	}
	return s
}

// nationalLaws maps the adjective in names of laws, such as "English law", to the
// country.
var nationalLaws = map[string]string{
	"english": "England", "italian": "Italy", "german": "Germany", "french": "France", "swiss": "Switzerland", "dutch": "the Netherlands",
	"swedish": "Sweden", "japanese": "Japan", "israeli": "Israel", "chinese": "the People's Republic of China", "danish": "Denmark",
	"spanish": "Spain", "belgian": "Belgium", "austrian": "Austria", "norwegian": "Norway", "finnish": "Finland", "irish": "Ireland",
	"scottish": "Scotland", "australian": "Australia", "canadian": "Canada", "indian": "India", "korean": "Korea", "mexican": "Mexico", "brazilian": "Brazil",
	"polish": "Poland", "portuguese": "Portugal", "greek": "Greece", "turkish": "Turkey", "russian": "Russia", "czech": "Czech Republic",
	"hungarian": "Hungary", "romanian": "Romania", "scots": "Scotland", "maltese": "Malta", "cypriot": "Cyprus", "bulgarian": "Bulgaria",
	"croatian": "Croatia", "slovenian": "Slovenia", "slovak": "Slovakia", "estonian": "Estonia", "latvian": "Latvia", "lithuanian": "Lithuania",
	"icelandic": "Iceland", "ukrainian": "Ukraine", "thai": "Thailand", "vietnamese": "Vietnam", "indonesian": "Indonesia", "malaysian": "Malaysia",
	"philippine": "Philippines", "egyptian": "Egypt", "nigerian": "Nigeria", "kenyan": "Kenya", "argentine": "Argentina", "chilean": "Chile",
	"colombian": "Colombia", "peruvian": "Peru", "singaporean": "Singapore", "taiwanese": "Taiwan",
}

// nationalLaw matches the name of such a law.
var nationalLaw = regexp.MustCompile(`(?i)\b([a-z]+)\s+(?:substantive\s+|internal\s+)?laws?\b`)
