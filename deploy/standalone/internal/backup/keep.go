package backup

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// passing reports whether the object server only needs a file or folder while it stores an
// object: locks, and objects that are not complete yet.
func passing(name string) bool { return strings.Contains(name, ".sgwtmp") || name == ".vgwlocks" }

// keeper puts files into the folder of a backup, so that they stay whatever happens to the
// originals.
type keeper struct {
	// link is os.Link, except in tests.
	link func(from, to string) error
	// copies is set once the file system has refused a link.
	copies bool
}

// tree keeps a file, or a folder with everything in it. Something that does not exist, or
// that disappears meanwhile, is left out. It returns the number of files.
func (k *keeper) tree(from, to string) (files int64, err error) {
	err = filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, name)
		switch {
		case passing(d.Name()) && d.IsDir():
			return filepath.SkipDir
		case passing(d.Name()):
			return nil
		case d.IsDir():
			err = keepFolder(path, target)
		case d.Type().IsRegular():
			files++
			err = k.file(path, target)
		default:
			return fmt.Errorf("%s is neither a file nor a folder: remove it", path)
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
	return files, err
}

// file links a file, or copies it if the file system has no links.
func (k *keeper) file(from, to string) error {
	if !k.copies {
		err := k.link(from, to)
		if !noLinks(err) {
			return err
		}
		k.copies = true
	}
	return copyFile(from, to)
}

// noLinks reports whether err means that a file cannot be linked but can be copied.
func noLinks(err error) bool {
	for _, reason := range []error{syscall.EPERM, syscall.EXDEV, syscall.ENOTSUP, syscall.EMLINK, syscall.ENOSYS} {
		if errors.Is(err, reason) {
			return true
		}
	}
	return false
}

// keepFolder creates a folder like another one.
func keepFolder(from, to string) error {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	if err := os.MkdirAll(to, 0o700); err != nil {
		return err
	}
	target, err := os.Open(to)
	if err != nil {
		return err
	}
	defer target.Close()
	return copyAttributes(source, target)
}

// copyFile copies a file with its attributes and its time.
func copyFile(from, to string) error {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	info, err := source.Stat()
	if err != nil {
		return err
	}
	target, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, info.Mode().Perm())
	if err != nil {
		return err
	}
	_, err = io.Copy(target, source)
	if err == nil {
		err = copyAttributes(source, target)
	}
	return errors.Join(err, target.Close(), os.Chtimes(to, info.ModTime(), info.ModTime()))
}

func copyAttributes(from, to *os.File) error {
	attributes, err := attributes(from)
	if err != nil {
		return err
	}
	return setAttributes(to, attributes)
}
