package checksum_test

import (
	"io"
	"testing"

	"github.com/rectohq/recto/libs/checksum"
)

// TestSums computes the known checksums of "123456789", written in two parts.
func TestSums(t *testing.T) {
	w := checksum.New()
	for _, part := range []string{"1234", "56789"} {
		if n, err := io.WriteString(w, part); n != len(part) || err != nil {
			t.Fatalf("Write = %d, %v", n, err)
		}
	}
	want := checksum.Sums{
		SHA256: "15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225",
		MD5:    "25f9e794323b453885f5181f1b624d0b",
		CRC32C: "e3069283",
	}
	if got := w.Sums(); got != want {
		t.Errorf("Sums = %+v, want %+v", got, want)
	}
}
