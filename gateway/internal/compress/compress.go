// Package compress compresses answers of the API.
package compress

import (
	"bytes"
	"slices"
	"sync"

	"github.com/gofiber/fiber/v2"
	"github.com/klauspost/compress/gzip"
)

// above is the size of an answer, in bytes, up to which compressing it saves
// no packet worth the time.
const above = 1 << 10

// Compressor compresses answers by gzip, which every client knows. Brotli takes
// several times as long to save a tenth more, and zstd saves no more.
type Compressor struct {
	writers sync.Pool // of *gzip.Writer
	// files are those of the documentation, compressed once, by their names: they are
	// large, and public.
	files sync.Map
}

// Worthwhile reports whether content of a type becomes smaller, by enough to
// matter.
func Worthwhile(contentType, content []byte) bool {
	name, _, _ := bytes.Cut(contentType, []byte(";"))
	return len(content) > above &&
		slices.Contains([]string{fiber.MIMEApplicationJSON, fiber.MIMETextHTML, "text/css", fiber.MIMETextJavaScript}, string(name))
}

// Compress returns the content compressed. A file has a name, and always the same
// content.
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
	_, _ = writer.Write(content) // a buffer takes all
	_ = writer.Close()
	if file != "" {
		c.files.Store(file, out.Bytes())
	}
	return out.Bytes()
}
