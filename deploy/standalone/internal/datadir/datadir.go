// Package datadir is the data folder of a standalone Recto: its layout, the secrets
// created at the first start, and the lock that keeps a second program out.
package datadir

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"golang.org/x/sys/unix"

	"github.com/rectohq/recto/gateway"
)

// Dir is a data folder. Its paths are absolute: the object store changes the
// working directory.
type Dir struct{ path string }

// Open returns the data folder at path, and creates it if it does not exist.
func Open(path string) (Dir, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return Dir{}, err
	}
	if err := os.MkdirAll(absolute, 0o700); err != nil {
		return Dir{}, fmt.Errorf("create the data folder: %w", err)
	}
	return Dir{absolute}, nil
}

// Find returns the data folder at path, which must exist.
func Find(path string) (Dir, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return Dir{}, err
	}
	if _, err := os.Stat(Dir{absolute}.secrets()); err != nil {
		return Dir{}, fmt.Errorf("%s is not a data folder of Recto: name one with --data, or create one with recto up", absolute)
	}
	return Dir{absolute}, nil
}

// Path returns the path of the folder.
func (d Dir) Path() string { return d.path }

// TLS is the folder of the certificate authority and its certificate.
func (d Dir) TLS() string { return filepath.Join(d.path, "tls") }

// NATS is the folder of JetStream.
func (d Dir) NATS() string { return filepath.Join(d.path, "nats") }

// Objects is the folder of the object store.
func (d Dir) Objects() string { return filepath.Join(d.path, "objects") }

// GatewayDatabase is the file of organizations, users and keys.
func (d Dir) GatewayDatabase() string { return filepath.Join(d.path, "gateway.db") }

// IdempotencyDatabase is the file of idempotency records.
func (d Dir) IdempotencyDatabase() string { return filepath.Join(d.path, "idempotency.db") }

// DocumentDatabase is the file of documents.
func (d Dir) DocumentDatabase() string { return filepath.Join(d.path, "document.db") }

// ConversionDatabase is the file of conversion jobs.
func (d Dir) ConversionDatabase() string { return filepath.Join(d.path, "conversion.db") }

// AnnotationDatabase is the path of the database of fields. The database of the
// annotation service's jobs is next to it.
func (d Dir) AnnotationDatabase() string { return filepath.Join(d.path, "annotation.db") }

// InsightDatabase is the path of the database of insights. The database of the insight
// service's jobs is next to it.
func (d Dir) InsightDatabase() string { return filepath.Join(d.path, "insight.db") }

// Databases returns the files of all databases that exist.
func (d Dir) Databases() ([]string, error) {
	entries, err := os.ReadDir(d.path)
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, e := range entries {
		if filepath.Ext(e.Name()) == ".db" {
			paths = append(paths, filepath.Join(d.path, e.Name()))
		}
	}
	return paths, nil
}

// Kept returns the files and folders that a backup keeps besides the databases, the
// objects and JetStream. Some of them may not exist.
func (d Dir) Kept() []string {
	return []string{d.secrets(), d.TLS(), d.Credentials(), d.Credentials() + pendingSuffix, d.CurlConfig()}
}

// BackupFolder is the folder in which a backup is put together. It is on the file system of the
// objects, so that they can be linked.
func (d Dir) BackupFolder() string { return filepath.Join(d.path, "backup.tmp") }

// PDFCache is the folder for the compiled PDF reader.
func (d Dir) PDFCache() string { return filepath.Join(d.path, "cache", "pdf") }

// CurlConfig is the file that configures curl as a client.
func (d Dir) CurlConfig() string { return filepath.Join(d.path, "curlrc") }

// Running describes the program that runs on the folder to other programs on this
// machine. Its URLs are those that clients use.
type Running struct {
	Version     string    `json:"version"`
	StartedAt   time.Time `json:"started_at"`
	Addr        string    `json:"addr"`         // that the API listens on
	ObjectsAddr string    `json:"objects_addr"` // that uploads and downloads are served on
	APIURL      string    `json:"api_url"`
	ConsoleURL  string    `json:"console_url"`
	DocsURL     string    `json:"docs_url"`
	ObjectsURL  string    `json:"objects_url"`
}

func (d Dir) running() string { return filepath.Join(d.path, "running.json") }

// Announce stores r for other programs, until Withdraw.
func (d Dir) Announce(r Running) error {
	content, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return writeFile(d.running(), append(content, '\n'))
}

// Withdraw removes the announcement.
func (d Dir) Withdraw() error { return os.Remove(d.running()) }

// Running returns the last announcement, or the zero value after Withdraw. A program that
// was killed leaves its announcement behind.
func (d Dir) Running() (r Running, err error) {
	content, err := os.ReadFile(d.running())
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err == nil {
		err = json.Unmarshal(content, &r)
	}
	if err != nil {
		err = fmt.Errorf("read %s: %w", d.running(), err)
	}
	return r, err
}

// Lock keeps other programs from running on the folder until this process ends.
func (d Dir) Lock() error {
	path := filepath.Join(d.path, "lock")
	fd, err := unix.Open(path, unix.O_CREAT|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return fmt.Errorf("lock the data folder: %w", err)
	}
	if err := unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return fmt.Errorf("another Recto runs on %s: stop it, or name another folder with --data", d.path)
	}
	return nil // the descriptor stays open: the kernel closes it with the process
}

func (d Dir) secrets() string { return filepath.Join(d.path, "secrets") }

// Secrets are created at the first start and never change.
type Secrets struct {
	Peppers         string
	ObjectAccessKey string
	ObjectSecretKey string
}

// Secrets returns the secrets of the folder, and creates those that are missing. Each is
// in its own file, which only the owner can read.
func (d Dir) Secrets() (Secrets, error) {
	dir := d.secrets()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return Secrets{}, err
	}
	var s Secrets
	for name, secret := range map[string]struct {
		target *string
		make   func() string
	}{
		"key-peppers":       {&s.Peppers, gateway.NewPepper},
		"object-access-key": {&s.ObjectAccessKey, func() string { return "recto" + randomHex(8) }},
		"object-secret-key": {&s.ObjectSecretKey, func() string { return randomHex(32) }},
	} {
		value, err := ensureFile(filepath.Join(dir, name), secret.make)
		if err != nil {
			return s, fmt.Errorf("the secret %s: %w", name, err)
		}
		*secret.target = value
	}
	return s, nil
}

// randomHex returns n random bytes, as 2n characters.
func randomHex(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails: the program crashes instead
	return hex.EncodeToString(b)
}

// ensureFile returns the content of a file, and creates the file if it does not exist.
func ensureFile(path string, content func() string) (string, error) {
	known, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		value := content()
		return value, writeFile(path, []byte(value+"\n"))
	}
	return strings.TrimSpace(string(known)), err
}

// writeFile writes a file that only its owner can read. The write is atomic: after a
// crash the file is either complete or unchanged.
func writeFile(path string, content []byte) error {
	temporary := path + ".new"
	f, err := os.OpenFile(temporary, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(temporary, path)
}
