package documentapi

import (
	"strconv"
	"strings"
)

// The prefixes of object keys. Clients upload under UploadPrefix: every object there
// is either waiting to be sealed or no longer needed. Sealed content is under
// ContentPrefix.
const (
	UploadPrefix  = "incoming/"
	ContentPrefix = "content/"
)

// UploadKey returns the key for the upload of a file. If file is "", it returns the
// common prefix of all uploads to the document. All uploads share one folder, because a
// folder for each document would be created and removed while other files of the
// document are being uploaded.
func UploadKey(organization, document, file string) string {
	return UploadPrefix + organization + "." + document + "." + file
}

// ContentKey returns the key for the sealed bytes of a file. The object is written once
// and never changes. If file is "", ContentKey returns the common prefix of all contents
// of the document.
func ContentKey(organization, document, file string) string {
	return ContentPrefix + organization + "/" + document + "/" + file
}

// Upload identifies the file of an upload.
type Upload struct{ Organization, Document, File string }

// ParseUploadKey is the inverse of UploadKey. It returns false if key is not the key of
// an upload.
func ParseUploadKey(key string) (Upload, bool) {
	name, found := strings.CutPrefix(key, UploadPrefix)
	parts := strings.Split(name, ".")
	if !found || len(parts) != 3 || parts[0] == "" || parts[1] == "" || parts[2] == "" || strings.Contains(name, "/") {
		return Upload{}, false
	}
	return Upload{parts[0], parts[1], parts[2]}, true
}

// StagedKey returns the key for one part of a staged file.
func StagedKey(organization, document, file string, part int64) string {
	return UploadKey(organization, document, file) + "." + strconv.FormatInt(part, 10)
}

// ParseStagedKey returns the file of a key of StagedKey. It returns false if key is not
// such a key.
func ParseStagedKey(key string) (Upload, bool) {
	dot := strings.LastIndexByte(key, '.')
	if dot < 0 {
		return Upload{}, false
	}
	if _, err := strconv.ParseUint(key[dot+1:], 10, 32); err != nil {
		return Upload{}, false
	}
	return ParseUploadKey(key[:dot])
}

// SealedKey returns the key of the sealed object for an upload, and false if key is not
// the key of an upload. Once the sealed object exists, the file is sealed, and objects
// that are put under the upload key have no effect.
func SealedKey(key string) (string, bool) {
	u, ok := ParseUploadKey(key)
	if !ok {
		return "", false
	}
	return ContentKey(u.Organization, u.Document, u.File), true
}
