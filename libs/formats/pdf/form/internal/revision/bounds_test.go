package revision

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// TestParseBounds checks that a small file with a great many entries is refused before they
// take memory.
func TestParseBounds(t *testing.T) {
	most := Entries(0)
	many := func(n int) string { return deflated(strings.Repeat("\x00\x00\x00", n)) }
	chain := func(first int) []byte { // two sections of enough entries each
		b := withStream(fmt.Sprintf("/Size %d/W[1 1 1]/Filter/FlateDecode/Index[0 %d]", most, first), many(first))
		n := len(b)
		content := many(first)
		return append(b, fmt.Sprintf("3 0 obj\n<</Type/XRef/Size 4/Prev 29/W[1 1 1]/Filter/FlateDecode/Index[0 %d]/Length %d>>\nstream\n%s\nendstream\nendobj\nstartxref\n%d\n%%%%EOF\n", first, len(content), content, n)...)
	}
	for _, c := range []struct {
		name string
		file []byte
		want error
	}{
		{"entries", withStream(fmt.Sprintf("/Size %d/W[1 1 1]/Filter/FlateDecode", 2*most), many(2*most)), ErrTooMany},
		{"announced entries", withStream("/Size 8000000/W[1 1 1]/Filter/FlateDecode", many(1)), ErrTooMany},
		{"entries in parts", withStream(fmt.Sprintf("/Size 9/W[1 1 1]/Filter/FlateDecode/Index[0 %[1]d 0 %[1]d]", most*2/3), many(most*4/3)), ErrTooMany},
		{"entries of two sections", chain(most * 2 / 3), ErrTooMany},
		{"few of two sections", chain(most / 3), nil},
		{"size", withTable(strings.Replace(goodTable, "/Size 2", "/Size 8388609", 1)), ErrTooMany},
		{"largest size", withTable(strings.Replace(goodTable, "/Size 2", "/Size 8388608", 1)), nil},
	} {
		if _, err := Parse(c.file); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v", c.name, err)
		}
	}
	if Entries(1<<40) != maxEntries {
		t.Errorf("a large file may have %d entries", Entries(1<<40))
	}
}
