package zygote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/rectohq/recto/libs/sandbox"
	"github.com/rectohq/recto/services/conversion/internal/domain"
	"github.com/rectohq/recto/services/conversion/internal/libreoffice"
)

// folder is the folder of a zygote:
//
//	profile  LibreOffice's profile. Copies can only read it.
//	home     empty. Copies can only read it.
//	work     the document and its PDF. It is the working directory.
//	tmp      temporary files
//	filter   the filter of the copies
type folder struct {
	dir string
	// kept holds the folders that LibreOffice created in tmp while it converted the
	// samples, as paths relative to dir. Every copy expects them.
	kept map[string]bool
}

// work is the folder of the document.
const work = "work"

// writable lists the folders that copies can write to.
var writable = []string{work, "tmp"}

// newFolder creates the folder of a zygote.
func newFolder(ctx context.Context, scratch domain.Scratch, cold *libreoffice.Engine) (*folder, error) {
	dir, err := scratch.Make()
	if err != nil {
		return nil, err
	}
	f := &folder{dir: dir}
	err = cold.CopyProfile(ctx, f.path("profile"))
	for _, name := range append([]string{"home"}, writable...) {
		err = errors.Join(err, os.Mkdir(f.path(name), 0o700))
	}
	if err != nil {
		scratch.Remove(dir)
		return nil, fmt.Errorf("create the folder of a zygote: %w", err)
	}
	return f, nil
}

// path returns the path of a file in the folder.
func (f *folder) path(names ...string) string {
	return filepath.Join(append([]string{f.dir}, names...)...)
}

// url returns the URL of a file in the folder. The path has no character that a URL
// escapes: it is that of scratch, with names of this package.
func (f *folder) url(names ...string) string { return "file://" + f.path(names...) }

// inner turns p, the policy of a cold LibreOffice in the same folder, into that of a copy:
// it can only read the profile, and write only to the folders in writable.
func (f *folder) inner(p sandbox.Policy) sandbox.Policy {
	p.Write = nil
	for _, name := range writable {
		p.Write = append(p.Write, f.path(name))
	}
	p.Read = append(p.Read, f.path("profile"), f.path("home"))
	p.Sockets = nil
	return p
}

// maxKept bounds the folders that LibreOffice creates before the first document.
const maxKept = 64

// freeze removes the samples, and makes clear restore this state.
func (f *folder) freeze() error {
	f.kept = map[string]bool{}
	err := filepath.WalkDir(f.path("tmp"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() || path == f.path("tmp") {
			return err
		}
		name, err := filepath.Rel(f.dir, path)
		f.kept[name] = true
		return err
	})
	if err != nil {
		return err
	}
	if len(f.kept) > maxKept {
		return fmt.Errorf("LibreOffice has created %d temporary folders; at most %d are expected", len(f.kept), maxKept)
	}
	return f.clear()
}

// clear removes everything that a copy may have left, but for the folders that LibreOffice
// had created before. It fails if one of these is gone, or is no folder any more. It
// follows no links.
func (f *folder) clear() error {
	root, err := os.OpenRoot(f.dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	found := 0
	for _, name := range writable {
		n, err := f.clearIn(root, name)
		if err != nil {
			return err
		}
		found += n
	}
	if found != len(f.kept) {
		return fmt.Errorf("%d of %d temporary folders are left", found, len(f.kept))
	}
	return nil
}

// clearIn is clear for the folder name. It returns the number of folders kept.
func (f *folder) clearIn(root *os.Root, name string) (found int, err error) {
	entries, err := fs.ReadDir(root.FS(), name)
	if err != nil {
		return 0, err
	}
	for _, e := range entries {
		path := filepath.Join(name, e.Name())
		if !f.kept[path] || !e.IsDir() {
			if err := root.RemoveAll(path); err != nil {
				return found, err
			}
			continue
		}
		n, err := f.clearIn(root, path)
		if err != nil {
			return found, err
		}
		found += n + 1
	}
	return found, nil
}

// copyFile copies a file. A copy gets its own, so that a document that damages it can be
// tried again.
func copyFile(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
