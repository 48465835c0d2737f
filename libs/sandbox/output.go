package sandbox

import "bytes"

// Output keeps the beginning of what a process writes, for logs.
type Output struct {
	bytes.Buffer
	// Limit is how many bytes are kept.
	Limit int
}

// Write implements io.Writer: what is beyond the limit is dropped, without an error.
func (o *Output) Write(p []byte) (int, error) {
	if room := o.Limit - o.Len(); room > 0 {
		o.Buffer.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}
