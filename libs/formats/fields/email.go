package fields

import "regexp"

// emailForm is what browsers accept (WHATWG HTML, section 4.10.5.1.5), but
// that the domain has a dot.
var emailForm = regexp.MustCompile("^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?" +
	`(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)+$`)

// ValidEmail reports whether s is an e-mail address as a field of that type takes
// one: as browsers check it, with a dot in the domain.
func ValidEmail(s string) bool { return emailForm.MatchString(s) }
