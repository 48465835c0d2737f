package documentapi

import (
	"strconv"

	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/query"
)

// Version says which version of a document is meant. The zero Version is the
// latest one.
type Version struct {
	// Number is the version's number if Given is set; a number that no version
	// can have is 0.
	Number int  `json:"number,omitzero"`
	Given  bool `json:"given,omitzero"`
}

// VersionParameter is the name of the query parameter that names a version.
const VersionParameter = "version_number"

// ParseVersion reads the query parameter VersionParameter. Without a value it
// means the latest version. Any integer is accepted: whether it names a version
// is not a matter of its form.
func ParseVersion(p query.Parameter, problems *problem.List) Version {
	if len(p.Values) == 0 {
		return Version{}
	}
	text, ok := p.One()
	if !ok || !query.IsInteger(text) {
		problems.Add(problem.Unparsable(VersionParameter, problem.CodeVersionInvalid, "one integer", p.String()))
		return Version{}
	}
	number, err := strconv.Atoi(text)
	if err != nil || number < 0 {
		number = 0
	}
	return Version{Number: number, Given: true}
}
