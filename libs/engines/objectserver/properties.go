package objectserver

import (
	"os"
	"path/filepath"

	"github.com/versity/versitygw/backend/meta"
	"github.com/versity/versitygw/backend/posix"
)

// newBackend returns a backend that keeps objects as files. It keeps their
// properties in extended attributes or, if the file system has none, in separate
// files. Do not move a folder between the two kinds of file system: the properties
// would be lost.
func newBackend(cfg Config) (*posix.Posix, error) {
	objects := Buckets(cfg.Dir)
	for _, folder := range []string{objects, spool(cfg.Dir)} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return nil, err
		}
	}
	options := posix.PosixOpts{Concurrency: copies * cfg.Limits.MaxConnections, CopyObjectThreshold: copyThreshold}
	options.SetNewDirPerm(0o700)
	options.SetNewFilePerm(0o600)
	if err := (meta.XattrMeta{}).Test(objects); err == nil && !cfg.noAttributes {
		return posix.New(objects, meta.XattrMeta{}, options)
	}
	properties, err := newSidecar(Properties(cfg.Dir), objects)
	if err != nil {
		return nil, err
	}
	options.SideCarDir = Properties(cfg.Dir)
	return posix.New(objects, properties, options)
}

// sidecar keeps the properties of objects in files of their own. The backend stores
// them before the object, so that there are, for a moment or after a crash,
// properties of an object that does not exist. It takes the entity tag among them for
// an object, and refuses a conditional put of the key, in the second case forever.
// So sidecar returns only the properties of objects that exist.
type sidecar struct {
	meta.SideCar
	objects string // the folder of the buckets
}

// newSidecar returns a sidecar in dir for the buckets in objects.
func newSidecar(dir, objects string) (sidecar, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return sidecar{}, err
	}
	files, err := meta.NewSideCar(dir)
	return sidecar{files, objects}, err
}

// RetrieveAttribute implements meta.MetadataStorer.
func (s sidecar) RetrieveAttribute(f *os.File, bucket, object, attribute string) ([]byte, error) {
	if _, err := os.Lstat(filepath.Join(s.objects, bucket, object)); os.IsNotExist(err) {
		return nil, meta.ErrNoSuchKey
	}
	return s.SideCar.RetrieveAttribute(f, bucket, object, attribute)
}
