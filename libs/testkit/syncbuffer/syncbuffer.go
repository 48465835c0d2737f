// Package syncbuffer has a buffer for output that a test reads while programs write it.
package syncbuffer

import (
	"bytes"
	"sync"
)

// Buffer is a buffer that goroutines may write and read concurrently. The zero Buffer is
// empty and ready to use.
type Buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

// Write implements io.Writer. It never fails.
func (b *Buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

// Bytes returns a copy of everything written so far.
func (b *Buffer) Bytes() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	return bytes.Clone(b.b.Bytes())
}

// String returns everything written so far.
func (b *Buffer) String() string { return string(b.Bytes()) }
