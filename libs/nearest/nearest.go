// Package nearest finds the known name that a client most likely meant by an unknown one.
package nearest

import (
	"strings"

	"github.com/agnivade/levenshtein"
)

// maxLength bounds the length of compared names, because the cost is quadratic.
const maxLength = 128

// lettersPerSlip is the number of letters in a name for each tolerated wrong letter.
const lettersPerSlip = 3

// Meant returns the name in known that name is close to: at most one letter in three may
// be wrong. Case does not matter, and "-" matches "_". It returns "" if no name is close,
// since a wrong hint is worse than none.
func Meant(name string, known []string) string {
	meant, distance := Name(strings.ReplaceAll(strings.ToLower(name), "-", "_"), known)
	if distance*lettersPerSlip > len(name) {
		return ""
	}
	return meant
}

// Name returns the name in known with the smallest edit distance to name, and that
// distance. Of several it returns the first. It returns "" if known is empty or name is
// over 128 bytes.
func Name(name string, known []string) (best string, distance int) {
	if len(name) > maxLength {
		return "", 0
	}
	for _, k := range known {
		d := levenshtein.ComputeDistance(name, k)
		if best == "" || d < distance {
			best, distance = k, d
		}
	}
	return best, distance
}
