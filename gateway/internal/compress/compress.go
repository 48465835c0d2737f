// Package compress compresses API responses.
package compress

import (
	"bytes"
	"slices"
	"sync"

	"github.com/gofiber/fiber/v2"
	"github.com/klauspost/compress/gzip"
)

// above is the size, in bytes, up to which compressing a response saves too few packets
// to be worth the time.
const above = 1 << 10

// Compressor compresses responses with gzip, which every client supports. Brotli takes
// several times as long to save a tenth more, and zstd saves no more than gzip.
type Compressor struct {
	writers sync.Pool // of *gzip.Writer
	// files caches the compressed files of the documentation and the console by name. They are large, and
	// always the same.
	files sync.Map
}

// Worthwhile reports whether content of the type becomes enough smaller by compression.
func Worthwhile(contentType, content []byte) bool {
	name, _, _ := bytes.Cut(contentType, []byte(";"))
	return len(content) > above &&
		slices.Contains([]string{fiber.MIMEApplicationJSON, fiber.MIMETextHTML, "text/css", fiber.MIMETextJavaScript, "image/svg+xml"}, string(name))
}

// Compress returns the compressed content. If file is not "", it is the name of a file
// that always has the same content, and the result is cached.
func (c *Compressor) Compress(file string, content []byte) []byte {
	if known, ok := c.files.Load(file); ok && file != "" {
		return known.([]byte)
	}
	var out bytes.Buffer
	writer, ok := c.writers.Get().(*gzip.Writer)
	if !ok {
		writer = gzip.NewWriter(&out)
	}
	defer c.writers.Put(writer)
	writer.Reset(&out)
	_, _ = writer.Write(content) // writing to a buffer cannot fail
	_ = writer.Close()
	if file != "" {
		c.files.Store(file, out.Bytes())
	}
	return out.Bytes()
}
