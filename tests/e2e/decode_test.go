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

// pause waits between two polls.
func pause() { time.Sleep(50 * time.Millisecond) }

// readSome returns the content of a file, or "" if it no longer exists.
func readSome(path string) string {
	content, _ := os.ReadFile(path)
	return string(content)
}
