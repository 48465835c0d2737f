package docx

import (
	"compress/flate"
	"errors"
	"hash/crc32"
	"io"
	"io/fs"
)

// Part is a part of a package. Its fields must not be changed.
type Part struct {
	// Name is its name without a leading slash, for example "word/document.xml", in the
	// letter case of the container.
	Name string
	// ContentType is its media type as declared by the package, or "" if the package
	// declares none.
	ContentType string
	// Size is the number of bytes that Open yields.
	Size int64
	// XML reports whether Check scans the part as XML and OpenXML can be used: its
	// content type is XML, or it has the extension "xml" or "rels".
	XML bool

	entry *entry
	pkg   *Package
}

// Open returns a reader of the uncompressed part. It cannot fail, because opening the
// package has already located the data.
//
// Reading ends with an *Error if the part has more or fewer bytes than Size, or a wrong
// checksum. It never yields more than Size bytes. Any other error is from the package's
// reader.
func (p *Part) Open() io.ReadCloser {
	packed := io.NewSectionReader(p.pkg.r, p.entry.body, p.entry.packed)
	r := &partReader{part: p, body: packed, left: p.Size}
	if p.entry.method == methodDeflate {
		r.inflater = p.pkg.inflate(packed)
		r.body = r.inflater
	}
	return r
}

// inflater decompresses the reader passed to Reset.
type inflater interface {
	io.Reader
	flate.Resetter
}

// inflate returns a reader of the decompressed data. It reuses the buffers of a closed
// reader if there are any.
func (p *Package) inflate(packed io.Reader) io.Reader {
	if used, ok := p.inflaters.Get().(inflater); ok && used.Reset(packed, nil) == nil {
		return used
	}
	return flate.NewReader(packed)
}

// partReader reads a part and compares it with its declared size and checksum.
type partReader struct {
	part *Part
	body io.Reader
	// inflater is the same as body if the part is compressed, until Close returns it to
	// the pool.
	inflater io.Reader
	left     int64
	crc      uint32
	err      error
}

func (r *partReader) Read(b []byte) (int, error) {
	if r.err != nil || len(b) == 0 {
		return 0, r.err
	}
	// Reading one byte more than is left detects a part that is larger than declared.
	n, err := r.body.Read(b[:min(int64(len(b)), r.left+1)])
	if int64(n) > r.left {
		n, err = int(r.left), flaw("it unpacks to more bytes than it declares")
	}
	r.left -= int64(n)
	r.crc = crc32.Update(r.crc, crc32.IEEETable, b[:n])
	r.err = r.errorFor(err)
	return n, r.err
}

// errorFor returns the error to report in place of err, which a read returned.
func (r *partReader) errorFor(err error) error {
	switch {
	case err == nil:
		return nil
	case !errors.Is(err, io.EOF):
		return r.part.entry.damaged(err)
	case r.left > 0:
		return r.part.entry.damaged(flaw("it unpacks to fewer bytes than it declares"))
	case r.crc != r.part.entry.crc:
		return r.part.entry.damaged(flaw("its checksum is wrong"))
	}
	return io.EOF
}

// Close ends reading and returns the buffers to the package.
func (r *partReader) Close() error {
	if r.inflater != nil {
		r.part.pkg.inflaters.Put(r.inflater)
		r.inflater = nil
	}
	r.err = fs.ErrClosed
	return nil
}
