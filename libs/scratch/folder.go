package scratch

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// Dir is the scratch folder of one process, for external programs, which need named
// files. On a tmpfs its content never reaches a disk.
type Dir struct {
	path string
	lock *os.File
}

const prefix = "recto-conversion-"

// OpenDir creates the scratch folder of this process in parent, and removes folders there
// that killed processes have left behind.
func OpenDir(parent string) (*Dir, error) {
	removeStale(parent)
	path, err := os.MkdirTemp(parent, prefix)
	if err != nil {
		return nil, fmt.Errorf("create a scratch folder: %w", err)
	}
	lock, err := os.Create(filepath.Join(path, "lock"))
	if err != nil {
		return nil, fmt.Errorf("lock the scratch folder: %w", err)
	}
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return nil, fmt.Errorf("lock the scratch folder: %w", err)
	}
	return &Dir{path: path, lock: lock}, nil
}

// removeStale removes the scratch folders of dead processes: the kernel releases a
// process's lock when it dies.
func removeStale(parent string) {
	entries, _ := os.ReadDir(parent) // MkdirTemp reports any error
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), prefix) {
			continue
		}
		path := filepath.Join(parent, e.Name())
		lock, err := os.Open(filepath.Join(path, "lock"))
		if err != nil {
			continue // it is being created, or is not ours
		}
		if unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil {
			_ = os.RemoveAll(path)
		}
		_ = lock.Close()
	}
}

// Make creates a new folder.
func (d *Dir) Make() (string, error) {
	dir, err := os.MkdirTemp(d.path, "")
	if err != nil {
		return "", fmt.Errorf("create a scratch folder: %w", err)
	}
	return dir, nil
}

// Remove deletes a folder and everything in it.
func (d *Dir) Remove(dir string) { _ = os.RemoveAll(dir) }

// Close deletes the scratch folder of this process.
func (d *Dir) Close() {
	_ = os.RemoveAll(d.path)
	_ = d.lock.Close()
}

// IsMemory reports whether dir is on a file system in memory.
func IsMemory(dir string) (bool, error) {
	var fs unix.Statfs_t
	if err := unix.Statfs(dir, &fs); err != nil {
		return false, fmt.Errorf("look at the file system of %s: %w", dir, err)
	}
	return fs.Type == unix.TMPFS_MAGIC || fs.Type == unix.RAMFS_MAGIC, nil
}

// Free returns the number of free bytes in dir's file system.
func Free(dir string) (uint64, error) {
	var fs unix.Statfs_t
	if err := unix.Statfs(dir, &fs); err != nil {
		return 0, fmt.Errorf("look at the file system of %s: %w", dir, err)
	}
	return fs.Bavail * uint64(fs.Bsize), nil
}
