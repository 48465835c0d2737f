package compat

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/jobapi"
)

var (
	// anyID matches ids.
	anyID = regexp.MustCompile(`\b(doc|file|user|org|key|job|req|event)_[0-7][0-9a-hjkmnp-tv-z]{25}`)
	// anyTime matches times in Unix milliseconds, from 2025 to 2033.
	anyTime = regexp.MustCompile(`\b1(?:7[4-9]|8\d|9[0-8])\d{10}\b`)
	// anyObject matches the URLs of the object store up to their bucket, and their query.
	anyObject = regexp.MustCompile(`http://127\.0\.0\.1:\d+/b[0-9a-f]{16}`)
	anyQuery  = regexp.MustCompile(`(http://objects\.example/bucket[^"'?\s]*)\?[^"'\s]*`)
)

// epoch is when every recording begins.
var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// normalizer replaces what differs between two recordings of the same version: ids, times
// and the addresses of objects. It replaces an id everywhere by the same one, which is of
// the same kind.
type normalizer struct {
	ids   map[string]string
	begin int64
}

func newNormalizer(begin time.Time) *normalizer {
	return &normalizer{ids: map[string]string{}, begin: begin.UnixMilli()}
}

// text returns the normalized text.
func (n *normalizer) text(s string) string {
	return n.times(anyID.ReplaceAllStringFunc(s, n.id))
}

// times returns the text with normalized times and addresses of objects.
func (n *normalizer) times(s string) string {
	s = shift(s, epoch.UnixMilli()-n.begin)
	return anyQuery.ReplaceAllString(anyObject.ReplaceAllString(s, "http://objects.example/bucket"), "$1")
}

// id returns the id that replaces one.
func (n *normalizer) id(old string) string {
	if known, ok := n.ids[old]; ok {
		return known
	}
	prefix, _, _ := strings.Cut(old, "_")
	seed := fmt.Sprintf("%s %d", version, len(n.ids))
	replaced := contract.DeriveID(contract.Prefix(prefix), epoch.Add(time.Duration(len(n.ids))*time.Millisecond), seed)
	if kind, ok := jobapi.KindOf(old); ok {
		replaced = jobapi.DeriveID(kind, seed)
	}
	n.ids[old] = replaced
	return replaced
}

// shift adds milliseconds to the times in a text.
func shift(s string, by int64) string {
	return anyTime.ReplaceAllStringFunc(s, func(old string) string {
		ms, _ := strconv.ParseInt(old, 10, 64) // it has 13 digits
		return strconv.FormatInt(ms+by, 10)
	})
}

// revive moves the times of a recording to the present, so that nothing in it has expired.
func revive(s string) string {
	return shift(s, time.Since(epoch).Milliseconds()-time.Minute.Milliseconds())
}
