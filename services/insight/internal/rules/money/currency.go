package money

import (
	"strings"

	"github.com/rectohq/recto/services/insight/internal/space"
)

// symbols maps signs before or after digits, without spaces and in upper case, to ISO
// 4217 codes. Any ISO code may also precede "$".
var symbols = map[string]string{
	"$": "USD", "＄": "USD", "US$": "USD", "U.S.$": "USD", "C$": "CAD", "CAN$": "CAD", "CDN$": "CAD", "CA$": "CAD",
	"A$": "AUD", "AU$": "AUD", "NZ$": "NZD", "HK$": "HKD", "S$": "SGD", "NT$": "TWD", "NTD": "TWD", "R$": "BRL", "MX$": "MXN", "MEX$": "MXN",
	"TT$": "TTD", "EC$": "XCD", "J$": "JMD", "BZ$": "BZD", "BD$": "BBD", "BDS$": "BBD", "FJ$": "FJD", "N$": "NAD", "RD$": "DOP", "GY$": "GYD",
	"€": "EUR", "£": "GBP", "¥": "JPY", "￥": "JPY", "JP¥": "JPY", "CN¥": "CNY", "RMB¥": "CNY", "RMB": "CNY", "₹": "INR", "RS.": "INR", "RS": "INR",
	"₩": "KRW", "₪": "ILS", "NIS": "ILS", "₱": "PHP", "₽": "RUB", "₦": "NGN", "₺": "TRY", "₫": "VND", "฿": "THB", "₴": "UAH", "₸": "KZT", "₡": "CRC",
	"₲": "PYG", "₵": "GHS", "GH₵": "GHS", "GH¢": "GHS", "₾": "GEL", "₮": "MNT", "RM": "MYR", "RP": "IDR", "RP.": "IDR", "R": "ZAR", "FR.": "CHF", "SFR.": "CHF", "SFR": "CHF",
	"DHS": "AED", "DHS.": "AED", "DH": "AED", "KSH": "KES", "KSH.": "KES", "KSHS": "KES", "KSHS.": "KES", "TSH": "TZS", "USH": "UGX", "S/": "PEN", "S/.": "PEN",
	"ZŁ": "PLN", "KČ": "CZK", "FT": "HUF", "ЛВ": "BGN", "РУБ": "RUB",
}

// iso holds the ISO 4217 codes of actual currencies.
var iso = setOf("AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLF CLP CNH CNY COP CRC CUP CVE CZK " +
	"DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HRK HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT " +
	"LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF " +
	"SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VES VND VUV WST XAF XCD XOF XPF YER ZAR ZMW ZWL")

// wordLike are codes that are also common English words. They count only if the text
// before them is not all capitals, and never before "$".
var wordLike = setOf("ALL TOP TRY")

// pointed are the currencies in which a point before three digits is a decimal point:
// those of countries that write decimals with a point, and those divided into
// thousandths.
var pointed = setOf("USD GBP CAD AUD NZD HKD SGD TWD MXN BHD IQD JOD KWD LYD OMR TND")

// names maps a currency word beside an amount to its code.
var names = map[string]string{
	"dollar": "USD", "dollars": "USD", "euro": "EUR", "euros": "EUR", "pounds": "GBP", "yen": "JPY", "rmb": "CNY",
	"renminbi": "CNY", "yuan": "CNY", "rupees": "INR", "francs": "CHF", "zloty": "PLN", "zlotys": "PLN", "ringgit": "MYR", "rupiah": "IDR",
	"naira": "NGN", "dirhams": "AED", "dirham": "AED", "shekels": "ILS", "roubles": "RUB", "rubles": "RUB", "baht": "THB", "reais": "BRL",
	"forint": "HUF", "cedis": "GHS", "sterling": "GBP", "riyals": "SAR", "rand": "ZAR",
}

// adjectives maps the name of a currency with its country to its code.
var adjectives = map[string]string{
	"us dollars": "USD", "u.s. dollars": "USD", "u.s dollars": "USD", "united states dollars": "USD", "american dollars": "USD", "canadian dollars": "CAD", "australian dollars": "AUD", "hong kong dollars": "HKD",
	"singapore dollars": "SGD", "new zealand dollars": "NZD", "taiwan dollars": "TWD", "jamaican dollars": "JMD", "namibian dollars": "NAD", "swiss francs": "CHF",
	"norwegian kroner": "NOK", "danish kroner": "DKK", "swedish kronor": "SEK", "swedish kroner": "SEK", "czech crowns": "CZK", "mexican pesos": "MXN", "philippine pesos": "PHP", "argentine pesos": "ARS",
	"colombian pesos": "COP", "chilean pesos": "CLP", "south african rand": "ZAR", "indian rupees": "INR", "pakistani rupees": "PKR", "sri lankan rupees": "LKR", "kenyan shillings": "KES", "kenya shillings": "KES",
	"egyptian pounds": "EGP", "pounds sterling": "GBP", "british pounds": "GBP", "saudi riyals": "SAR", "qatari riyals": "QAR", "turkish lira": "TRY", "south korean won": "KRW", "korean won": "KRW", "japanese yen": "JPY", "chinese yuan": "CNY",
	"uae dirhams": "AED", "brazilian reais": "BRL", "polish zloty": "PLN", "new israeli shekels": "ILS", "israeli shekels": "ILS",
}

