package fields

import "regexp"

// emailForm is the pattern that browsers use (WHATWG HTML, section 4.10.5.1.5), except
// that the domain must contain a dot.
var emailForm = regexp.MustCompile("^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?" +
	`(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)+$`)

// ValidEmail reports whether s is a valid value of an e-mail field.
func ValidEmail(s string) bool { return emailForm.MatchString(s) }
