package backup

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/pkg/xattr"
)

// sample is a folder with all that a data folder can contain: folders with and without
// content, empty files, long and strange names, permissions and attributes.
func sample(t testing.TB) string {
	t.Helper()
	root := t.TempDir()
	for name, content := range map[string]string{
		"document.db": strings.Repeat("page ", 300), "empty": "", "secrets/key": "k\n",
		"objects/buckets/recto/content/" + strings.Repeat("long", 60): "x", "objects/buckets/recto/ü \n%2F\\": "strange",
	} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	bucket, object := filepath.Join(root, "objects", "buckets", "recto"), filepath.Join(root, "empty")
	err := errors.Join(
		os.Mkdir(filepath.Join(root, "objects", "nothing"), 0o700), os.Chmod(object, 0o644),
		os.Chtimes(object, time.Time{}, time.Unix(1_700_000_000, 123_456_789)),
	)
	has, failed := hasAttributes(root)
	if has {
		err = errors.Join(err, xattr.Set(bucket, "user.acl", []byte("{}")), xattr.Set(object, "user.etag", []byte("a=\x00\xff\n")), xattr.Set(object, "user.empty", nil))
	} else {
		t.Logf("this file system has no extended attributes, which are NOT TESTED (%v)", failed)
	}
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// describe returns everything in a folder that an archive keeps, by path.
func describe(t testing.TB, root string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || path == root {
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
		attributes, err := attributes(f)
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(root, path)
		if info.IsDir() {
			found[name] = fmt.Sprintf("folder %v %q", info.Mode(), attributes)
			return nil
		}
		content, err := io.ReadAll(f)
		found[name] = fmt.Sprintf("%v %v %q %q", info.Mode(), info.ModTime().UnixNano(), attributes, content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// about is the header of archives in tests.
var about = Header{Format: Format, Version: "1.2.3", CreatedAt: time.Unix(1_700_000_000, 0).UTC(), HeldMS: 7, Databases: 1, Objects: 2, Bytes: 1}

// archive returns an archive of a folder.
func archive(t testing.TB, root string) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := writeArchive(t.Context(), &b, about, root); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// contents returns what is in an archive, or why it is refused.
func contents(t testing.TB, data []byte) (map[string]string, error) {
	t.Helper()
	dir := t.TempDir()
	if err := Unpack(t.Context(), bytes.NewReader(data), dir, nil); err != nil {
		return nil, err
	}
	return describe(t, dir), nil
}

// TestRoundTrip checks that an unpacked archive equals what was packed, and that its header
// and progress say what is in it.
func TestRoundTrip(t *testing.T) {
	root := sample(t)
	data := archive(t, root)
	var last Progress
	h, err := Check(bytes.NewReader(data), func(_ Header, p Progress) { last = p })
	if err != nil || h != about {
		t.Errorf("the header is %+v, %v", h, err)
	}
	if size, err := sizeOf(root); err != nil || last != (Progress{Objects: 2, Bytes: size}) {
		t.Errorf("in the end, progress is %+v of %d bytes, %v", last, size, err)
	}
	got, err := contents(t, data)
	if want := describe(t, root); err != nil || !maps.Equal(got, want) || len(want) < 10 {
		t.Errorf("%v: unpacked\n%q\nwant\n%q", err, got, want)
	}
}

// TestEveryByte flips a bit of every byte of an archive, cuts it at every length, and adds
// to it. It is refused each time.
func TestEveryByte(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"a", "b"} {
		if err := os.WriteFile(filepath.Join(root, name), []byte("content of "+name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	data := archive(t, root)
	for i := range data {
		damaged := slices.Clone(data)
		damaged[i] ^= 1 << (i % 8)
		if _, err := Check(bytes.NewReader(damaged), nil); !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrNoBackup) {
			t.Errorf("with byte %d changed: %v", i, err)
		}
		if _, err := Check(bytes.NewReader(data[:i]), nil); !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrNoBackup) {
			t.Errorf("the first %d of %d bytes: %v", i, len(data), err)
		}
	}
	for name, more := range map[string][]byte{"a byte": {0}, "an archive": data, "text": []byte("some text")} {
		if _, err := Check(bytes.NewReader(slices.Concat(data, more)), nil); !errors.Is(err, ErrDamaged) {
			t.Errorf("followed by %s: %v", name, err)
		}
	}
}

// block is one entry of an archive as the tar format stores it.
type block struct {
	header  *tar.Header
	content []byte
}

// blocks takes an archive apart.
func blocks(t *testing.T, data []byte) (all []block) {
	t.Helper()
	z, err := zstd.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, block{h, content})
	}
}

// assemble puts an archive together, with valid checksums of the compression.
func assemble(t *testing.T, all []block) []byte {
	t.Helper()
	var b bytes.Buffer
	seal := &sealWriter{&b, sha256.New()}
	z, err := zstd.NewWriter(seal)
	if err != nil {
		t.Fatal(err)
	}
	w := tar.NewWriter(z)
	for _, e := range all {
		h := *e.header
		h.Size = int64(len(e.content))
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(e.content); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), z.Close(), seal.close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestEveryEntry damages each entry of an archive in each way that the compression does not
// notice. The error says at which entry.
func TestEveryEntry(t *testing.T) {
	data := archive(t, sample(t))
	if _, err := Check(bytes.NewReader(assemble(t, blocks(t, data))), nil); err != nil {
		t.Fatalf("taken apart and put together: %v", err)
	}
	last := len(blocks(t, data)) - 1
	for i := range last {
		for kind, damage := range map[string]func(*[]block){
			"content":  func(b *[]block) { e := &(*b)[i]; e.content = append(slices.Clone(e.content), ' ') },
			"name":     func(b *[]block) { (*b)[i].header.Name = "x" + (*b)[i].header.Name },
			"mode":     func(b *[]block) { (*b)[i].header.Mode ^= 0o100 },
			"time":     func(b *[]block) { (*b)[i].header.ModTime = time.Unix(1, 0) },
			"xattr":    func(b *[]block) { (*b)[i].header.PAXRecords[attrKey+"user.x"] = "y" },
			"missing":  func(b *[]block) { *b = slices.Delete(*b, i, i+1) },
			"twice":    func(b *[]block) { *b = slices.Insert(*b, i, (*b)[i]) },
			"swapped":  func(b *[]block) { (*b)[i], (*b)[i+1] = (*b)[i+1], (*b)[i] },
			"end":      func(b *[]block) { *b = (*b)[:i] },
			"checksum": func(b *[]block) { (*b)[i].header.PAXRecords[digestKey] = "" },
		} {
			all := blocks(t, data)
			if all[i].header.Typeflag == tar.TypeDir && kind == "content" {
				continue
			}
			damage(&all)
			_, err := Check(bytes.NewReader(assemble(t, all)), nil)
			var before string // the damage is found at the entry itself, or at the next one
			if i > 0 {
				before = fmt.Sprintf("entry %d,", i)
			}
			at := fmt.Sprintf("entry %d,", i+1)
			if !errors.Is(err, ErrDamaged) || i > 1 && !strings.Contains(err.Error(), at) && !strings.Contains(err.Error(), before) {
				t.Errorf("%s of entry %d: %v", kind, i+1, err)
			}
		}
	}
}

// forge returns an archive that has e in it, with the right checksums.
func forge(t testing.TB, header string, e ...*tar.Header) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := newWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.add(entry{name: headerName, mode: 0o600, size: int64(len(header)), modified: time.Unix(0, 0)}, strings.NewReader(header)); err != nil {
		t.Fatal(err)
	}
	for _, h := range e {
		h.Format, h.ModTime = tar.FormatPAX, time.Unix(0, 0)
		if h.PAXRecords == nil {
			h.PAXRecords = map[string]string{}
		}
		h.PAXRecords[digestKey] = hex.EncodeToString(w.digest.Sum(nil))
		if err := w.tar.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if parsed, err := parse(h); err == nil {
			parsed.addTo(w.digest)
		}
	}
	if err := w.close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestHostile reads archives that somebody has made to do harm. They are refused before
// anything is written outside the folder, or without bound.
func TestHostile(t *testing.T) {
	const good = `{"format":1}`
	many := map[string]string{}
	for i := range maxAttributes + 1 {
		many[fmt.Sprintf("%suser.%d", attrKey, i)] = "x"
	}
	for name, tc := range map[string]struct {
		header string
		entry  *tar.Header
		want   string
	}{
		"parent":      {good, &tar.Header{Name: "../x"}, "is not a path inside a data folder"},
		"inside":      {good, &tar.Header{Name: "a/../../x"}, "is not a path inside a data folder"},
		"absolute":    {good, &tar.Header{Name: "/etc/x"}, "is not a path inside a data folder"},
		"unclean":     {good, &tar.Header{Name: "a//x"}, "is not a path inside a data folder"},
		"itself":      {good, &tar.Header{Name: "./", Typeflag: tar.TypeDir}, "is not a path inside a data folder"},
		"long":        {good, &tar.Header{Name: strings.Repeat("x/", maxName)}, "is not a path inside a data folder"},
		"symlink":     {good, &tar.Header{Name: "a", Typeflag: tar.TypeSymlink, Linkname: "/etc"}, "neither a file nor a folder"},
		"link":        {good, &tar.Header{Name: "a", Typeflag: tar.TypeLink, Linkname: "/etc/passwd"}, "neither a file nor a folder"},
		"device":      {good, &tar.Header{Name: "a", Typeflag: tar.TypeChar}, "neither a file nor a folder"},
		"fifo":        {good, &tar.Header{Name: "a", Typeflag: tar.TypeFifo}, "neither a file nor a folder"},
		"setuid":      {good, &tar.Header{Name: "a", Mode: 0o4755}, "has the mode 4755"},
		"capability":  {good, &tar.Header{Name: "a", PAXRecords: map[string]string{attrKey + "security.capability": "x"}}, "is not one of a user"},
		"attributes":  {good, &tar.Header{Name: "a", PAXRecords: many}, "more than 64 attributes"},
		"no header":   {"", nil, ""},
		"bad header":  {"{", nil, ""},
		"no format":   {"{}", nil, "it has format 0"},
		"large":       {`{"format":1,"x":"` + strings.Repeat("x", maxHeader) + `"}`, nil, "it does not begin with"},
		"two formats": {`{"format":1,"format":1}`, nil, ""},
	} {
		var entries []*tar.Header
		if tc.entry != nil {
			entries = append(entries, tc.entry)
		}
		got, err := contents(t, forge(t, tc.header, entries...))
		if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %q, %v; want %q", name, got, err, tc.want)
		}
	}
	if _, err := parse(&tar.Header{Name: "a", Typeflag: tar.TypeReg, Size: maxEntry + 1}); err == nil || !strings.Contains(err.Error(), "has a size of") {
		t.Errorf("a huge file: %v", err)
	}
	if got, err := contents(t, forge(t, good, &tar.Header{Name: "a", Typeflag: tar.TypeReg, Mode: 0o600})); err != nil || len(got) != 1 {
		t.Errorf("a harmless archive: %q, %v", got, err)
	}
}

// TestNewer checks what is said about an archive of a later version of Recto.
func TestNewer(t *testing.T) {
	_, err := contents(t, forge(t, `{"format":2,"version":"9.8.7","something":"else"}`))
	if !errors.Is(err, ErrNewer) || !strings.Contains(err.Error(), "Use Recto 9.8.7, which wrote it") {
		t.Errorf("a newer format: %v", err)
	}
	if _, err := contents(t, forge(t, `{"format":1,"version":"9.8.7","something":"else"}`)); err != nil {
		t.Errorf("the same format with something new: %v", err)
	}
}

// failing is a reader or writer that fails after some bytes.
type failing struct {
	r    io.Reader
	left int
}

var errDisk = errors.New("the disk is full")

func (f *failing) Read(p []byte) (int, error) {
	if f.left <= 0 {
		return 0, errDisk
	}
	n, err := f.r.Read(p[:min(len(p), f.left)])
	f.left -= n
	return n, err
}

func (f *failing) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, errDisk
	}
	return len(p), nil
}

