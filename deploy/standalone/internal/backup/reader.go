package backup

import (
	"archive/tar"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/klauspost/compress/zstd"
)

// Limits on what an archive may hold.
const (
	maxHeader     = 64 << 10 // bytes of the Header
	maxEntries    = 1 << 28
	maxEntry      = 1 << 42 // bytes
	maxName       = 4096
	maxAttributes = 64 // of one entry
)

// Errors about archives.
var (
	// ErrDamaged means that an archive is not as it was written.
	ErrDamaged = errors.New("the backup is damaged")
	// ErrNoBackup means that a file is something else.
	ErrNoBackup = errors.New("this is not a backup of Recto")
	// ErrNewer means that a later version of Recto wrote the archive.
	ErrNewer = errors.New("the backup is newer than this program")
)

// Check reads an archive to its end, and returns an error unless it is complete and
// undamaged. It calls report, which may be nil, with the header first and with each entry.
func Check(r io.Reader, report func(Header, Progress)) (Header, error) {
	return read(r, report, func(_ entry, content io.Reader) error {
		_, err := io.Copy(io.Discard, content)
		return err
	})
}

// visitError is an error of the visitor, rather than of the archive.
type visitError struct{ error }

func (e visitError) Unwrap() error { return e.error }

// source remembers why reading failed, to tell a broken disk from a damaged archive.
type source struct {
	r   io.Reader
	err error
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n, err
}

// reader reads an archive.
type reader struct {
	tar    *tar.Reader
	digest hash.Hash
	last   string // the name of the entry before this one
	count  int
}

// read calls visit with all entries but the first and the last, in order. visit must read
// the whole content.
func read(r io.Reader, report func(Header, Progress), visit func(entry, io.Reader) error) (h Header, err error) {
	in := &source{r: r}
	sealed, err := newSealReader(in)
	if err != nil {
		return h, err
	}
	z, err := zstd.NewReader(sealed, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(window))
	if err != nil {
		return h, err
	}
	defer z.Close()
	a := &reader{tar: tar.NewReader(z), digest: sha256.New()}
	h, err = a.all(report, visit)
	if err == nil {
		err = atEnd(z)
	}
	if err == nil {
		err = sealed.err
	}
	failed := visitError{}
	switch {
	case err == nil:
		return h, nil
	case in.err != nil:
		return h, in.err
	case errors.As(err, &failed):
		return h, failed.error
	case errors.Is(err, ErrNewer):
		return h, err
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		err = errors.New("it ends too early")
	}
	if a.count == 0 {
		return h, fmt.Errorf("%w at its beginning: %w", ErrDamaged, err)
	}
	return h, fmt.Errorf("%w at or after entry %d, %q: %w", ErrDamaged, a.count, a.last, err)
}

// atEnd returns an error unless r has ended.
func atEnd(r io.Reader) error {
	n, err := io.Copy(io.Discard, io.LimitReader(r, 1))
	if err == nil && n > 0 {
		err = errors.New("there is something after its end")
	}
	return err
}

// all reads all entries.
func (a *reader) all(report func(Header, Progress), visit func(entry, io.Reader) error) (Header, error) {
	h, err := a.header()
	if err != nil {
		return h, err
	}
	var done Progress
	for {
		if report != nil {
			report(h, done)
		}
		e, err := a.next()
		if err != nil {
			return h, err
		}
		if e.name == trailerName {
			if _, err := a.tar.Next(); !errors.Is(err, io.EOF) {
				return h, fmt.Errorf("there is something after its end (%w)", err)
			}
			return h, nil
		}
		if err := a.content(e, visit); err != nil {
			return h, err
		}
		done.Bytes += e.size
		if e.isObject() {
			done.Objects++
		}
	}
}

// isObject reports whether the entry is an object.
func (e entry) isObject() bool { return !e.dir && strings.HasPrefix(e.name, "objects/buckets/") }

