package widgets

import (
	"bytes"
	"io"
	"testing"
	"testing/iotest"
)

func TestFile(t *testing.T) {
	for _, parts := range [][2]string{{"head", "and tail"}, {"head", ""}, {"", "tail"}} {
		f := &File{Head: []byte(parts[0]), Tail: []byte(parts[1])}
		want := []byte(parts[0] + parts[1])
		if f.Size() != int64(len(want)) {
			t.Errorf("%q has the size %d", want, f.Size())
		}
		if err := iotest.TestReader(f, want); err != nil {
			t.Errorf("%q: %v", want, err)
		}
	}
}

func TestFileSeek(t *testing.T) {
	f := &File{Head: []byte("head"), Tail: []byte("tail")}
	for _, c := range []struct {
		offset int64
		whence int
		want   string
	}{{2, io.SeekStart, "adtail"}, {-3, io.SeekEnd, "ail"}, {-4, io.SeekCurrent, "tail"}, {100, io.SeekStart, ""}} {
		if _, err := f.Seek(c.offset, c.whence); err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(f); err != nil || string(got) != c.want {
			t.Errorf("from %d on: %q, %v; want %q", c.offset, got, err, c.want)
		}
		if c.want == "" {
			break // the position is beyond the end
		}
	}
	if _, err := f.Seek(-1, io.SeekStart); err == nil {
		t.Error("a negative position is accepted")
	}
}

func TestMayRedraw(t *testing.T) {
	for file, want := range map[string]bool{
		"startxref startxref":                          false,
		"/NeedAppearances startxref":                   false,
		"/NeedAppearances startxref startxref":         true,
		"/Type/ObjStm startxref xref startxref":        true,
		"startxref /NeedAppearances startxref trailer": true,
	} {
		if got := MayRedraw(bytes.Clone([]byte(file))); got != want {
			t.Errorf("%s: %v", file, got)
		}
	}
}
