package jobapi

import (
	"fmt"
	"time"

	"go.jetify.com/typeid"

	"github.com/rectohq/recto/libs/contract"
)

// version is the version of the UUID in a job id. It is 8, for which RFC 9562 (section 5.8)
// leaves the bits to the application. They are the same as in version 7, except that four
// of them hold the number of the kind. Older ids have version 7.
const version = 8

// numbers maps the kinds to their numbers in ids. They must never change.
var numbers = map[Kind]byte{Convert: 1, Annotate: 2, Analyze: 3}

// NewID returns the id of a new job. Ids sort by time.
func NewID(k Kind) string { return withKind(contract.NewID(contract.JobPrefix), k) }

// DeriveID returns the job id for a kind and a seed. It is deterministic.
func DeriveID(k Kind, seed string) string {
	return withKind(contract.DeriveID(contract.JobPrefix, time.UnixMilli(0), seed), k)
}

// withKind returns id with the number of the kind set in it.
func withKind(id string, k Kind) string {
	parsed, err := typeid.FromString(id)
	if err != nil {
		panic(fmt.Sprintf("jobapi: %q: %v", id, err)) // cannot happen: package contract created the id
	}
	bits := parsed.UUIDBytes()
	bits[6] = version<<4 | numbers[k]
	marked, err := typeid.FromUUIDBytesWithPrefix(string(contract.JobPrefix), bits)
	if err != nil {
		panic(fmt.Sprintf("jobapi: mark %q: %v", id, err)) // the prefix is a constant
	}
	return marked.String()
}

// KindOf returns the kind of the job with the id. It returns false if the id does not
// contain a kind or is not a job id.
func KindOf(id string) (Kind, bool) {
	parsed, err := typeid.FromString(id)
	if err != nil || parsed.Prefix() != string(contract.JobPrefix) {
		return "", false
	}
	bits := parsed.UUIDBytes()
	for kind, number := range numbers {
		if bits[6] == version<<4|number {
			return kind, true
		}
	}
	return "", false
}
