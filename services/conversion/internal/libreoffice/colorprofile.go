package libreoffice

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
)

// colorProfile matches the beginning of the color profile of a PDF/A, which LibreOffice makes
// for each file. Its dictionary refers to an object with its length.
var colorProfile = regexp.MustCompile(`<</N 3/Length ([0-9]{1,9}) 0 R/Filter/FlateDecode>>\nstream\n`)

const (
	endOfStream = "\nendstream\nendobj\n"
	// maxProfile bounds a color profile, in bytes.
	maxProfile = 1 << 20
	// dateAt and signatureAt are offsets in the header of a color profile (ICC.1:2022, 7.2):
	// when it was made, in six numbers of two bytes, and what it begins with after that.
	dateAt, signatureAt = 24, 36
	signature           = "acsp"
)

// resetColorProfile removes the time from the color profile in a part of the file, if there is
// one, and compresses it again. What follows moves, so it corrects the cross-reference table
// at the offset table. A profile that is not as LibreOffice makes it is left alone.
func resetColorProfile(f *os.File, in part, table int64) error {
	found := colorProfile.FindSubmatchIndex(in.data)
	if found == nil {
		return nil
	}
	length := bytes.Index(in.data[found[1]:], []byte(endOfStream))
	if length < 0 {
		return nil
	}
	begin, end := in.at+int64(found[1]), in.at+int64(found[1]+length)
	packed := withoutDate(in.data[found[1] : found[1]+length])
	rest, err := readRest(f, end)
	if err != nil || packed == nil {
		return err
	}
	counted := regexp.MustCompile(fmt.Sprintf(`\n%s 0 obj\n(%d)\nendobj`, in.data[found[2]:found[3]], length)).FindSubmatchIndex(rest)
	if counted == nil || table < end || table-end > int64(len(rest)) {
		return nil
	}
	copy(rest[counted[2]:counted[3]], fmt.Sprintf("%0*d", counted[3]-counted[2], len(packed)))
	moved := int64(len(packed) - length)
	if !moveTable(rest[table-end:], begin, moved) {
		return nil
	}
	if _, err := f.WriteAt(append(packed, rest...), begin); err != nil {
		return err
	}
	return f.Truncate(end + moved + int64(len(rest)))
}

// maxRest bounds what may follow a color profile: a few objects, and a line of the table for
// each object.
const maxRest = 64 << 20

// readRest reads the file from an offset to its end.
func readRest(f *os.File, at int64) ([]byte, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size()-at > maxRest {
		return nil, fmt.Errorf("%d bytes follow the color profile", info.Size()-at)
	}
	rest := make([]byte, info.Size()-at)
	_, err = f.ReadAt(rest, at)
	return rest, err
}

var (
	tableEntry = regexp.MustCompile(`(?m)^([0-9]{10}) [0-9]{5} n `)
	tableStart = regexp.MustCompile(`startxref\n([0-9]{1,15})\n`)
)

// moveTable corrects a cross-reference table, and the offset of its beginning behind it, after
// everything behind the offset at has moved by so many bytes. It returns false if the length
// of the latter offset would change.
func moveTable(table []byte, at, by int64) bool {
	start := tableStart.FindSubmatchIndex(table)
	if start == nil {
		return false
	}
	move := func(digits []byte) string {
		n, _ := strconv.ParseInt(string(digits), 10, 64) // too few digits to fail
		if n > at {
			n += by
		}
		return fmt.Sprintf("%0*d", len(digits), n)
	}
	begin := move(table[start[2]:start[3]])
	if begin[0] == '0' || len(begin) != start[3]-start[2] {
		return false
	}
	copy(table[start[2]:start[3]], begin)
	for _, e := range tableEntry.FindAllSubmatchIndex(table, -1) {
		copy(table[e[2]:e[3]], move(table[e[2]:e[3]]))
	}
	return true
}

// withoutDate returns the compressed color profile without its date, or nil if it is none.
func withoutDate(packed []byte) []byte {
	r, err := zlib.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil
	}
	profile, err := io.ReadAll(io.LimitReader(r, maxProfile))
	if err != nil || len(profile) < signatureAt+len(signature) || string(profile[signatureAt:signatureAt+len(signature)]) != signature {
		return nil
	}
	clear(profile[dateAt:signatureAt])
	var b bytes.Buffer
	w, err := zlib.NewWriterLevel(&b, zlib.BestCompression)
	if err != nil {
		return nil
	}
	_, _ = w.Write(profile) // a Buffer never fails
	_ = w.Close()
	return b.Bytes()
}
