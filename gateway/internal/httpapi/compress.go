package httpapi

import (
	"bytes"
	"net/http"
	"slices"
	"sync"

	"github.com/gofiber/fiber/v2"
	"github.com/klauspost/compress/gzip"
	"github.com/valyala/fasthttp"
)

// compressAbove is the size of an answer, in bytes, up to which compressing it saves
// no packet worth the time.
const compressAbove = 1 << 10

// compressor compresses answers by gzip, which every client knows. Brotli takes
// several times as long to save a tenth more, and zstd saves no more.
type compressor struct {
	writers sync.Pool // of *gzip.Writer
	// files are those of the documentation, compressed once, by their names: they are
	// large, and public.
	files sync.Map
}

// compress compresses the answer if it is worth it, and the client takes it.
//
// Streams are left alone: events must not wait for each other, and the answer of an
// inline conversion passes through without ever being in memory as a whole.
//
// The length of a compressed answer can leak its content (BREACH). The attack needs a
// secret that is the same in every answer, and a victim's browser that sends many
// requests with credentials. Neither exists here: browsers do not add API keys by
// themselves, and signatures of URLs change every second.
func (s *Server) compress(fctx *fasthttp.RequestCtx) {
	answer := &fctx.Response
	if answer.IsBodyStream() || len(answer.Body()) <= compressAbove || len(answer.Header.ContentEncoding()) > 0 ||
		!compressible(answer.Header.ContentType()) {
		return
	}
	answer.Header.Add(fiber.HeaderVary, fiber.HeaderAcceptEncoding)
	if string(fctx.Method()) == http.MethodHead || !takesGzip(headerValues(&fctx.Request.Header, fiber.HeaderAcceptEncoding)) {
		return
	}
	answer.SetBodyRaw(s.compressor.compressed(s.exchange(fctx).file, answer.Body()))
	answer.Header.SetContentEncoding("gzip")
}

// compressible reports whether content of a type becomes smaller.
func compressible(contentType []byte) bool {
	name, _, _ := bytes.Cut(contentType, []byte(";"))
	return slices.Contains([]string{fiber.MIMEApplicationJSON, fiber.MIMETextHTML, "text/css", fiber.MIMETextJavaScript}, string(name))
}

// compressed returns the content compressed. A file has a name, and always the same
// content.
func (c *compressor) compressed(file string, content []byte) []byte {
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
