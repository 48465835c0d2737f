// Package nearest finds the known name that a client most likely meant by an
// unknown one.
package nearest

import (
	"strings"

	"github.com/agnivade/levenshtein"
)

// maxLength bounds the names that are compared: the cost grows with the square.
const maxLength = 128

// lettersPerSlip is how many letters a name has for each one that may be wrong.
const lettersPerSlip = 3

// Meant returns the name in known that name is near to: at most one letter in
// three is wrong. The case of letters does not count, nor does "-" in place of "_".
// It returns "" if none is near, since a wrong hint is worse than none.
func Meant(name string, known []string) string {
	meant, distance := Name(strings.ReplaceAll(strings.ToLower(name), "-", "_"), known)
	if distance*lettersPerSlip > len(name) {
		return ""
	}
	return meant
}

// Name returns the name in known with the smallest edit distance to name, the
// first of several, and that distance. It returns "" for an empty list and for
// names over 128 bytes.
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
