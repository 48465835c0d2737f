package fetch

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
)

// save writes the content of a response to to.
func (c *Client) save(ctx context.Context, at *url.URL, res *http.Response, to io.Writer) (File, error) {
	if res.StatusCode != http.StatusOK {
		return File{}, unreachable(nil, "returned the status %d instead of a document", res.StatusCode)
	}
	if res.ContentLength > c.maxCompressed() {
		return File{}, c.tooLarge()
	}
	content, err := c.decode(res)
	if err != nil {
		return File{}, timely(ctx, err)
	}
	n, err := c.copy(to, content)
	if err := timely(ctx, err); err != nil {
		return File{}, err
	}
	return File{Name: fileName(at, res.Header.Get("Content-Disposition")), Type: mediaType(res.Header.Get("Content-Type")), Size: n}, nil
}

// maxCompressed is the maximum number of bytes received: gzip enlarges incompressible
// content by less than a thousandth and a header.
func (c *Client) maxCompressed() int64 { return c.maxBytes + c.maxBytes/1000 + maxHeader }

func (c *Client) tooLarge() *refusal {
	return unreachable(nil, "leads to a document of more than %d bytes", c.maxBytes)
}

// decode returns the content of a response without its content encoding.
func (c *Client) decode(res *http.Response) (io.Reader, error) {
	received := &bounded{from: res.Body, left: c.maxCompressed(), over: c.tooLarge()}
	encodings := res.Header.Values("Content-Encoding")
	switch strings.ToLower(strings.TrimSpace(strings.Join(encodings, ","))) {
	case "", "identity":
		return received, nil
	case "gzip", "x-gzip":
		content, err := gzip.NewReader(received)
		if err != nil {
			return nil, broken(err)
		}
		return content, nil
	}
	return nil, unreachable(nil, "uses an encoding that is not supported")
}

// copy copies the content from from to to, up to the maximum size of a document.
func (c *Client) copy(to io.Writer, from io.Reader) (int64, error) {
	out := &sink{to: to}
	n, err := io.Copy(out, &bounded{from: from, left: c.maxBytes, over: c.tooLarge()})
	switch {
	case out.err != nil:
		return n, out.err
	case err != nil:
		return n, broken(err)
	}
	return n, nil
}

// broken returns the refusal for content that ended with err.
func broken(err error) *refusal {
	var r *refusal
	if errors.As(err, &r) {
		return r
	}
	return unreachable(err, "sent an incomplete or damaged document")
}

// timely returns a timeout refusal if ctx has ended, and otherwise err. Readers report
// timeouts in different ways, and a cut connection may look like a complete response.
func timely(ctx context.Context, err error) error {
	var r *refusal
	if ctx.Err() != nil && (err == nil || errors.As(err, &r)) {
		return unreachable(errors.Join(ctx.Err(), err), "did not send the document in time")
	}
	return err
}

// bounded reads at most left bytes from from, and fails with over if there are more.
type bounded struct {
	from io.Reader
	left int64
	over error
}

// Read implements io.Reader.
func (b *bounded) Read(p []byte) (int, error) {
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.from.Read(p)
	if int64(n) > b.left {
		n, b.left = int(b.left), 0
		return n, b.over
	}
	b.left -= int64(n)
	return n, err
}

// sink records the errors of to, to distinguish them from those of the source.
type sink struct {
	to  io.Writer
	err error
}

// Write implements io.Writer.
func (s *sink) Write(p []byte) (int, error) {
	n, err := s.to.Write(p)
	s.err = err
	return n, err
}

// maxType is the maximum length of a media type that is kept, in bytes: each of its two
// names may have 127 (RFC 6838 section 4.2). Object stores limit the length of headers.
const maxType = 255

// mediaType returns a Content-Type in its normal form. If the parameters are malformed,
// contradictory or too long, it returns the type without them, as browsers do.
func mediaType(header string) string {
	name, parameters, err := mime.ParseMediaType(header)
	if err != nil {
		header, _, _ = strings.Cut(header, ";")
		name, parameters, err = mime.ParseMediaType(header)
	}
	if err != nil || !strings.Contains(name, "/") || len(name) > maxType {
		return ""
	}
	if whole := mime.FormatMediaType(name, parameters); len(whole) <= maxType {
		return whole
	}
	return name
}
