package datadir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// others are the permissions of everyone but the owner.
const others fs.FileMode = 0o077

// marks are paths by which Recto recognizes its own data folder. At least one exists in each.
var marks = []string{"secrets", "lock", filepath.Join("tls", "ca.pem")}

// CreatePrivately lets this process create files and folders that only their owner can
// access, until the returned function is called. The engines choose the permissions of their
// files themselves, so this cannot be left to them.
func CreatePrivately() (undo func()) {
	before := unix.Umask(int(others))
	return func() { unix.Umask(before) }
}

// CheckContent returns an error if the folder holds files but no data of Recto: it is not
// the folder that the user means, and closing it to others could break what uses it.
func (d Dir) CheckContent() error {
	for _, mark := range marks {
		if _, err := os.Stat(filepath.Join(d.path, mark)); err == nil {
			return nil
		}
	}
	entries, err := os.ReadDir(d.path)
	if err != nil {
		return fmt.Errorf("read the data folder: %w", err)
	}
	for _, e := range entries {
		if e.Name() != "lost+found" { // the root of an empty disk has it
			return fmt.Errorf("%s holds other files, such as %s, and no data of Recto. Name an empty folder with --data, or one that does not exist", d.path, e.Name())
		}
	}
	return nil
}

// OpenMode returns the permissions of the folder if others than its owner have any, and 0
// otherwise.
func (d Dir) OpenMode() (fs.FileMode, error) {
	info, err := os.Stat(d.path)
	if err != nil || info.Mode().Perm()&others == 0 {
		return 0, err
	}
	return info.Mode().Perm(), nil
}

// Restrict makes the folder, and files in it that an earlier version left open, accessible only
// to their owner. It returns a note for the user if the folder was open, or if it stays open
// because another user owns it, and otherwise "".
func (d Dir) Restrict() (note string, err error) {
	entries, err := os.ReadDir(d.path)
	if err != nil {
		return "", fmt.Errorf("read the data folder: %w", err)
	}
	mode, err := d.OpenMode()
	if err != nil {
		return "", err
	}
	err = restrict(d.path)
	switch {
	case errors.Is(err, fs.ErrPermission):
		note = fmt.Sprintf("WARNING: other users can access %s (mode %04o), and this user may not change that. Make this user its owner.", d.path, mode)
	case err != nil:
		return "", err
	case mode != 0:
		note = fmt.Sprintf("%s was open to other users (mode %04o). It is now open only to its owner.", d.path, mode)
	}
	for _, e := range entries {
		if !e.Type().IsRegular() {
			continue
		}
		if err := restrict(filepath.Join(d.path, e.Name())); err != nil && !errors.Is(err, fs.ErrPermission) && !errors.Is(err, fs.ErrNotExist) { // commands remove files meanwhile
			return note, err
		}
	}
	return note, nil
}

// restrict leaves a file or folder only to its owner.
func restrict(path string) error {
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm()&others == 0 {
		return err
	}
	return os.Chmod(path, info.Mode()&^others)
}
