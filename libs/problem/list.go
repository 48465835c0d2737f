package problem

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// maxEntries bounds the number of entries in one response.
const maxEntries = 1000

// List collects the invalid fields of a request, so that all of them are reported at
// once. The zero List is empty and ready to use.
type List struct {
	entries []Entry
}

// Add appends an entry, unless there are 1000 already.
func (l *List) Add(e Entry) {
	if len(l.entries) < maxEntries {
		l.entries = append(l.entries, e)
	}
}

// Check adds an entry for the string at path if f is not nil.
func (l *List) Check(path, value string, f *Fault) {
	if f != nil {
		l.Add(Broken(path, EchoString(value), *f))
	}
}

// Len returns the number of entries.
func (l *List) Len() int { return len(l.entries) }

// Entries returns the entries. The caller must not modify them.
func (l *List) Entries() []Entry { return l.entries }

// Err returns nil for an empty list, and otherwise an *Error with all entries. Its code
// is MissingFields or InvalidFormat if all entries are of that class, and InvalidRequest
// otherwise.
func (l *List) Err() error {
	if len(l.entries) == 0 {
		return nil
	}
	return &Error{Code: l.code(), Detail: l.detail(), Entries: slices.Clone(l.entries)}
}

// code returns the code of the whole response: that of the entries if they
// are all of one class, and 3001 if they are mixed.
func (l *List) code() Code {
	first := l.entries[0].Class
	for _, e := range l.entries {
		if e.Class != first {
			return InvalidRequest
		}
	}
	switch first {
	case Missing:
		return MissingFields
	case Format:
		return InvalidFormat
	default:
		return InvalidRequest
	}
}

// detail names the first few fields, so that a log line with only the detail is useful.
func (l *List) detail() string {
	const named = 5
	var paths []string
	seen := map[string]bool{}
	for _, e := range l.entries {
		if !seen[e.Path] {
			paths = append(paths, cmp.Or(e.Path, "the body"))
		}
		seen[e.Path] = true
	}
	names := strings.Join(paths[:min(named, len(paths))], ", ")
	if more := len(paths) - named; more > 0 {
		names += fmt.Sprintf(" and %d more", more)
	}
	if len(l.entries) == 1 {
		return fmt.Sprintf("There is a problem with %s. The entry in errors says what to do.", names)
	}
	return fmt.Sprintf("There are problems with %s. The entries in errors say what to do.", names)
}
