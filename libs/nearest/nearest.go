// Package nearest finds the known name that somebody most likely meant when
// they wrote an unknown one.
package nearest

import "github.com/agnivade/levenshtein"

// maxLength bounds the names that are compared: the cost grows with the square.
const maxLength = 128

// Name returns the name in known with the smallest edit distance to name, the
// first of several, and that distance. It returns "" for an empty list and for
// names over 128 bytes, which nobody meant to write.
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
