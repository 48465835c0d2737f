package contract

import (
	"fmt"

	"go.jetify.com/typeid"
)

// Prefix is what kind of thing an id names.
type Prefix string

// The prefixes of ids.
const (
	DocumentPrefix     Prefix = "doc"
	FilePrefix         Prefix = "file"
	UserPrefix         Prefix = "user"
	OrganizationPrefix Prefix = "org"
	KeyPrefix          Prefix = "key"
	JobPrefix          Prefix = "job"
	RequestPrefix      Prefix = "req"
)

// NewID returns a new TypeID: the prefix, "_", and a UUIDv7 in base 32, which
// sorts by time.
func NewID(p Prefix) string {
	id, err := typeid.WithPrefix(string(p))
	if err != nil {
		// The prefix is one of the constants above and the random source of
		// the operating system does not fail.
		panic(fmt.Sprintf("contract: new %s id: %v", p, err))
	}
	return id.String()
}
