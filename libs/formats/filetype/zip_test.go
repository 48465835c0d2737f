package filetype_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/filetype"
)

// TestDirectoryIsBounded checks that containers are refused if their directory claims to
// be too large to read into memory, in the original format and in ZIP64.
func TestDirectoryIsBounded(t *testing.T) {
	const large = 9 << 20
	end := append([]byte("PK\x05\x06"), make([]byte, 18)...)
	binary.LittleEndian.PutUint32(end[12:], large)
	old := append([]byte("PK\x03\x04 and so on"), end...)

	record := append([]byte("PK\x06\x06"), make([]byte, 52)...)
	binary.LittleEndian.PutUint64(record[40:], large)
	locator := append([]byte("PK\x06\x07"), make([]byte, 16)...)
	binary.LittleEndian.PutUint64(locator[8:], 4)
	binary.LittleEndian.PutUint32(end[12:], 0xFFFFFFFF)
	zip64 := bytes.Join([][]byte{[]byte("PK\x03\x04"), record, locator, end}, nil)

	for name, content := range map[string][]byte{"old": old, "ZIP64": zip64} {
		_, err := filetype.Detect(bytes.NewReader(content), int64(len(content)))
		var refused *filetype.Error
		if !errors.As(err, &refused) || !strings.Contains(refused.Reason, "a directory of more than 8 MiB") {
			t.Errorf("%s: %v", name, err)
		}
	}
	// Two end records: archive/zip uses the one that is complete.
	binary.LittleEndian.PutUint16(end[20:], 4)
	binary.LittleEndian.PutUint32(end[12:], large)
	two := append(append([]byte("PK\x03\x04 and so on"), end...), "PK\x05\x06"...)
	for _, content := range [][]byte{two, zip64[:len(zip64)-1], end, append([]byte("PK\x03\x04"), end...)} {
		if _, err := filetype.Detect(bytes.NewReader(content), int64(len(content))); err == nil {
			t.Errorf("%q was accepted", content)
		}
	}
}
