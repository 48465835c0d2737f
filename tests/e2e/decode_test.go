package e2e

import (
	"encoding/json"
	"os"
	"testing"
	"time"
)

func decode[T any](t *testing.T, text string) T {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("decode %q: %v", text, err)
	}
	return v
}

// pause is what lies between two looks at something that takes a while.
func pause() { time.Sleep(50 * time.Millisecond) }

// readSome returns what a file holds, "" if it is gone.
func readSome(path string) string {
	content, _ := os.ReadFile(path)
	return string(content)
}
