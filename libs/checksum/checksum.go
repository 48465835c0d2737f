// Package checksum computes the checksums that the API reports for contents, all in one
// pass.
package checksum

import (
	"crypto/md5" //nolint:gosec // clients compare it with what they have; nothing is secured by it
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"hash/crc32"
)

// Sums are the checksums of a content in hexadecimal.
type Sums struct{ SHA256, MD5, CRC32C string }

// Writer computes the checksums of the bytes written to it.
type Writer struct{ sha, md, crc hash.Hash }

// New returns a Writer.
func New() *Writer {
	//nolint:gosec // see the import
	return &Writer{sha256.New(), md5.New(), crc32.New(crc32.MakeTable(crc32.Castagnoli))}
}

// Write implements io.Writer. It never fails.
func (w *Writer) Write(p []byte) (int, error) {
	for _, h := range []hash.Hash{w.sha, w.md, w.crc} {
		_, _ = h.Write(p)
	}
	return len(p), nil
}

// Sums returns the checksums of the bytes written so far.
func (w *Writer) Sums() Sums {
	sum := func(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)) }
	return Sums{sum(w.sha), sum(w.md), sum(w.crc)}
}
