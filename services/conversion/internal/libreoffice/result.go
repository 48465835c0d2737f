package libreoffice

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// Finish checks that the file at path begins and ends like a PDF: a crash or a full disk
// would have truncated it. Then it replaces what LibreOffice derives from the current time,
// so that the same document always gives the same bytes.
func Finish(path string) (err error) {
	f, err := openOrdinary(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	var head [5]byte
	if _, err := io.ReadFull(f, head[:]); err != nil || !bytes.Equal(head[:], []byte("%PDF-")) {
		return fmt.Errorf("the result is not a PDF: it begins with %q", head)
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	tail, err := readPart(f, info.Size()-maxTail, info.Size())
	if err != nil {
		return err
	}
	if !bytes.Contains(tail.data, []byte("%%EOF")) {
		return errors.New("the result is a truncated PDF")
	}
	return makeReproducible(f, tail)
}

const (
	// maxTail bounds the end of a file that is searched for its trailer, in bytes.
	maxTail = 1 << 10
	// maxInfo bounds the part before the cross-reference table that is searched for the
	// document information dictionary, which LibreOffice writes last.
	maxInfo = 64 << 10
)

// part is a part of a file.
type part struct {
	at   int64
	data []byte
}

// readPart reads the bytes from begin, or the beginning of the file, to end.
func readPart(f io.ReaderAt, begin, end int64) (part, error) {
	begin = max(begin, 0)
	p := part{begin, make([]byte, max(end-begin, 0))}
	_, err := f.ReadAt(p.data, begin)
	if errors.Is(err, io.EOF) { // the cross-reference table is not where the trailer says
		err = nil
	}
	return p, err
}

// What a PDF of LibreOffice 7 says about the time of its export. Both identifiers are
// digests of that time, among other things.
var (
	infoReference  = regexp.MustCompile(`/Info ([0-9]{1,10}) 0 R`)
	tableReference = regexp.MustCompile(`startxref\s+([0-9]{1,15})\s`)
	creationDate   = regexp.MustCompile(`/CreationDate\(D:[0-9]{14}[^()\\]{0,8}\)`)
	identifiers    = regexp.MustCompile(`/ID \[ <([0-9A-F]{32})>\s*<([0-9A-F]{32})> \]\s*/DocChecksum /([0-9A-F]{32})`)
)

// makeReproducible removes the creation date, and replaces the identifiers by a digest of
// the file. The file keeps its length, and so its cross-references. What is not where
// LibreOffice writes it is left alone.
func makeReproducible(f *os.File, tail part) error {
	info, table := infoReference.FindSubmatch(tail.data), tableReference.FindSubmatch(tail.data)
	ids := identifiers.FindSubmatchIndex(tail.data)
	if info == nil || table == nil || ids == nil {
		return nil
	}
	end, _ := strconv.ParseInt(string(table[1]), 10, 64) // too few digits to fail
	before, err := readPart(f, end-maxInfo, min(end, tail.at+int64(len(tail.data))))
	if err != nil {
		return err
	}
	if at := bytes.LastIndex(before.data, []byte("\n"+string(info[1])+" 0 obj")); at >= 0 {
		if date := creationDate.FindIndex(before.data[at:]); date != nil {
			blank := bytes.Repeat([]byte(" "), date[1]-date[0])
			if _, err := f.WriteAt(blank, before.at+int64(at+date[0])); err != nil {
				return err
			}
		}
	}
	fill := func(text string) (err error) {
		for i := 2; i < len(ids); i += 2 {
			_, wrong := f.WriteAt([]byte(text), tail.at+int64(ids[i]))
			err = errors.Join(err, wrong)
		}
		return err
	}
	const digits = 32
	if err := fill(string(bytes.Repeat([]byte("0"), digits))); err != nil {
		return err
	}
	digest := sha256.New()
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if _, err := io.Copy(digest, f); err != nil {
		return err
	}
	return fill(fmt.Sprintf("%X", digest.Sum(nil))[:digits])
}

// openOrdinary opens a file that a sandboxed process wrote. It refuses a link, through
// which the process would have this one read a file that it cannot read itself.
func openOrdinary(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && (!info.Mode().IsRegular() || info.Sys().(*syscall.Stat_t).Nlink != 1) {
		err = errors.New("the result is not an ordinary file")
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
