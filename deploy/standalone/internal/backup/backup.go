// Package backup makes backups of a data folder, also while Recto runs on it, and restores
// them. It owns the moment that a backup shows, and the format of the archive.
//
// An archive is a tar file, compressed with Zstandard. Its first entry is a Header. The
// others have the paths of the data folder; only JetStream is replaced by a snapshot of
// the stream of events. Work queues are not part of it, because Recto queues unfinished
// jobs again when it starts. Each entry carries the SHA-256 of all entries before it, and
// the last entry is empty, so a reader finds damage at the entry where it is, and knows
// where the archive ends. After that there is only a checksum of the whole file.
package backup

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// Format is the version of the format that this package writes. It reads this one and all
// before it.
const Format = 1

// Names of entries that are not files of a data folder.
const (
	headerName  = "recto-backup.json"
	trailerName = "recto-backup.end"
	eventsName  = "events.snapshot"
)

// eventStream is the stream of events.
const eventStream = "EVENTS"

// Header says what is in an archive.
type Header struct {
	Format    int       `json:"format"`
	Version   string    `json:"version"` // of Recto
	CreatedAt time.Time `json:"created_at"`
	// HeldMS is how long writers of the databases had to wait, in milliseconds.
	HeldMS    int64 `json:"held_ms"`
	Databases int   `json:"databases"`
	Objects   int64 `json:"objects"`
	// Bytes is the size of all files before compression.
	Bytes int64 `json:"bytes"`
}

// Progress is how much of an archive has been read.
type Progress struct{ Objects, Bytes int64 }

// Free returns how many bytes this user may still write to the file system of a folder.
func Free(dir string) (int64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, fmt.Errorf("find out how much of the disk of %s is free: %w", dir, err)
	}
	return int64(s.Bavail) * s.Bsize, nil
}
