package backup

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/klauspost/compress/zstd"
)

// Keys of records that the headers of the tar file have besides the standard ones.
const (
	digestKey = "RECTO.sha256" // of all entries before this one
	attrKey   = "SCHILY.xattr."
)

// entry describes a file or a folder of an archive.
type entry struct {
	name       string // with slashes; it is below the data folder
	dir        bool
	mode       fs.FileMode // permissions
	size       int64       // 0 for a folder
	modified   time.Time
	attributes map[string]string // extended attributes
}

// addTo adds everything that the entry says to the digest, without ambiguity.
func (e entry) addTo(h hash.Hash) {
	text := func(s string) {
		_ = binary.Write(h, binary.BigEndian, int64(len(s))) // a hash never fails
		_, _ = io.WriteString(h, s)
	}
	text(e.name)
	_ = binary.Write(h, binary.BigEndian, []int64{int64(e.mode), e.size, e.modified.UnixNano(), int64(len(e.attributes))})
	_ = binary.Write(h, binary.BigEndian, e.dir)
	for _, name := range sortedKeys(e.attributes) {
		text(name)
		text(e.attributes[name])
	}
}

func sortedKeys(m map[string]string) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// writer writes an archive.
type writer struct {
	seal       *sealWriter
	compressed *zstd.Encoder
	tar        *tar.Writer
	digest     hash.Hash
}

// window is how far back the compression looks, in bytes. Readers need as much memory.
const window = 4 << 20

func newWriter(w io.Writer) (*writer, error) {
	// One goroutine: a backup must leave the processors to requests.
	seal := &sealWriter{w, sha256.New()}
	z, err := zstd.NewWriter(seal, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(window))
	if err != nil {
		return nil, err
	}
	return &writer{seal, z, tar.NewWriter(z), sha256.New()}, nil
}

// add writes an entry with its content, which must have the size of the entry.
func (w *writer) add(e entry, content io.Reader) error {
	header := &tar.Header{
		Format: tar.FormatPAX, Typeflag: tar.TypeReg, Name: e.name, Mode: int64(e.mode), Size: e.size, ModTime: e.modified,
		PAXRecords: map[string]string{digestKey: hex.EncodeToString(w.digest.Sum(nil))},
	}
	if e.dir {
		header.Typeflag, header.Name = tar.TypeDir, e.name+"/"
	}
	for name, value := range e.attributes {
		header.PAXRecords[attrKey+name] = value
	}
	if err := w.tar.WriteHeader(header); err != nil {
		return fmt.Errorf("%s: %w", e.name, err)
	}
	e.addTo(w.digest)
	n, err := io.Copy(io.MultiWriter(w.tar, w.digest), io.LimitReader(content, e.size))
	if err == nil && n != e.size {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return fmt.Errorf("%s: %w", e.name, err)
	}
	return nil
}

// close writes the end of the archive.
func (w *writer) close() error {
	err := w.add(entry{name: trailerName, mode: 0o600, modified: time.Unix(0, 0)}, strings.NewReader(""))
	if err == nil {
		err = w.tar.Close()
	}
	if err != nil {
		return errors.Join(err, w.abandon())
	}
	if err := w.compressed.Close(); err != nil {
		return err
	}
	return w.seal.close()
}

// abandon frees the resources of an archive that is not finished.
func (w *writer) abandon() error {
	w.compressed.Reset(nil)
	return w.compressed.Close()
}

// writeArchive writes an archive of all files and folders below root.
func writeArchive(ctx context.Context, w io.Writer, h Header, root string) error {
	out, err := newWriter(w)
	if err != nil {
		return err
	}
	about, err := json.Marshal(h)
	if err == nil {
		err = out.add(entry{name: headerName, mode: 0o600, size: int64(len(about)), modified: h.CreatedAt}, bytes.NewReader(about))
	}
	if err == nil {
		err = filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
			if err == nil {
				err = ctx.Err()
			}
			if err != nil || path == root {
				return err
			}
			return out.addFile(root, path)
		})
	}
	if err != nil {
		return errors.Join(err, out.abandon())
	}
	return out.close()
}

// addFile adds a file or a folder below root.
func (w *writer) addFile(root, path string) error {
	name, err := filepath.Rel(root, path)
	if err != nil {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	e := entry{name: filepath.ToSlash(name), dir: info.IsDir(), mode: info.Mode().Perm(), modified: info.ModTime()}
	if !e.dir {
		e.size = info.Size()
	}
	if e.attributes, err = attributes(f); err != nil {
		return err
	}
	return w.add(e, f)
}
