package jobapi

import (
	"fmt"
	"time"

	"go.jetify.com/typeid"

	"github.com/rectohq/recto/libs/contract"
)

// version is the version of the UUID in the id of a job: 8, for which RFC 9562 (section
// 5.8) leaves the bits to the application. They are those of version 7, but for four
// that number the kind. Ids that were made before have version 7.
const version = 8

// numbers are the numbers of the kinds in ids. They never change.
var numbers = map[Kind]byte{Convert: 1, Annotate: 2, Analyze: 3}

// NewID returns the id of a new job. Ids sort by time.
func NewID(k Kind) string { return withKind(contract.NewID(contract.JobPrefix), k) }

// DeriveID returns the id of the job of a kind that belongs to a seed: always the same.
func DeriveID(k Kind, seed string) string {
	return withKind(contract.DeriveID(contract.JobPrefix, time.UnixMilli(0), seed), k)
}

// withKind returns id with the number of the kind in it.
func withKind(id string, k Kind) string {
	parsed, err := typeid.FromString(id)
	if err != nil {
		panic(fmt.Sprintf("jobapi: %q: %v", id, err)) // it was made by contract
	}
	bits := parsed.UUIDBytes()
	bits[6] = version<<4 | numbers[k]
	marked, err := typeid.FromUUIDBytesWithPrefix(string(contract.JobPrefix), bits)
	if err != nil {
		panic(fmt.Sprintf("jobapi: mark %q: %v", id, err)) // the prefix is a constant
	}
	return marked.String()
}

// KindOf returns the kind of the job that has the id. It reports false for an id that
// does not say, and for what is none.
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
