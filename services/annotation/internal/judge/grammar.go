package judge

import (
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/problem"
)

// The grammars of values.
var (
	numberForm = regexp.MustCompile(`^-?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)$`)
	ssnForm    = regexp.MustCompile(`^(?:[0-9]{3}-[0-9]{2}-[0-9]{4}|[0-9]{9})$`)
	phoneForm  = regexp.MustCompile(`^[0-9+\-(). ]+$`)
	dateForm   = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}$`)
)

// The number of digits in a phone number. The maximum is from ITU-T E.164.
const (
	minPhoneDigits = 7
	maxPhoneDigits = 15
)

// checkGrammar validates text against the grammar of type t. An empty text clears a
// field, except for number and ssn fields, where it is invalid.
//
// No fault repeats the text: it may be an SSN.
func checkGrammar(t fields.Type, text string) []problem.Fault {
	if text == "" && t != fields.Number && t != fields.SSN {
		return nil
	}
	var fault *problem.Fault
	switch t {
	case fields.Number:
		fault = checkNumber(text)
	case fields.SSN:
		fault = checkSSN(text)
	case fields.URL:
		fault = checkURL(text)
	case fields.Email:
		fault = checkEmail(text)
	case fields.Phone:
		fault = checkPhone(text)
	case fields.Date:
		fault = checkDate(text)
	}
	if fault == nil {
		return nil
	}
	return []problem.Fault{*fault}
}

func checkNumber(text string) *problem.Fault {
	if numberForm.MatchString(text) {
		return nil
	}
	return &problem.Fault{
		Code: problem.CodeNumberInvalid, Message: "must be a number",
		Resolution: `Send a string of digits with an optional leading "-" and an optional decimal point, for example "-1234.5".`,
	}
}

func checkSSN(text string) *problem.Fault {
	if ssnForm.MatchString(text) {
		return nil
	}
	return &problem.Fault{
		Code: problem.CodeSSNInvalid, Message: "must be a Social Security number of 9 digits",
		Resolution: `Send it as "XXX-XX-XXXX" or "XXXXXXXXX", where each X is a digit.`,
	}
}

func checkEmail(text string) *problem.Fault {
	if fields.ValidEmail(text) {
		return nil
	}
	return &problem.Fault{
		Code: problem.CodeEmail, Message: "must be an e-mail address",
		Resolution: `Send one address, for example "name@example.com".`,
	}
}

func checkPhone(text string) *problem.Fault {
	digits := 0
	for _, r := range text {
		if '0' <= r && r <= '9' {
			digits++
		}
	}
	if phoneForm.MatchString(text) && minPhoneDigits <= digits && digits <= maxPhoneDigits {
		return nil
	}
	return &problem.Fault{
		Code: problem.CodePhoneInvalid, Message: "must be a phone number of 7 to 15 digits",
		Resolution: `Send 7 to 15 digits. The characters "+", "-", "(", ")", "." and spaces are allowed between them, for example "+1 (555) 010-9999".`,
	}
}

func checkDate(text string) *problem.Fault {
	if dateForm.MatchString(text) && text >= "0001" {
		if _, err := time.Parse(time.DateOnly, text); err == nil {
			return nil
		}
	}
	return &problem.Fault{
		Code: problem.CodeInvalidDateFormat, Message: "must be a valid date in the form YYYY-MM-DD",
		Resolution: `Send year, month and day with hyphens, for example "2026-01-31".`,
	}
}

// checkURL requires an absolute URL. A missing protocol has its own fault, because people
// often leave it out.
func checkURL(text string) *problem.Fault {
	scheme, rest, _ := strings.Cut(strings.TrimSpace(text), ":")
	if !strings.EqualFold(scheme, "http") && !strings.EqualFold(scheme, "https") {
		return &problem.Fault{
			Code: problem.CodeURLMissingProtocol, Message: "must begin with http:// or https://",
			Resolution: `Send the complete URL with its protocol and without spaces, for example "https://example.com/page".`,
		}
	}
	if strings.HasPrefix(rest, "//") && !strings.ContainsFunc(text, notInURL) {
		if u, err := url.Parse(text); err == nil && validHost(u) {
			return nil
		}
	}
	return &problem.Fault{
		Code: problem.CodeURLInvalid, Message: "must be a URL with a host and without spaces",
		Resolution: `Send a complete URL, for example "https://example.com/page".`,
	}
}

func notInURL(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsControl(r) || r == unicode.ReplacementChar || strings.ContainsRune("<>\"\\^`{|}", r)
}

// validHost reports whether the host of u is a name or an IP address, and its port, if
// any, is valid.
func validHost(u *url.URL) bool {
	host, port := u.Hostname(), u.Port()
	if n, err := strconv.ParseUint(port, 10, 16); port != "" && (err != nil || n == 0) {
		return false
	}
	if strings.HasPrefix(u.Host, "[") {
		_, err := netip.ParseAddr(host)
		return err == nil
	}
	host = strings.TrimSuffix(host, ".")
	if host == "" || len(host) > 253 {
		return false
	}
	for label := range strings.SplitSeq(host, ".") {
		if label == "" || strings.ContainsFunc(label, notInLabel) {
			return false
		}
	}
	return true
}

// notInLabel reports whether r may not occur in a label of a host name. Labels may use
// non-Latin scripts and underscores.
func notInLabel(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && r != '-' && r != '_'
}
