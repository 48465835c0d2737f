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
	metadataDate   = regexp.MustCompile(`<xmp:CreateDate>[^<]{10,40}</xmp:CreateDate>`)
	creationDate   = regexp.MustCompile(`/CreationDate\(D:[0-9]{14}[^()\\]{0,8}\)`)
	identifiers    = regexp.MustCompile(`/ID \[ <([0-9A-F]{32})>\s*<([0-9A-F]{32})> \]\s*/DocChecksum /([0-9A-F]{32})`)
)

// makeReproducible removes the time of the export from a file, and replaces the identifiers by
// a digest of the file. It changes the length of the file, and with it the cross-reference
// table, only if the file has a color profile. It ignores what it does not recognize.
func makeReproducible(f *os.File, tail part) error {
	table := tableReference.FindSubmatch(tail.data)
	if table == nil || identifiers.Find(tail.data) == nil || infoReference.Find(tail.data) == nil {
		return nil
	}
	end, _ := strconv.ParseInt(string(table[1]), 10, 64) // too few digits to fail
	before, err := readPart(f, end-maxInfo, min(end, tail.at+int64(len(tail.data))))
	if err != nil {
		return err
	}
	if err := resetDates(f, before, string(infoReference.FindSubmatch(tail.data)[1])); err != nil {
		return err
	}
	if err := resetColorProfile(f, before, end); err != nil {
		return err
	}
	return resetIdentifiers(f)
}

// resetDates removes the creation date from the document information, which is the object of
// that number, and from the metadata. Only a PDF of a profile has metadata, which must agree
// with the document information.
func resetDates(f *os.File, in part, info string) error {
	blank := func(date []int, at int64) error {
		if date == nil {
			return nil
		}
		_, err := f.WriteAt(bytes.Repeat([]byte(" "), date[1]-date[0]), at+int64(date[0]))
		return err
	}
	var err error
	if at := bytes.LastIndex(in.data, []byte("\n"+info+" 0 obj")); at >= 0 {
		err = blank(creationDate.FindIndex(in.data[at:]), in.at+int64(at))
	}
	return errors.Join(err, blank(metadataDate.FindIndex(in.data), in.at))
}

// resetIdentifiers replaces the identifiers by a digest of the file without them.
func resetIdentifiers(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	tail, err := readPart(f, info.Size()-maxTail, info.Size())
	if err != nil {
		return err
	}
	ids := identifiers.FindSubmatchIndex(tail.data)
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
