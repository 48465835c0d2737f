package documentapi

import (
	"strconv"
	"strings"
)

// The keys of objects begin with these prefixes. UploadPrefix is where clients
// put content: all that is there is either to be sealed or of no use any more.
// ContentPrefix is where sealed content is.
const (
	UploadPrefix  = "incoming/"
	ContentPrefix = "content/"
)

// UploadKey is the object that the upload URL of a file leads to; without a file
// it is what the keys of all uploads to the document begin with. All uploads are
// in one folder: one of its own would come and go with the first file of a
// document while others are being put into it.
func UploadKey(organization, document, file string) string {
	return UploadPrefix + organization + "." + document + "." + file
}

// ContentKey is the object that holds the bytes of a file for ever, once it is
// sealed: it is put there once. Without a file it is what the keys of all
// contents of the document begin with.
func ContentKey(organization, document, file string) string {
	return ContentPrefix + organization + "/" + document + "/" + file
}

// Upload is the file that an upload is for.
type Upload struct{ Organization, Document, File string }

// ParseUploadKey returns what UploadKey made a key from, false if it made no such
// key.
func ParseUploadKey(key string) (Upload, bool) {
	name, found := strings.CutPrefix(key, UploadPrefix)
	parts := strings.Split(name, ".")
	if !found || len(parts) != 3 || parts[0] == "" || parts[1] == "" || parts[2] == "" || strings.Contains(name, "/") {
		return Upload{}, false
	}
	return Upload{parts[0], parts[1], parts[2]}, true
}

// StagedKey is the object of one part of a staged file.
func StagedKey(organization, document, file string, part int64) string {
	return UploadKey(organization, document, file) + "." + strconv.FormatInt(part, 10)
}

// ParseStagedKey returns the file that StagedKey made a key for, false if it made
// no such key.
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

// SealedKey returns the object that an upload is sealed as, false for a key of no
// upload. Once that object is there, the upload is sealed: what is put under its
// own key from then on is of no use.
func SealedKey(key string) (string, bool) {
	u, ok := ParseUploadKey(key)
	if !ok {
		return "", false
	}
	return ContentKey(u.Organization, u.Document, u.File), true
}
