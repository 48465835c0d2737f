package structure

import (
	"fmt"
	"strings"
	"testing"
)

// TestPartiesAreNoMargins shows that a party with a number at the top of a page is no header, but that
// the name of a company on each page is one.
func TestPartiesAreNoMargins(t *testing.T) {
	var text strings.Builder
	for n := range 4 {
		fmt.Fprintf(&text, "Kern Holding Ltd\n\n\n\nTHE KERN-%d TRUST,\n\n\nBy: /s/ Ada Kern\nName: Ada Kern\n\n\n\f", n+1)
	}
	var want []string
	for n := range 4 {
		want = append(want, fmt.Sprintf("THE KERN-%d TRUST|Ada Kern|||", n+1))
	}
	equal(t, "signatures", signaturesOf(read(t, text.String())), want)
}
