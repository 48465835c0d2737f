package sandbox

import "bytes"

// Output keeps the beginning of a process's output, for logs.
type Output struct {
	bytes.Buffer
	// Limit is the number of bytes to keep.
	Limit int
}

// Write implements io.Writer. It silently drops bytes beyond the limit.
func (o *Output) Write(p []byte) (int, error) {
	if room := o.Limit - o.Len(); room > 0 {
		o.Buffer.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}
