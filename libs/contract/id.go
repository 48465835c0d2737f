package contract

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"time"

	"go.jetify.com/typeid"
)

// Prefix is the kind of resource that an id names.
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
	EventPrefix        Prefix = "event"
)

// NewID returns a new TypeID: the prefix, "_", and a UUIDv7 in base 32. Ids with
// the same prefix sort by time.
func NewID(p Prefix) string {
	id, err := typeid.WithPrefix(string(p))
	if err != nil {
		// Cannot happen: the prefix is one of the constants above, and the
		// operating system's random source does not fail.
		panic(fmt.Sprintf("contract: new %s id: %v", p, err))
	}
	return id.String()
}

// DeriveID returns the TypeID for a seed and a time. It is deterministic: the same
// arguments always give the same id. The id is a UUIDv7 (RFC 9562, section 5.7) whose
// random bits come from the SHA-256 of the seed.
func DeriveID(p Prefix, at time.Time, seed string) string {
	var id [16]byte
	binary.BigEndian.PutUint64(id[:8], uint64(at.UnixMilli())<<16)
	hash := sha256.Sum256([]byte(seed))
	copy(id[6:], hash[:])
	id[6] = id[6]&0x0f | 0x70
	id[8] = id[8]&0x3f | 0x80
	derived, err := typeid.FromUUIDBytesWithPrefix(string(p), id[:])
	if err != nil {
		panic(fmt.Sprintf("contract: derive %s id: %v", p, err)) // the prefix is a constant
	}
	return derived.String()
}
