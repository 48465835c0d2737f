package blob

import (
	"bytes"
	"mime"
	"strings"
)

// FormHead is how many of the first bytes of a content IsForm needs.
const FormHead = 2 << 10

// maxBoundary is the longest boundary of a multipart body (RFC 2046, section
// 5.1.1).
const maxBoundary = 70

// IsForm reports whether a content is a multipart/form-data body rather than a file, as
// sent by a client that uploads a form containing the file. head is the first FormHead
// bytes of the content, or all of a shorter one; contentType is its declared type. Other
// bytes declared as multipart are not a form. A form declared as another type is
// recognized by the header of its first part.
func IsForm(contentType string, head []byte) bool {
	head = bytes.TrimPrefix(head, []byte("\r\n"))
	rest, found := bytes.CutPrefix(head, []byte("--"))
	if !found {
		return false
	}
	mediaType, parameters, _ := mime.ParseMediaType(contentType)
	boundary := parameters["boundary"]
	if after, same := bytes.CutPrefix(rest, []byte(boundary)); same && boundary != "" && mediaType == "multipart/form-data" {
		// A form without parts consists of its final delimiter only.
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
