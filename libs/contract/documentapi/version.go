package documentapi

import (
	"strconv"

	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/query"
)

// Version selects a version of a document. The zero Version selects the latest one.
type Version struct {
	// Number is the version's number if Given is set. It is 0 for a number that no
	// version can have.
	Number int  `json:"number,omitzero"`
	Given  bool `json:"given,omitzero"`
}

// VersionParameter is the name of the query parameter for a version.
const VersionParameter = "version_number"

// ParseVersion parses the query parameter VersionParameter. Without a value, it selects
// the latest version. It accepts any integer, even if no version has that number.
func ParseVersion(p query.Parameter, problems *problem.List) Version {
	if len(p.Values) == 0 {
		return Version{}
	}
	text, ok := p.One()
	if !ok || !query.IsInteger(text) {
		problems.Add(problem.Unparsable(VersionParameter, problem.CodeVersionInvalid, p.Integer(), p.String()))
		return Version{}
	}
	number, err := strconv.Atoi(text)
	if err != nil || number < 0 {
		number = 0
	}
	return Version{Number: number, Given: true}
}
