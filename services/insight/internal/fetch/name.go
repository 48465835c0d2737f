package fetch

import (
	"cmp"
	"mime"
	"net/url"
	"path"
	"strings"
	"unicode"
)

// maxName is the maximum length of a file name, in characters.
const maxName = 255

// unnamed is the name of a document without a name.
const unnamed = "document"

// fileName returns the name from Content-Disposition (RFC 6266), or else the last part of
// the address.
func fileName(at *url.URL, disposition string) string {
	_, parameters, err := mime.ParseMediaType(disposition)
	if err != nil {
		parameters = nil
	}
	return cmp.Or(cleanName(parameters["filename"]), cleanName(strings.TrimRight(at.Path, "/")), unnamed)
}

// cleanName returns the last part of a path as a safe file name, "" if nothing is left of
// it.
func cleanName(name string) string {
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	name = strings.Map(func(r rune) rune {
		if r == unicode.ReplacementChar || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(name, ""))
	return shorten(strings.Trim(name, ". "))
}

// shorten cuts a name to maxName characters and keeps its extension.
func shorten(name string) string {
	characters := []rune(name)
	if len(characters) <= maxName {
		return name
	}
	extension := []rune(path.Ext(name))
	if len(extension) > maxName/2 {
		extension = nil
	}
	return string(characters[:maxName-len(extension)]) + string(extension)
}
