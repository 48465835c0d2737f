package documentapi

import (
	"strconv"
	"strings"

	"github.com/rectohq/recto/libs/problem"
)

// Version says which version of a document is meant. The zero Version is the
// latest one.
type Version struct {
	// Number is the version's number if Given is set; a number that no version
	// can have is 0.
	Number int  `json:"number,omitzero"`
	Given  bool `json:"given,omitzero"`
}

// ParseVersion reads the values of the query parameter version_number. None
// means the latest version. Any integer is accepted: whether it names a
// version is not a matter of its form.
func ParseVersion(values []string, problems *problem.List) Version {
	if len(values) == 0 {
		return Version{}
	}
	text := values[0]
	if len(values) > 1 || !isInteger(text) {
		problems.Add(problem.Unparsable("version_number", problem.CodeVersionInvalid, "one integer", strings.Join(values, ", ")))
		return Version{}
	}
	number, err := strconv.Atoi(text)
	if err != nil || number < 0 {
		number = 0
	}
	return Version{Number: number, Given: true}
}

// isInteger reports whether s is an optional minus and ASCII digits, of any
// length.
func isInteger(s string) bool {
	digits := strings.TrimPrefix(s, "-")
	return digits != "" && strings.Trim(digits, "0123456789") == ""
}
