// Package negotiate is what clients accept and prefer, as the headers of their
// requests say (RFC 9110, section 12, and RFC 7240).
package negotiate

import (
	"mime"
	"strconv"
)

// Qualities returns how much headers of content negotiation like what they name,
// from 0 to 1 (RFC 9110, section 12.4.2). Of what is named twice the first counts.
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

// TakesGzip reports whether Accept-Encoding headers like gzip at least as much as
// no coding.
func TakesGzip(headers []string) bool {
	liked := Qualities(headers)
	q, named := liked["gzip"]
	if !named {
		q = liked["*"]
	}
	return q > 0 && q >= liked["identity"]
}

// PrefersHTML reports whether Accept headers like a page more than JSON. Browsers name
// pages; what takes anything is answered in JSON.
func PrefersHTML(headers []string) bool {
	liked := Qualities(headers)
	for _, json := range []string{"application/json", "application/*", "*/*"} {
		if q, named := liked[json]; named {
			return liked["text/html"] > q
		}
	}
	return liked["text/html"] > 0
}