// content passes the content of an entry to visit.
func (a *reader) content(e entry, visit func(entry, io.Reader) error) error {
	content := &source{r: io.TeeReader(a.tar, a.digest)}
	err := visit(e, content)
	if err != nil && content.err == nil {
		return visitError{fmt.Errorf("%s: %w", e.name, err)}
	}
	return err
}

// header reads the first entry.
func (a *reader) header() (h Header, err error) {
	e, err := a.next()
	if err != nil {
		return h, err
	}
	if e.name != headerName || e.dir || e.size > maxHeader {
		return h, fmt.Errorf("it does not begin with %s", headerName)
	}
	text, err := io.ReadAll(io.TeeReader(a.tar, a.digest))
	if err != nil {
		return h, err
	}
	var format struct {
		Format  int
		Version string
	}
	if err := json.Unmarshal(text, &format, json.MatchCaseInsensitiveNames(true)); err != nil {
		return h, err
	}
	if format.Format > Format {
		return h, fmt.Errorf("%w: it has format %d, and this program reads formats up to %d. Use Recto %s, which wrote it, or a later version", ErrNewer, format.Format, Format, format.Version)
	}
	if err := json.Unmarshal(text, &h); err != nil {
		return h, err
	}
	if h.Format < 1 {
		return h, fmt.Errorf("it has format %d", h.Format)
	}
	return h, nil
}

// next reads the description of the next entry, and checks that everything before it is
// as it was written.
func (a *reader) next() (entry, error) {
	t, err := a.tar.Next()
	if err != nil {
		return entry{}, err // io.EOF too: the archive lacks its last entry
	}
	want := hex.EncodeToString(a.digest.Sum(nil))
	if got := t.PAXRecords[digestKey]; got != want {
		return entry{}, fmt.Errorf("the checksum is wrong: it is %s, and should be %.80q", want, got)
	}
	e, err := parse(t)
	if err != nil {
		return e, err
	}
	if a.count++; a.count > maxEntries {
		return e, fmt.Errorf("it has more than %d entries", maxEntries)
	}
	a.last = e.name
	e.addTo(a.digest)
	return e, nil
}

// parse returns the entry that t describes. It refuses everything that could be outside
// the folder that it is unpacked to, and everything that is not a file or a folder.
func parse(t *tar.Header) (entry, error) {
	e := entry{name: strings.TrimSuffix(t.Name, "/"), dir: t.Typeflag == tar.TypeDir, size: t.Size, modified: t.ModTime}
	switch {
	case t.Typeflag != tar.TypeReg && t.Typeflag != tar.TypeDir:
		return e, fmt.Errorf("the entry %.80q is neither a file nor a folder", t.Name)
	case len(e.name) > maxName || e.name == "." || path.Clean(e.name) != e.name || !filepath.IsLocal(e.name):
		return e, fmt.Errorf("the entry %.80q is not a path inside a data folder", t.Name)
	case e.size < 0 || e.size > maxEntry || e.dir && e.size != 0:
		return e, fmt.Errorf("the entry %.80q has a size of %d bytes", t.Name, e.size)
	case t.Mode&^0o777 != 0:
		return e, fmt.Errorf("the entry %.80q has the mode %o", t.Name, t.Mode)
	}
	e.mode = fs.FileMode(t.Mode)
	for key, value := range t.PAXRecords {
		name, ok := strings.CutPrefix(key, attrKey)
		if !ok {
			continue
		}
		if !strings.HasPrefix(name, attrNamespace) {
			return e, fmt.Errorf("the entry %.80q has the attribute %.80q, which is not one of a user", t.Name, name)
		}
		if e.attributes == nil {
			e.attributes = map[string]string{}
		}
		e.attributes[name] = value
	}
	if len(e.attributes) > maxAttributes {
		return e, fmt.Errorf("the entry %.80q has more than %d attributes", t.Name, maxAttributes)
	}
	return e, nil
}
