package detect

import (
	"strings"
	"unicode"

	"github.com/rectohq/recto/libs/formats/fields"
)

// maxWords bounds the words of a label or prompt that are examined.
const maxWords = 80

// TypeOf returns the type of values for a blank with the label, or Text if the label does
// not imply one. It understands labels ("E-mail", "Date of birth"), identifiers
// ("party_1_email") and phrases ("Full legal name of the company"). It knows the relevant
// nouns in English, and the usual ones of forms in German, French, Spanish and Italian.
//
// The noun that a phrase is about decides: "Date the company was founded" is a date.
// Types whose values have a grammar are returned only if the noun is clear, because a
// wrong one would reject correct values.
func TypeOf(label string) fields.Type {
	words := splitWords(label)
	if t := phraseType(strings.Join(words, " ")); t != "" {
		return t
	}
	head, rest := headOf(words)
	for i := len(head) - 1; i >= 0; i-- {
		t := nounTypes[head[i]]
		switch {
		case transparent(head, i):
		case t == "" && plainNouns[head[i]]:
			return fields.Text
		case t == "":
		case t == fields.Name:
			return nameOf(head, rest)
		case t == fields.Number && !counts(head, i):
			return fields.Text
		case i < len(head)-1 && strict(t) && !qualifier(head[i+1]):
			return fields.Text
		default:
			return t
		}
	}
	return fields.Text
}

// transparent reports whether the word at head[i] only states what kind of value the
// preceding word names: "phone number", "e-mail address".
func transparent(head []string, i int) bool {
	if i == 0 {
		return false
	}
	switch head[i] {
	case "number", "numbers", "no", "nr", "line":
		t := nounTypes[head[i-1]]
		return t == fields.Phone || t == fields.SSN
	case "address", "addresses", "adresse":
		t := nounTypes[head[i-1]]
		return t == fields.Email || t == fields.URL || head[i-1] == "mail" || head[i-1] == "ip" || head[i-1] == "internet"
	}
	return false
}

// phraseType returns the type of labels whose noun alone does not determine it.
func phraseType(label string) fields.Type {
	switch label {
	case "by", "sign here", "signed", "signed by", "its by", "x", "par", "durch":
		return fields.Signature
	case "e mail", "e mail address", "email address", "mail address", "adresse e mail":
		return fields.Email
	case "web site", "web address", "site web", "sitio web", "sito web", "internet address":
		return fields.URL
	case "number", "amount", "quantity", "total", "sum", "age", "qty", "anzahl", "betrag", "montant", "importe", "cantidad", "importo":
		return fields.Number
	case "dob", "born on", "geboren am", "dated", "dated as of", "né le", "née le", "effective as of", "data", "data di nascita":
		return fields.Date
	case "ssn", "social security", "social security no", "social security number", "ss number", "ss no":
		return fields.SSN
	case "sex", "gender", "geschlecht", "sexe", "sexo", "sesso", "género", "genero", "genre":
		return fields.Gender
	}
	if strings.HasSuffix(label, " in words") {
		return fields.Text
	}
	if strings.HasSuffix(label, "social security number") || strings.HasSuffix(label, " ssn") {
		return fields.SSN
	}
	if strings.HasSuffix(label, " e mail") || strings.HasSuffix(label, " e mail address") || strings.HasSuffix(label, " email address") {
		return fields.Email
	}
	return ""
}

// headOf splits a phrase before the first word that begins a qualifier of its noun: a
// preposition, a relative pronoun, or a determiner that is not the first word.
func headOf(words []string) (head, rest []string) {
	for len(words) > 0 && (determiner(words[0]) || words[0] == "please" || imperatives[words[0]]) {
		words = words[1:]
	}
	for i, w := range words {
		if i > 0 && (preposition(w) || determiner(w) || interrogative(w)) {
			return words[:i], words[i:]
		}
	}
	return words, nil
}

// nameOf returns Company for company names, and Name for names of people.
func nameOf(head, rest []string) fields.Type {
	for _, w := range head {
		if human(w) {
			return fields.Name
		}
	}
	for _, w := range head {
		if organizations[w] {
			return fields.Company
		}
		if w == "user" || w == "domain" || w == "file" || w == "product" || w == "project" {
			return fields.Text
		}
	}
	subject, _ := headOf(withoutPreposition(rest))
	for _, w := range subject {
		if organizations[w] {
			return fields.Company
		}
	}
	return fields.Name
}

// human reports whether a word names a person or a role.
func human(w string) bool {
	switch w {
	case "signatory", "signer", "officer", "director", "person", "individual", "contact", "representative", "witness",
		"first", "last", "firstname", "lastname", "surname", "employee", "printed", "print":
		return true
	}
	return false
}

func withoutPreposition(words []string) []string {
	if len(words) > 0 && preposition(words[0]) {
		return words[1:]
	}
	return words
}

// counts reports whether the number or amount at head[i] is a quantity, as in "number of
// shares" but not in "certificate number".
func counts(head []string, i int) bool {
	if i == 0 || len(head) > 2 || i != len(head)-1 {
		return i == 0 && len(head) == 1
	}
	return head[i-1] == "total" || head[i-1] == "authorized" || head[i-1] == "maximum" || head[i-1] == "minimum"
}

// strict reports whether values of the type have a grammar.
func strict(t fields.Type) bool {
	switch t {
	case fields.Date, fields.Phone, fields.Email, fields.URL, fields.Number, fields.SSN, fields.Gender:
		return true
	}
	return false
}

// qualifier reports whether a word after the noun of a label does not change its type:
// "date signed", "phone number", "email address".
func qualifier(w string) bool {
	switch w {
	case "signed", "number", "no", "nr", "nummer", "address", "here", "line", "optional", "required", "work", "home",
		"mobile", "office", "field", "1", "2", "3", "start", "end", "due", "issued", "executed", "completed", "received":
		return true
	}
	return false
}

// known reports whether a label asks for user input.
func known(label string) bool {
	words := splitWords(label)
	if phraseType(strings.Join(words, " ")) != "" {
		return true
	}
	head, _ := headOf(words)
	if n := len(head); n > 1 && strings.Trim(head[n-1], "0123456789") == "" {
		head = head[:n-1]
	}
	for _, w := range head[max(0, len(head)-2):] {
		if placeholderNoun(w) {
			return true
		}
	}
	return false
}

// placeholderNoun reports whether a word names something that users fill in.
func placeholderNoun(w string) bool {
	if nounTypes[w] != "" || plainNouns[w] || organizations[w] {
		return true
	}
	singular, plural := strings.CutSuffix(w, "s")
	return plural && (nounTypes[singular] != "" || plainNouns[singular] || organizations[singular])
}

// splitWords splits s into lower-case words of letters, digits and apostrophes.
// Identifiers are split at underscores and before capital letters.
func splitWords(s string) []string {
	var words []string
	var word strings.Builder
	flush := func() {
		if w := strings.Trim(word.String(), "'’"); w != "" {
			words = append(words, strings.ToLower(w))
		}
		word.Reset()
	}
	lower := false
	for _, r := range s {
		if len(words) >= maxWords {
			return words
		}
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '\'' || r == '’':
			if lower && unicode.IsUpper(r) {
				flush()
			}
			word.WriteRune(r)
		default:
			flush()
		}
		lower = unicode.IsLower(r)
	}
	flush()
	return words
}
