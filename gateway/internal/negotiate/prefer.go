package negotiate

import "strings"

// RespondAsync is the only preference of RFC 7240 that the API supports.
const RespondAsync = "respond-async"

// PrefersAsync reports whether Prefer headers contain respond-async, in any case and
// without a value. Parameters are ignored, and if it appears twice, the first one counts
// (RFC 7240, section 2). Malformed preferences are ignored.
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

// splitUnquoted splits s at each separator outside quoted strings (RFC 9110, section
// 5.6.4).
func splitUnquoted(s string, separator byte) []string {
	var parts []string
	begin, quoted := 0, false
	for i := 0; i < len(s); i++ {
		switch {
		case quoted && s[i] == '\\':
			i++ // an escaped character does not end the string
		case s[i] == '"':
			quoted = !quoted
		case !quoted && s[i] == separator:
			parts = append(parts, s[begin:i])
			begin = i + 1
		}
	}
	return append(parts, s[begin:])
}