const (
	adjective = `U\.?S\.?|united\s+states|american|canadian|australian|hong\s+kong|singapore|new\s+zealand|taiwan|jamaican|namibian|swiss|norwegian|danish|swedish|czech|mexican|philippine|argentine|colombian|chilean|(?:south\s+)?african|indian|pakistani|sri\s+lankan|kenyan?|egyptian|british|saudi|qatari|turkish|(?:south\s+)?korean|japanese|chinese|uae|brazilian|polish|(?:new\s+)?israeli`
	noun      = `dollars?|euros?|pounds(?:\s+sterling)?|sterling|yen|rmb|renminbi|yuan|rupees|francs|zlotys?|ringgit|rupiah|naira|dirhams?|shekels|roubles|rubles|baht|reais|forint|cedis|riyals|rand|kron(?:er|or)|crowns|pesos|shillings|lira|won`
)

var (
	// prefix matches a currency before digits. Currency names must be on the same line as
	// the digits.
	prefix = space.Compile(`((?:\b(?:(?i:U\.?S\.?)\s{0,2}|[A-Z]{2,3}\s{0,2}|[A-Z]))?[$＄]|(?:\b(?:RMB|CN|JP|GH)\s?)?[€£¥￥₹₩₪₱₽₦₺₫฿₴₸₡₲₵₾₮¢]|\b(?i:Rs)\.?|\b(?:Fr\.|S[Ff]r\.?|RM|R[Pp]\.?|Dhs?\.?|K[Ss]hs?\.?|TSh|USh)|\b(?:[A-Z]{3}|Usd|Eur|Gbp|usd|eur|gbp))\s{0,2}$`)
	// letter matches the signs of the South African and the Peruvian currency. They count
	// only before a large number, such as one in millions: "Exhibit R 5" is not an amount.
	letter = space.Compile(`(?:^|[\s(“"])(R|S/\.?)[ \x{a0}\x{202f}]?$`)
	named  = space.Compile(`(?i)(?:^|[^\pL])((?:(?:` + adjective + `)\s+)?(?:` + noun + `))[ \t\x{a0}\x{202f}]{1,2}$`)
	// suffix matches a currency after digits.
	suffix     = space.Compile(`(?i)^\)?\s{0,2}((?:(?:` + adjective + `)\s+)?(?:` + noun + `)|(?-i:[A-Z]{3}))\b`)
	suffixSign = space.Compile(`^[ \x{a0}\x{202f}]{0,2}([€£¥₹₩₪₱₽₦₺₫฿₴₸]|zł|Kč|Ft\b|РУБ|ЛВ)`)
	scale      = space.Compile(`(?i)^[\s-]{0,2}(thousand|millions?|billions?|trillion|mm|mn|m|k|bn|lakhs?|lacs?|crores?|mio\.?|mrd\.?|mill\.)(?:[^\pL\d]|$)`)
	spaces     = space.Compile(`\s+`)
	// streetAfter matches what follows the first word in the name of a street.
	streetAfter = space.Compile(`^\s(?:Street|Road|Avenue|Crescent|Lane|Drive|Court|Place|Way|Boulevard|Square|Terrace|Close|Park|Parkway|Row|Hill|House|(?:St|Rd|Ave|Blvd|Pkwy)\b)`)
)

// currencyBefore returns the currency before a number, its start, and whether several
// currencies share that sign or name. It returns "" if there is none.
func currencyBefore(text string, n numeral) (currency string, start int, shared bool) {
	base := max(0, n.Start-lookBehind)
	head := text[base:n.Start]
	if !mayName(head) {
		return "", 0, false
	}
	if m := prefix.FindStringSubmatchIndex(head); m != nil {
		if c, from := signed(head, m[2], m[3]); c != "" {
			return c, base + from, isShared(head[from:m[3]])
		}
	}
	if m := letter.FindStringSubmatchIndex(head); m != nil && (len(n.separators) > 0 || scale.MatchString(text[n.End:min(len(text), n.End+lookAhead)])) {
		return symbols[head[m[2]:m[3]]], base + m[2], false
	}
	if m := named.FindStringSubmatchIndex(head); m != nil {
		return currencyNamed(head[m[2]:m[3]]), base + m[2], isShared(head[m[2]:m[3]])
	}
	return "", 0, false
}