// TestDisk checks that a broken disk is reported as such, rather than as a damaged backup.
func TestDisk(t *testing.T) {
	root := sample(t)
	data := archive(t, root)
	for _, n := range []int{0, 10, len(data) / 2, len(data) - 1} {
		if _, err := Check(&failing{bytes.NewReader(data), n}, nil); !errors.Is(err, errDisk) || errors.Is(err, ErrDamaged) {
			t.Errorf("a disk that cannot be read after %d bytes: %v", n, err)
		}
		if err := writeArchive(t.Context(), &failing{left: n}, about, root); !errors.Is(err, errDisk) {
			t.Errorf("a disk that is full after %d bytes: %v", n, err)
		}
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "empty"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Unpack(t.Context(), bytes.NewReader(data), dir, nil); !errors.Is(err, fs.ErrExist) || errors.Is(err, ErrDamaged) {
		t.Errorf("over an existing file: %v", err)
	}
}

// FuzzRead reads bytes as an archive, and as what is inside the compression. Whatever they
// are, nothing is written outside the folder.
func FuzzRead(f *testing.F) {
	data := archive(f, sample(f))
	z, err := zstd.NewReader(bytes.NewReader(data)) // as other programs for Zstandard read it
	if err != nil {
		f.Fatal(err)
	}
	inside, err := io.ReadAll(z)
	if err != nil {
		f.Fatal(err)
	}
	z.Close()
	f.Add(data, false)
	f.Add(data[:len(data)/2], false)
	f.Add(inside, true)
	f.Add(inside[:1536], true)
	f.Add(forge(f, `{"format":1}`, &tar.Header{Name: "../x"}), false)
	f.Fuzz(func(t *testing.T, data []byte, inside bool) {
		if inside {
			var b bytes.Buffer
			seal := &sealWriter{&b, sha256.New()}
			z, err := zstd.NewWriter(seal)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := z.Write(data); err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(z.Close(), seal.close()); err != nil {
				t.Fatal(err)
			}
			data = b.Bytes()
		}
		parent := t.TempDir()
		dir := filepath.Join(parent, "dir")
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		_ = Unpack(t.Context(), bytes.NewReader(data), dir, nil)
		if left, err := os.ReadDir(parent); err != nil || len(left) != 1 {
			t.Errorf("there is something outside the folder: %v, %v", left, err)
		}
	})
}
