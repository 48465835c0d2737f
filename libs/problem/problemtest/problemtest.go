// Package problemtest helps tests compare errors with their expectations.
package problemtest

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/problem"
)

// Entries formats the code of an error and the path and code of each of its entries, for
// example "3001 name:too_long files.0:required"; any other error is returned as text. The
// test fails if an entry lacks a message, a resolution or a value, or if a message does
// not begin with its path.
func Entries(t testing.TB, err error) string {
	t.Helper()
	var e *problem.Error
	if !errors.As(err, &e) {
		return fmt.Sprint(err)
	}
	text := fmt.Sprint(int(e.Code))
	for _, entry := range e.Entries {
		if entry.Message == "" || entry.InternalMessage == "" || entry.Resolution == "" || !entry.Value.IsValid() {
			t.Errorf("incomplete entry: %+v", entry)
		}
		if !strings.HasPrefix(entry.Message, entry.Path) && entry.Path != "" {
			t.Errorf("the message does not begin with its field: %s", entry.Message)
		}
		text += fmt.Sprintf(" %s:%s", entry.Path, entry.Code)
	}
	return text
}