// mayName reports, from its last character or word, whether head may end in a currency
// sign or name. It rules out most numbers cheaply.
func mayName(head string) bool {
	head = strings.TrimRightFunc(head, space.Is)
	word := head[wordStart(head):]
	switch {
	case head == "":
		return false
	case word != "":
		upper := strings.ToUpper(word)
		return iso[upper] || symbols[upper] != "" || nouns[strings.ToLower(word)]
	}
	last := head[len(head)-1]
	return last >= 0x80 || strings.IndexByte("$./", last) >= 0
}

// wordStart returns the start of the run of ASCII letters at the end of s.
func wordStart(s string) int {
	i := len(s)
	for i > 0 && isLetter(s[i-1]) {
		i--
	}
	return i
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// signed returns the currency of the sign head[from:to] and its start. It skips text
// before "$" that is not part of a sign.
func signed(head string, from, to int) (string, int) {
	sign := strings.ToUpper(strings.Join(strings.Fields(head[from:to]), ""))
	if c, ok := symbols[sign]; ok && sign != "R" {
		return c, from
	}
	code := strings.TrimRight(sign, "$＄")
	doubtful := wordLike[code] && (code != sign || shouted(head[:from]))
	if iso[code] && !doubtful && (code == sign || head[from:from+3] == code) {
		return code, from
	}
	if i := strings.IndexAny(head[from:to], "$＄€£¥￥"); i > 0 {
		return signed(head, from+i, to)
	}
	return "", from
}

// shouted reports whether s has no lower-case letters.
func shouted(s string) bool { return strings.ToUpper(s) == s }

// currencyAfter returns the currency at the start of rest, its length, and whether
// several currencies share that sign or name. It returns "" if there is none.
func currencyAfter(rest string) (currency string, length int, shared bool) {
	if m := suffixSign.FindStringSubmatchIndex(rest); m != nil {
		sign := rest[m[2]:m[3]]
		return symbols[strings.ToUpper(sign)], m[1], isShared(sign)
	}
	m := suffix.FindStringSubmatchIndex(rest)
	if m == nil {
		return "", 0, false
	}
	word := rest[m[2]:m[3]]
	if streetAfter.MatchString(rest[m[1]:]) {
		return "", 0, false // "85 Sterling Crescent"
	}
	if iso[word] && !wordLike[word] {
		return word, m[1], false
	}
	if c := symbols[word]; c != "" { // such as "500 NTD"
		return c, m[1], false
	}
	return currencyNamed(word), m[1], isShared(word)
}

// currencyNamed returns the code of a currency name, with or without its country, "" if
// it is unknown.
func currencyNamed(s string) string {
	s = spaces.ReplaceAllString(strings.ToLower(s), " ")
	s = strings.Replace(s, "dollar", "dollars", 1)
	s = strings.Replace(s, "dollarss", "dollars", 1)
	if c := adjectives[s]; c != "" {
		return c
	}
	return names[s[strings.LastIndexByte(s, ' ')+1:]]
}

// nouns are the currency words that may follow a country name.
var nouns = setOf("dollar dollars euro euros pounds sterling yen rmb renminbi yuan rupees francs zloty zlotys ringgit rupiah rand naira dirham dirhams " +
	"shekels roubles rubles baht reais forint cedis riyals kroner kronor crowns pesos shillings lira won")

// isShared reports whether several currencies share a sign or name.
func isShared(s string) bool {
	switch strings.ToLower(s) {
	case "$", "＄", "dollar", "dollars", "¥", "￥":
		return true
	}
	return false
}

// scaleOf returns the power of ten that a scale word stands for, and whether the word is
// English.
func scaleOf(s string) (times int32, english bool) {
	s = strings.TrimRight(strings.ToLower(s), ".s")
	switch s {
	case "thousand", "k":
		return 3, true
	case "billion", "bn":
		return 9, true
	case "trillion":
		return 12, true
	case "lakh", "lac":
		return 5, true
	case "crore":
		return 7, true
	case "mrd":
		return 9, false
	case "mio", "mill":
		return 6, false
	}
	return 6, true
}

func setOf(s string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(s) {
		set[w] = true
	}
	return set
}
