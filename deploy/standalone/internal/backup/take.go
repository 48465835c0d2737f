package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/rectohq/recto/deploy/standalone/internal/datadir"
	"github.com/rectohq/recto/libs/engines/natsserver"
	"github.com/rectohq/recto/libs/engines/objectserver"
	"github.com/rectohq/recto/libs/runner"
	"github.com/rectohq/recto/libs/sqlite"
)

// holdLimit bounds how long the databases may be held. Writers wait for 10 s before they
// fail, so that no request fails for a backup. Tests change it.
var holdLimit = 5 * time.Second

// Source is what a backup is taken of.
type Source struct {
	Dir datadir.Dir
	// NATS runs on Dir.
	NATS *natsserver.Server
	// HoldRemovals makes removals of objects wait until release is called. It is nil if
	// there is no object server.
	HoldRemovals func() (release func())
}

// Backup is a copy of a data folder as it was at one moment. It must be closed.
type Backup struct {
	Header Header
	dir    string
}

// Discard removes what a killed program has left of a backup.
func Discard(dir datadir.Dir) error { return os.RemoveAll(dir.BackupFolder()) }

// Take copies the data folder. All databases and the events are those of one moment, at
// which nothing can write to a database. Objects never change, so they are linked after the
// moment; until that is done, removals of objects wait. Everything else continues.
//
// An object that a database of the moment refers to was stored before the moment. An event
// that is no longer in an outbox was stored in the stream before the moment, and an event
// that the stream no longer delivers was handled by a change that the databases contain.
func Take(ctx context.Context, s Source) (*Backup, error) {
	b := &Backup{
		Header: Header{Format: Format, Version: runner.Version, CreatedAt: time.Now().UTC()},
		dir:    s.Dir.BackupFolder(),
	}
	err := Discard(s.Dir)
	if err == nil {
		err = os.Mkdir(b.dir, 0o700)
	}
	if err == nil {
		err = b.take(ctx, s)
	}
	if err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return b, nil
}

// Close removes the copy.
func (b *Backup) Close() error { return os.RemoveAll(b.dir) }

// Write writes the archive.
func (b *Backup) Write(ctx context.Context, w io.Writer) error {
	return writeArchive(ctx, w, b.Header, b.dir)
}

// take fills the folder of the backup.
func (b *Backup) take(ctx context.Context, s Source) error {
	paths, err := s.Dir.Databases()
	if err != nil {
		return err
	}
	if err := enoughRoom(s.Dir, paths); err != nil {
		return err
	}
	release := func() {}
	if s.HoldRemovals != nil {
		release = s.HoldRemovals()
	}
	m, err := b.hold(ctx, s, paths)
	if err == nil {
		defer m.close()
		// NATS waits for a reader only for a few seconds, so the events are first.
		if err = m.writeEvents(ctx, filepath.Join(b.dir, eventsName)); err == nil {
			err = b.keepObjects(s.Dir)
		}
	}
	release()
	if err != nil {
		return err
	}
	for _, frozen := range m.databases {
		if err := frozen.CopyTo(ctx, filepath.Join(b.dir, filepath.Base(frozen.Path()))); err != nil {
			return err
		}
	}
	k := &keeper{link: os.Link}
	for _, path := range s.Dir.Kept() {
		if _, err := k.tree(path, filepath.Join(b.dir, filepath.Base(path))); err != nil {
			return err
		}
	}
	b.Header.Databases = len(paths)
	b.Header.Bytes, err = sizeOf(b.dir)
	return err
}

// moment is the state of databases and events at one moment.
type moment struct {
	databases []*sqlite.Frozen
	events    *natsserver.Snapshot // nil if there are none
}

// hold stops all writers, notes the state of everything, and lets them go on.
func (b *Backup) hold(ctx context.Context, s Source, paths []string) (m *moment, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, holdLimit, fmt.Errorf("this took longer than %s, and would make requests fail. Nothing has changed; try again when there is less to do", holdLimit))
	defer cancel()
	m = &moment{}
	begin := time.Now()
	for _, path := range paths {
		frozen, failed := sqlite.Freeze(ctx, path)
		if err = failed; err != nil {
			break
		}
		m.databases = append(m.databases, frozen)
	}
	if err == nil {
		b.Header.CreatedAt = time.Now().UTC()
		m.events, err = s.NATS.Snapshot(ctx, eventStream)
		if errors.Is(err, natsserver.ErrNoStream) {
			err = nil // Recto was never ready on this folder
		}
	}
	for _, frozen := range m.databases {
		err = errors.Join(err, frozen.Thaw())
	}
	b.Header.HeldMS = time.Since(begin).Milliseconds()
	if err != nil {
		m.close()
		if ctx.Err() != nil {
			err = fmt.Errorf("%w: %w", err, context.Cause(ctx))
		}
		return nil, fmt.Errorf("hold the databases for a moment: %w", err)
	}
	return m, nil
}

// close ends the use of the state. Its errors mean nothing: the copies are made by then.
func (m *moment) close() {
	for _, frozen := range m.databases {
		_ = frozen.Close()
	}
	if m.events != nil {
		m.events.Close()
	}
}

// writeEvents writes the events to a file, if there are any.
func (m *moment) writeEvents(ctx context.Context, path string) error {
	if m.events == nil {
		return nil
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(m.events.Write(ctx, f), f.Close())
}

// keepObjects links all objects. Where their properties are separate files, which change
// in place, it copies those.
func (b *Backup) keepObjects(dir datadir.Dir) (err error) {
	target := filepath.Join(b.dir, filepath.Base(dir.Objects()))
	if err := os.Mkdir(target, 0o700); err != nil {
		return err
	}
	buckets, properties := objectserver.Buckets(dir.Objects()), objectserver.Properties(dir.Objects())
	links := &keeper{link: os.Link}
	if b.Header.Objects, err = links.tree(buckets, filepath.Join(target, filepath.Base(buckets))); err != nil {
		return err
	}
	copies := &keeper{copies: true}
	_, err = copies.tree(properties, filepath.Join(target, filepath.Base(properties)))
	return err
}

// enoughRoom returns an error if the copies of the databases do not fit on the disk.
func enoughRoom(dir datadir.Dir, paths []string) error {
	var need int64
	for _, path := range paths {
		for _, suffix := range []string{"", "-wal"} {
			if info, err := os.Stat(path + suffix); err == nil {
				need += info.Size()
			}
		}
	}
	free, err := Free(dir.Path())
	if err == nil && free < need {
		err = fmt.Errorf("the disk of %s has %d bytes free, and the backup needs up to %d there while it is made. Free some space", dir.Path(), free, need)
	}
	return err
}

// sizeOf returns the size of all files in a folder.
func sizeOf(dir string) (size int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			size += info.Size()
		}
		return err
	})
	return size, err
}
