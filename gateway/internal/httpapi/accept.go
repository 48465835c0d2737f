package httpapi

import (
	"mime"
	"strconv"
)

// qualities returns how much headers of content negotiation like what they name,
// from 0 to 1 (RFC 9110, section 12.4.2). Of what is named twice the first counts.
func qualities(headers []string) map[string]float64 {
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

// takesGzip reports whether Accept-Encoding headers like gzip at least as much as
// no coding.
func takesGzip(headers []string) bool {
	liked := qualities(headers)
	q, named := liked["gzip"]
	if !named {
		q = liked["*"]
	}
	return q > 0 && q >= liked["identity"]
}

// prefersHTML reports whether Accept headers like a page more than JSON. Browsers name
// pages; what takes anything is answered in JSON.
func prefersHTML(headers []string) bool {
	liked := qualities(headers)
	for _, json := range []string{"application/json", "application/*", "*/*"} {
		if q, named := liked[json]; named {
			return liked["text/html"] > q
		}
	}
	return liked["text/html"] > 0
}
