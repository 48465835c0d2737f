// Package negotiate reads what clients accept and prefer from request headers (RFC 9110,
// section 12, and RFC 7240).
package negotiate

import (
	"mime"
	"strconv"
)

// Qualities returns the quality values, from 0 to 1, that content negotiation headers
// assign to what they name (RFC 9110, section 12.4.2). If a name appears twice, the first
// one counts.
func Qualities(headers []string) map[string]float64 {
	liked := map[string]float64{}
	for _, header := range headers {
		for _, named := range splitUnquoted(header, ',') {
			name, parameters, err := mime.ParseMediaType(named)
			if _, again := liked[name]; err != nil || again {
				continue
			}
			q, err := strconv.ParseFloat(parameters["q"], 64)
			if err != nil {
				q = 1
			}
			liked[name] = q
		}
	}
	return liked
}

// TakesGzip reports whether Accept-Encoding headers prefer gzip to no coding, or are
// indifferent.
func TakesGzip(headers []string) bool {
	liked := Qualities(headers)
	q, named := liked["gzip"]
	if !named {
		q = liked["*"]
	}
	return q > 0 && q >= liked["identity"]
}

// PrefersHTML reports whether Accept headers prefer HTML to JSON. Browsers name text/html
// explicitly; clients that accept anything get JSON.
func PrefersHTML(headers []string) bool {
	liked := Qualities(headers)
	for _, json := range []string{"application/json", "application/*", "*/*"} {
		if q, named := liked[json]; named {
			return liked["text/html"] > q
		}
	}
	return liked["text/html"] > 0
}
