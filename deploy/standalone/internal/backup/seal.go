package backup

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"hash"
	"io"
)

// The compression does not notice every changed bit, so a file ends with a seal: a frame
// that programs for Zstandard skip, and that holds the SHA-256 of everything before it.
const (
	sealHead = "\x50\x2a\x4d\x18\x20\x00\x00\x00" // a skippable frame of 32 bytes
	sealSize = len(sealHead) + sha256.Size
	// zstdMagic is how a file with a Zstandard frame begins.
	zstdMagic = "\x28\xb5\x2f\xfd"
)

// sealWriter writes to w and remembers the checksum.
type sealWriter struct {
	w      io.Writer
	digest hash.Hash
}

func (s *sealWriter) Write(p []byte) (int, error) {
	n, err := s.w.Write(p)
	s.digest.Write(p[:n])
	return n, err
}

// close writes the seal.
func (s *sealWriter) close() error {
	_, err := s.w.Write(s.digest.Sum([]byte(sealHead)))
	return err
}

// sealReader reads what is before the seal.
type sealReader struct {
	r      *bufio.Reader
	digest hash.Hash
	err    error // of the seal, known at the end
}

// newSealReader returns a reader of r, or ErrNoBackup if r does not begin like an archive.
func newSealReader(r io.Reader) (*sealReader, error) {
	s := &sealReader{r: bufio.NewReaderSize(r, 64<<10), digest: sha256.New()}
	head, err := s.r.Peek(len(zstdMagic))
	if err == nil && string(head) != zstdMagic || errors.Is(err, io.EOF) {
		err = ErrNoBackup
	}
	return s, err
}

func (s *sealReader) Read(p []byte) (int, error) {
	if _, err := s.r.Peek(sealSize + 1); err == nil {
		n, err := s.r.Read(p[:min(len(p), s.r.Buffered()-sealSize)])
		s.digest.Write(p[:n])
		return n, err
	} else if !errors.Is(err, io.EOF) {
		return 0, err
	}
	seal, _ := s.r.Peek(sealSize) // shorter at the end of a short file
	if !bytes.Equal(seal, s.digest.Sum([]byte(sealHead))) {
		s.err = errors.New("the checksum of the file is wrong")
	}
	return 0, io.EOF
}
