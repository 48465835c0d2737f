package pdf_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/png"
	"slices"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/pdf"
	"github.com/rectohq/recto/libs/formats/pdf/form"
	"github.com/rectohq/recto/libs/testkit/pdftest"
)

// withChecksum corrects the checksum of a PNG's header.
func withChecksum(file []byte) []byte {
	binary.BigEndian.PutUint32(file[29:], crc32.ChecksumIEEE(file[12:29]))
	return file
}

// TestShow shows a picture in a process, which is no file for archives, and refuses those at fault with a reason that says
// what to do.
func TestShow(t *testing.T) {
	r := pdftest.NewReader(t, pdftest.Config())
	var good bytes.Buffer
	if err := png.Encode(&good, image.NewGray(image.Rect(0, 0, 96, 192))); err != nil {
		t.Fatal(err)
	}
	show := func(mediaType string, file []byte) ([]byte, error) {
		var out bytes.Buffer
		err := r.Show(t.Context(), bytes.NewReader(file), int64(len(file)), mediaType, &out)
		return out.Bytes(), err
	}
	made, err := show("image/png", good.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	pages, err := r.Pages(t.Context(), bytes.NewReader(made), int64(len(made)))
	if err != nil || len(pages) != 1 || pages[0].Width != 72 || pages[0].Height != 144 {
		t.Errorf("the PDF has the pages %+v, %v", pages, err)
	}
	if flaws, err := r.Flaws(t.Context(), bytes.NewReader(made), int64(len(made)), form.PDFA2b); err != nil || !slices.Contains(flaws, "it has no output intent") {
		t.Errorf("the PDF has the flaws %q, %v", flaws, err)
	}
	if _, err := r.Flaws(t.Context(), strings.NewReader("no PDF"), 6, form.PDFA2b); !errors.As(err, new(*pdf.Error)) {
		t.Errorf("no PDF has flaws: %v", err)
	}
	large := bytes.Clone(good.Bytes())
	copy(large[16:], "\x00\xFF\xFF\xFF\x00\xFF\xFF\xFF") // width and height
	for name, c := range map[string]struct {
		mediaType, want string
		file            []byte
	}{
		"damaged": {"image/png", "is a damaged picture; export it again", good.Bytes()[:40]},
		"large":   {"image/png", "is a picture with too many pixels", withChecksum(large)},
		"strange": {"image/tiff", "is a damaged picture", []byte("II*\x00\x08\x00\x00\x00\x00\x00")},
	} {
		var refused *pdf.Error
		if _, err := show(c.mediaType, c.file); !errors.As(err, &refused) || !strings.Contains(refused.Reason, c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}
