package fields

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

const (
	// maxSlug is how many characters of a name an id repeats.
	maxSlug = 48
	// hashLength is how many hexadecimal digits tell names apart.
	hashLength = 12
)

// IDOf returns the id of a field that its file knows by a name: the name itself if
// it has the form of an id, otherwise one that is derived from it, always the same,
// as "agreementinput-party_name-3f5a1c2b9d04" from "party.name".
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
