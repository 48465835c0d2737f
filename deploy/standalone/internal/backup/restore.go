package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/rectohq/recto/deploy/standalone/internal/datadir"
	"github.com/rectohq/recto/libs/engines/natsserver"
	"github.com/rectohq/recto/libs/engines/objectserver"
)

// restoringSuffix is added to the name of a data folder while it is being restored.
const restoringSuffix = ".restoring"

// maxStore is the limit on what JetStream stores, in bytes, while events are restored.
const maxStore = 8 << 30

// Restore creates the data folder target from the archive, which it reads twice: it checks
// all of it before it writes anything. target must not exist, or be empty. It appears with
// its complete content, or not at all.
func Restore(ctx context.Context, archive io.ReadSeeker, target string, report func(Header, Progress)) (Header, error) {
	target, err := filepath.Abs(target)
	if err != nil {
		return Header{}, err
	}
	if err := vacant(target); err != nil {
		return Header{}, err
	}
	h, err := Check(archive, nil)
	if err != nil {
		return h, err
	}
	if _, err := archive.Seek(0, io.SeekStart); err != nil {
		return h, fmt.Errorf("read the backup again: %w", err)
	}
	temporary := target + restoringSuffix
	if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
		return h, err
	}
	free, err := Free(filepath.Dir(target))
	if err != nil {
		return h, err
	}
	if free < h.Bytes {
		return h, fmt.Errorf("the disk of %s has %d bytes free, and the backup needs %d. Free some space, or name a folder on another disk", target, free, h.Bytes)
	}
	if err := os.Mkdir(temporary, 0o700); err != nil {
		if errors.Is(err, fs.ErrExist) {
			err = fmt.Errorf("%s exists: a restore is running, or was interrupted. If none is running, remove it", temporary)
		}
		return h, err
	}
	if err := restore(ctx, archive, temporary, report); err != nil {
		return h, errors.Join(err, os.RemoveAll(temporary))
	}
	if err := replace(temporary, target); err != nil {
		return h, errors.Join(err, os.RemoveAll(temporary))
	}
	return h, nil
}

// vacant returns an error unless dir does not exist or is an empty folder.
func vacant(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && len(entries) > 0 {
		err = fmt.Errorf("%s is not empty: name a folder that does not exist with --data, or move this one away", dir)
	}
	return err
}

// restore fills the folder dir, and writes it to disk.
func restore(ctx context.Context, archive io.Reader, dir string, report func(Header, Progress)) error {
	if err := Unpack(ctx, archive, dir, report); err != nil {
		return err
	}
	data, err := datadir.Open(dir)
	if err != nil {
		return err
	}
	if _, err := os.Stat(objectserver.Properties(data.Objects())); err == nil {
		if has, err := hasAttributes(dir); err != nil || has {
			return errors.Join(err, errors.New("the backup is of a file system without extended attributes, and this one has them, so the properties of the objects would be lost. Name a folder on such a file system"))
		}
	}
	if err := restoreEvents(ctx, data); err != nil {
		return err
	}
	return syncTree(dir)
}

// replace renames a complete data folder.
func replace(from, to string) error {
	// Go does not rename over a folder, even an empty one.
	if err := os.Remove(to); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("replace the folder %s, which must be empty and no mount point: %w", to, err)
	}
	if err := os.Rename(from, to); err != nil {
		return err
	}
	return syncPath(filepath.Dir(to))
}

// Unpack writes the files of an archive below dir.
func Unpack(ctx context.Context, archive io.Reader, dir string, report func(Header, Progress)) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	_, err = read(archive, report, func(e entry, content io.Reader) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return unpack(root, e, content)
	})
	return errors.Join(err, root.Close())
}

// unpack writes one file or folder.
func unpack(root *os.Root, e entry, content io.Reader) error {
	if e.dir {
		if err := root.MkdirAll(e.name, 0o700); err != nil {
			return err
		}
		f, err := root.Open(e.name)
		if err != nil {
			return err
		}
		return errors.Join(setAttributes(f, e.attributes), f.Close())
	}
	f, err := root.OpenFile(e.name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, e.mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, content)
	if err == nil {
		err = setAttributes(f, e.attributes)
	}
	return errors.Join(err, f.Close(), root.Chtimes(e.name, e.modified, e.modified))
}

// restoreEvents puts the stream of events back into JetStream.
func restoreEvents(ctx context.Context, dir datadir.Dir) (err error) {
	path := filepath.Join(dir.Path(), eventsName)
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	server, err := natsserver.Start(natsserver.Config{Dir: dir.NATS(), MaxStore: maxStore, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	err = server.Restore(ctx, eventStream, f)
	server.Stop()
	if err != nil {
		return err
	}
	return os.Remove(path)
}

// syncTree writes everything in a folder to disk.
func syncTree(dir string) error {
	return filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return syncPath(path)
	})
}

// syncPath writes a file, or the list of the files in a folder, to disk.
func syncPath(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
