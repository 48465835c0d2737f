package pattern_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/testkit/corpus"
	"github.com/rectohq/recto/services/insight/internal/pattern"
)

// BenchmarkMatch compares patterns with package regexp on the lines of a contract.
func BenchmarkMatch(b *testing.B) {
	files, err := filepath.Glob(filepath.Join(corpus.Folder(b, "contracts"), "txt", "*"))
	if err != nil || len(files) == 0 {
		b.Fatalf("got %d files, error %v", len(files), err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		b.Fatal(err)
	}
	lines := strings.Split(strings.ToLower(string(text)), "\n")
	var plain, fast []func(string) bool
	for _, expr := range expressions {
		plain = append(plain, regexp.MustCompile(expr).MatchString)
		fast = append(fast, pattern.MustCompile(expr).MatchString)
	}
	for _, c := range []struct {
		name    string
		matches []func(string) bool
	}{{"regexp", plain}, {"pattern", fast}} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(text) * len(c.matches)))
			for b.Loop() {
				for _, match := range c.matches {
					for _, line := range lines {
						match(line)
					}
				}
			}
		})
	}
}
