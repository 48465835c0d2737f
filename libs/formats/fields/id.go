package fields

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

const (
	// maxSlug is how many characters of a name appear in an ID.
	maxSlug = 48
	// hashLength is the number of hexadecimal digits that keep IDs of different names
	// apart.
	hashLength = 12
)

// IDOf returns the ID of a field with the given name in its file. A name that is a valid
// ID is returned unchanged. For other names the ID is derived from the name and always
// the same, for example "agreementinput-party_name-3f5a1c2b9d04" for "party.name".
func IDOf(name string) string {
	if ValidID(name) {
		return name
	}
	slug := strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' {
			return r
		}
		return '_'
	}, name)
	slug = strings.Trim(slug[:min(len(slug), maxSlug)], "_")
	if slug == "" {
		slug = "field"
	}
	sum := sha256.Sum256([]byte(name))
	return IDPrefix + slug + "-" + hex.EncodeToString(sum[:])[:hashLength]
}
