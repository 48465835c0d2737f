package blob

import (
	"bytes"
	"mime"
	"strings"
)

// FormHead is how many of the first bytes of a content IsForm needs to see.
const FormHead = 2 << 10

// maxBoundary is the longest boundary of a multipart body (RFC 2046, section
// 5.1.1).
const maxBoundary = 70

// IsForm reports whether a content is a multipart/form-data body instead of a
// file: what a client sends that uploads a form with a file in it. Head is the
// first FormHead bytes of the content, or all of a shorter one; contentType is
// what it was sent as. Other bytes under a multipart type are no form. A form
// under another type is one all the same: its first part says so.
func IsForm(contentType string, head []byte) bool {
	head = bytes.TrimPrefix(head, []byte("\r\n"))
	rest, found := bytes.CutPrefix(head, []byte("--"))
	if !found {
		return false
	}
	mediaType, parameters, _ := mime.ParseMediaType(contentType)
	boundary := parameters["boundary"]
	if after, same := bytes.CutPrefix(rest, []byte(boundary)); same && boundary != "" && mediaType == "multipart/form-data" {
		// A form without parts is its last delimiter alone.
		return bytes.HasPrefix(after, []byte("\r\n")) || bytes.HasPrefix(after, []byte("--"))
	}
	line, header, found := bytes.Cut(rest, []byte("\r\n"))
	if !found || len(line) == 0 || len(line) > maxBoundary {
		return false
	}
	header, _, _ = bytes.Cut(header, []byte("\r\n\r\n"))
	for field := range bytes.SplitSeq(header, []byte("\r\n")) {
		name, value, _ := strings.Cut(string(field), ":")
		disposition, _, _ := strings.Cut(value, ";")
		if strings.EqualFold(name, "Content-Disposition") && strings.EqualFold(strings.TrimSpace(disposition), "form-data") {
			return true
		}
	}
	return false
}
