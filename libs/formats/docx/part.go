package docx

import (
	"compress/flate"
	"errors"
	"hash/crc32"
	"io"
	"io/fs"
)

// Part is a part of a package. Its fields are to be read only.
type Part struct {
	// Name is its name without a leading slash, for example
	// "word/document.xml", in the letters that the container has.
	Name string
	// ContentType is its media type as the package declares it, "" if the
	// package does not.
	ContentType string
	// Size is how many bytes Open yields.
	Size int64
	// XML reports whether Check takes it for XML, and OpenXML is meant for it:
	// its content type says so, or it has the extension of XML or of
	// relationships.
	XML bool

	entry *entry
	pkg   *Package
}

// Open returns the bytes of the part, unpacked. It cannot fail, since Open of
// the package knows already where they are.
//
// Reading ends with an *Error if the part turns out to have more or fewer bytes
// than Size or another checksum than declared; never does it yield more than
// Size bytes. Any other error is of the package's reader.
func (p *Part) Open() io.ReadCloser {
	packed := io.NewSectionReader(p.pkg.r, p.entry.body, p.entry.packed)
	r := &partReader{part: p, body: packed, left: p.Size}
	if p.entry.method == methodDeflate {
		r.inflater = p.pkg.inflate(packed)
		r.body = r.inflater
	}
	return r
}

// inflater unpacks the bytes that Reset gives it.
type inflater interface {
	io.Reader
	flate.Resetter
}

// inflate returns a reader of what packed unpacks to, with the buffers of one
// that is no longer used if there are some.
func (p *Package) inflate(packed io.Reader) io.Reader {
	if used, ok := p.inflaters.Get().(inflater); ok && used.Reset(packed, nil) == nil {
		return used
	}
	return flate.NewReader(packed)
}

// partReader reads a part and holds what it finds against what is declared.
type partReader struct {
	part *Part
	body io.Reader
	// inflater is body if the part is packed, until it is given back.
	inflater io.Reader
	left     int64
	crc      uint32
	err      error
}

// Read reads the next bytes of the part.
func (r *partReader) Read(b []byte) (int, error) {
	if r.err != nil || len(b) == 0 {
		return 0, r.err
	}
	// One byte more than is left tells whether the part is larger than it says.
	n, err := r.body.Read(b[:min(int64(len(b)), r.left+1)])
	if int64(n) > r.left {
		n, err = int(r.left), flaw("it unpacks to more bytes than it declares")
	}
	r.left -= int64(n)
	r.crc = crc32.Update(r.crc, crc32.IEEETable, b[:n])
	r.err = r.errorFor(err)
	return n, r.err
}

// errorFor returns the error to report in place of err, which reading gave.
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

// Close lets the package use the buffers again. Reading is over then.
func (r *partReader) Close() error {
	if r.inflater != nil {
		r.part.pkg.inflaters.Put(r.inflater)
		r.inflater = nil
	}
	r.err = fs.ErrClosed
	return nil
}
