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

// canadianProvinces are the provinces and territories of Canada.
var canadianProvinces = []string{
	"Alberta", "British Columbia", "Manitoba", "New Brunswick", "Newfoundland and Labrador", "Nova Scotia", "Ontario", "Quebec", "Québec", "Saskatchewan",
	"Prince Edward Island", "Northwest Territories", "Nunavut", "Yukon",
}

// australianStates are the states and territories of Australia.
var australianStates = []string{
	"New South Wales", "Queensland", "South Australia", "Tasmania", "Victoria", "Western Australia", "Northern Territory", "Australian Capital Territory",
}

// jurisdictions are the states, provinces and countries whose laws contracts choose.
var jurisdictions = slices.Concat(americanStates, canadianProvinces, australianStates, []string{
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
	"Albania", "Algeria", "Andorra", "Angola", "Anguilla", "Armenia", "Aruba", "Azerbaijan", "Belarus", "Belize", "Bolivia", "Bosnia and Herzegovina", "Botswana", "Brunei",
	"Cambodia", "Cameroon", "Cuba", "El Salvador", "Ethiopia", "Fiji", "Guatemala", "Guyana", "Haiti", "Honduras", "Iran", "Iraq", "Ivory Coast",
	"Macao", "Macedonia", "Moldova", "Mongolia", "Montenegro", "Mozambique", "Myanmar", "Namibia", "Nepal", "Nicaragua", "Paraguay", "Rwanda", "Samoa", "Senegal", "Seychelles",
	"Tanzania", "Trinidad and Tobago", "Tunisia", "Turks and Caicos Islands", "Uganda", "Uzbekistan", "Vanuatu", "Virgin Islands", "Zambia", "Zimbabwe",
	"Abu Dhabi", "Alderney", "Antigua and Barbuda", "Benin", "Bhutan", "Burkina Faso", "Czechia", "Eswatini", "Gabon", "Gambia", "Grenada", "Kosovo", "Kyrgyzstan", "Laos", "Lesotho",
	"Madagascar", "Malawi", "Maldives", "San Marino", "Sark", "Sierra Leone", "Solomon Islands", "Suriname", "Tajikistan", "Tonga", "Turkmenistan", "Türkiye",
	"United States of America", "United States",
})

// otherSpellings are other names and spellings of places.
var otherSpellings = []struct{ pattern, place string }{
	{`People\S{0,4}\s+Republic\s+of\s+China`, "People's Republic of China"},
	{`P\.?\s?R\.?\s?C|P\.?\s?R\.?\s+(?:of\s+)?China`, "the People's Republic of China"},
	{`Republic\s+of\s+China|R\.O\.C`, "Taiwan"},
	{`U\.?S\.?A|U\.S`, "United States of America"},
	{`U\.?K`, "United Kingdom"},
}

// jurisdiction matches a place on one line, ignoring case. Texts made from PDFs lose the
// spaces in names. respelled matches each of otherSpellings.
var jurisdiction, respelled = placePatterns()

func placePatterns() (*regexp.Regexp, []*regexp.Regexp) {
	var all []string
	var each []*regexp.Regexp
	for _, o := range otherSpellings {
		all, each = append(all, o.pattern), append(each, regexp.MustCompile(`(?i)^(?:`+o.pattern+`)$`))
	}
	names := strings.ReplaceAll(strings.Join(jurisdictions, "|"), " ", `\s*`)
	return regexp.MustCompile(`(?i)\b(` + strings.Join(all, "|") + "|" + names + `)\b`), each
}

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
	for _, kind := range []string{"State", "Commonwealth", "Province", "Federal Republic", "Republic", "Kingdom", "Grand Duchy", "Principality", "Sultanate"} {
		if strings.HasSuffix(strings.ToLower(strings.TrimSpace(before)), strings.ToLower(kind)+" of") {
			return "the " + kind + " of " + place
		}
	}
	return place
}

