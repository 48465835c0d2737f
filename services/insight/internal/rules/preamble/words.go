package preamble

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rectohq/recto/services/insight/internal/space"
)

// set returns the words of a list as a set.
func set(words string) map[string]bool {
	all := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		all[w] = true
	}
	return all
}

var (
	// forms are the legal forms that end the name of a company, in lower case without
	// periods.
	forms = set(`inc incorporated corp corporation ltd limited llc llp lllp lp plc pllc pc na gmbh mbh ag kg kgaa ohg ug se sa sas sarl
		snc srl spa sl nv bv cv ab asa aps oy oyj doo jdoo sro kft zrt bhd sdn kk ltda lda slu ilp ulc dac clg pte pty pvt aktiengesellschaft as a/s i/s şti oo spr gug ggmbh unipessoal
		ry ev vof bvba pvba sprl eurl sasu srls scarl ehf hf ike epe eood ood onlus jsc`)
	// middles are words that end the name of an organization or stand within it.
	middles = set(`company co trust bank partnership partners group holdings fund association university college institute foundation
		society hospital authority council department ministry agency church enterprises ventures bancorp bancshares club league
		corporation limited union cooperative nation city county state district commission laboratories laboratory press board mhc
		municipality trustees verein stiftung stichting fondation fondazione fundación fundacion fundação fundacja associazione asociación asociacion associação
		association school academy clinic practice guild parish library museum theatre kennels orchestra choir charity coopérative cooperativa genossenschaft gemeinde kommune commune mairie ayuntamiento comunidad förening forening yayasan egyesület alapítvány säätiö`)
	// joiners stand within names although they are in lower case.
	joiners = set(`of the for de del der den van von und y et la le du di da do dos e en i ve och og ja és & - / + @ a/k/a`)
	// degrees follow the name of a person after a comma.
	degrees = set(`jr sr ii iii iv esq md phd nd dds cpa do dvm pharmd`)
	// generic are words that continue a name after "and". A name does not begin with them.
	generic = set(`life trust human technology technologies gas sons company co associates partners savings casualty guaranty insurance research
		development services service science sciences marketing distribution trading engineering electric power light fire health
		medical commerce loan mechanical export communications exploration production manufacturing sales equipment entertainment
		media wales accident indemnity security telecommunications software country clinic retirement sports economic hospital annuity surety recreation`)
	// enders are words that no name contains or continues with.
	enders = set(`this these whereas witnesseth recitals agreement dated hereinafter hereby between among amongst a an as with having located
		whose which exhibit schedule table source by is and or article section execution recital whereof that party parties including abn acn arbn nzbn siren siret`)
	// notNames are words of which no name consists.
	notNames = set(`agreement contract party parties you we us undersigned entity effective date company licensor licensee supplier customer seller buyer
		purchaser vendor consultant employee employer executive distributor agent franchisor franchisee developer reseller contractor client
		sponsor owner lender borrower landlord tenant lessor lessee bank fund trust provider recipient manufacturer affiliate affiliates
		subsidiaries each both the following below persons entities and of its members member certain other others
		january february march april may june july august september october november december
		america states united state delaware california texas york new section article sections parent guarantor
		shareholders stockholders holders investors underwriters section terms conditions no name address to insert organisation organization`)
)

// zip matches a state of two letters with its postal code, which is no legal form.
var zip = space.Compile(`^\w\w\.?,?\s+\d`)

// letterAt reports whether the byte at i belongs to a word.
func letterAt(s string, i int) bool {
	return i >= 0 && i < len(s) && (s[i] >= 'a' && s[i] <= 'z' || s[i] >= 'A' && s[i] <= 'Z' || s[i] >= utf8.RuneSelf && s[i] < 0xE2)
}

// asciiLower returns s with the letters A to Z in lower case, so that offsets stay the same.
func asciiLower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// cut returns the length of the first n bytes of s without a partial character.
func cut(s string, n int) int {
	if len(s) <= n {
		return len(s)
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return n
}

// plain returns a word in lower case without periods and surrounding punctuation.
func plain(word string) string {
	return strings.ToLower(strings.ReplaceAll(strings.Trim(word, ".,;:'’\"“”"), ".", ""))
}

// possessor returns a word without the "'s" at its end.
func possessor(word string) string {
	return strings.TrimSuffix(strings.TrimSuffix(word, "'s"), "’s")
}

// isForm reports whether a word is the legal form of a company. "e.g." is none, but "eG" is.
func isForm(word string) bool {
	return forms[plain(word)] || word == "eG" || word == "s.c." || word == "S.C."
}

// wordAt returns the word at the beginning of s: up to white space or a mark that is not
// part of names. An underscore between two letters is part of the word.
func wordAt(s string) string {
	for i, r := range s {
		switch {
		case r == '_' && letterAt(s, i-1) && letterAt(s, i+1):
		case space.Is(r) || strings.ContainsRune(",;:()[]\"“”_*|", r):
			return s[:i]
		}
	}
	return s
}

// minUnderline is the minimum number of hyphens that underline the text above them.
const minUnderline = 3

// gap returns the length of the white space at the beginning of s, and whether it contains
// an empty line. A line of hyphens that underlines the text above it is white space.
func gap(s string) (length int, broken bool) {
	rest := strings.TrimLeftFunc(s, space.Is)
	if under := strings.TrimLeft(rest, "-"); len(rest) < len(s) && len(rest)-len(under) >= minUnderline {
		return len(s) - len(strings.TrimLeftFunc(under, space.Is)), false
	}
	length = len(s) - len(rest)
	return length, strings.Count(s[:length], "\n") > 1
}

// capital reports whether a text begins like a word of a name: with a capital letter or a
// digit.
func capital(s string) bool {
	for i, c := range s {
		if unicode.IsUpper(c) || unicode.IsDigit(c) || unicode.IsLetter(c) && !unicode.IsLower(c) {
			return true
		}
		if i > 2 || !unicode.IsLetter(c) && !strings.ContainsRune("(-'’", c) {
			return false
		}
	}
	return false
}

// abbreviation reports whether the period at the end of a word belongs to it.
func abbreviation(word string) bool {
	p := plain(word)
	return forms[p] && len(p) <= len("gmbh") || degrees[p] || len(p) <= 2 || strings.Contains(strings.TrimSuffix(word, "."), ".") ||
		p == "corp" || p == "etc" || p == "bros" || p == "intl" || p == "mfg" || p == "pharm" || p == "tech" || p == "labs" || p == "mrs" || p == "prof" || p == "univ"
}

// HasForm reports whether a name is that of an organization, judged by its words.
func HasForm(name string) bool {
	words := strings.Fields(name)
	for i, w := range words {
		p := strings.Trim(plain(w), "()")
		if i > 0 && isForm(strings.Trim(w, "()")) || middles[p] && (i > 0 || len(words) > 1) {
			return true
		}
	}
	return false
}
