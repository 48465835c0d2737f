package negotiate

import "strings"

// RespondAsync is the one preference of RFC 7240 that the API knows.
const RespondAsync = "respond-async"

// PrefersAsync reports whether Prefer headers name respond-async, in any case and
// without a value. Parameters are of no matter, and if it is named twice the
// first one counts (RFC 7240, section 2). What cannot be read is no preference.
func PrefersAsync(headers []string) bool {
	for _, header := range headers {
		for _, preference := range splitUnquoted(header, ',') {
			token, value, _ := strings.Cut(splitUnquoted(preference, ';')[0], "=")
			if strings.EqualFold(strings.TrimSpace(token), RespondAsync) {
				value = strings.TrimSpace(value)
				return value == "" || value == `""`
			}
		}
	}
	return false
}

// splitUnquoted splits s at each separator that is not in a quoted string (RFC
// 9110, section 5.6.4).
func splitUnquoted(s string, separator byte) []string {
	var parts []string
	begin, quoted := 0, false
	for i := 0; i < len(s); i++ {
		switch {
		case quoted && s[i] == '\\':
			i++ // whatever it is, it ends nothing
		case s[i] == '"':
			quoted = !quoted
		case !quoted && s[i] == separator:
			parts = append(parts, s[begin:i])
			begin = i + 1
		}
	}
	return append(parts, s[begin:])
}