// placeName returns the name of a jurisdiction in the spelling of jurisdictions.
func placeName(s string) string {
	s = passage.OneLine(s)
	for i, r := range respelled {
		if r.MatchString(s) {
			return otherSpellings[i].place
		}
	}
	for _, j := range jurisdictions {
		if strings.EqualFold(strings.ReplaceAll(j, " ", ""), strings.ReplaceAll(s, " ", "")) {
			return j
		}
	}
	return s
}

// partsOf returns the states or provinces of a federal country, nil for other places.
func partsOf(country string) []string {
	switch country {
	case "United States", "United States of America":
		return americanStates
	case "Canada":
		return canadianProvinces
	case "Australia":
		return australianStates
	}
	return nil
}

// WithCountry returns a place with its country if that is Canada or Australia, whose parts
// are less known than those of the United States: "the Province of Ontario, Canada".
func WithCountry(place string) string {
	for _, country := range []string{"Canada", "Australia"} {
		if slices.ContainsFunc(partsOf(country), func(part string) bool { return place == part || strings.HasSuffix(place, " of "+part) }) {
			return place + ", " + country
		}
	}
	return place
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
	"colombian": "Colombia", "peruvian": "Peru", "singaporean": "Singapore", "taiwanese": "Taiwan", "british": "United Kingdom", "south african": "South Africa",
	"south korean": "South Korea", "saudi": "Saudi Arabia", "saudi arabian": "Saudi Arabia", "emirati": "United Arab Emirates", "pakistani": "Pakistan", "jordanian": "Jordan", "kuwaiti": "Kuwait",
	"qatari": "Qatar", "omani": "Oman", "bahraini": "Bahrain", "lebanese": "Lebanon", "bermudian": "Bermuda", "bermudan": "Bermuda", "venezuelan": "Venezuela", "ecuadorian": "Ecuador",
	"panamanian": "Panama", "uruguayan": "Uruguay", "costa rican": "Costa Rica", "serbian": "Serbia", "moroccan": "Morocco", "tunisian": "Tunisia", "ghanaian": "Ghana", "sri lankan": "Sri Lanka",
	"bangladeshi": "Bangladesh", "kazakh": "Kazakhstan", "mauritian": "Mauritius", "jamaican": "Jamaica", "luxembourgish": "Luxembourg", "macanese": "Macau", "californian": "California",
	"victorian": "Victoria", "tasmanian": "Tasmania", "manx": "Isle of Man", "welsh": "Wales", "northern irish": "Northern Ireland", "filipino": "Philippines", "american": "United States of America",
	"zambian": "Zambia", "tanzanian": "Tanzania", "ugandan": "Uganda", "zimbabwean": "Zimbabwe", "namibian": "Namibia", "rwandan": "Rwanda", "ethiopian": "Ethiopia", "mozambican": "Mozambique",
	"bahamian": "Bahamas", "barbadian": "Barbados", "trinidadian": "Trinidad and Tobago", "cuban": "Cuba", "haitian": "Haiti", "guatemalan": "Guatemala", "honduran": "Honduras", "paraguayan": "Paraguay",
	"bolivian": "Bolivia", "fijian": "Fiji", "nepalese": "Nepal", "nepali": "Nepal", "cambodian": "Cambodia", "mongolian": "Mongolia", "albanian": "Albania", "algerian": "Algeria", "angolan": "Angola",
	"armenian": "Armenia", "azerbaijani": "Azerbaijan", "belarusian": "Belarus", "iranian": "Iran", "iraqi": "Iraq", "macedonian": "Macedonia", "moldovan": "Moldova", "montenegrin": "Montenegro", "senegalese": "Senegal", "uzbek": "Uzbekistan", "texan": "Texas",
}

// nationalLaw matches the name of such a law.
var nationalLaw = regexp.MustCompile(`(?i)\b((?:south\s+|sri\s+|costa\s+|saudi\s+|northern\s+)?[a-z]+)\s+` + lawKinds + `laws?\b`)
