package backup

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"

	"github.com/pkg/xattr"
)

// attrNamespace is the part of the extended attributes that a backup keeps. The object
// server keeps the properties of objects there; the others belong to the machine.
const attrNamespace = "user."

// attributes returns the extended attributes of a file. A file system without any has none.
func attributes(f *os.File) (map[string]string, error) {
	names, err := xattr.FList(f)
	if errors.Is(err, syscall.ENOTSUP) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var found map[string]string
	for _, name := range names {
		if !strings.HasPrefix(name, attrNamespace) {
			continue
		}
		value, err := xattr.FGet(f, name)
		if err != nil {
			return nil, err
		}
		if found == nil {
			found = map[string]string{}
		}
		found[name] = string(value)
	}
	return found, nil
}

// setAttributes gives a file extended attributes.
func setAttributes(f *os.File, attributes map[string]string) error {
	for name, value := range attributes {
		err := xattr.FSet(f, name, []byte(value))
		if errors.Is(err, syscall.ENOTSUP) {
			return fmt.Errorf("the file system has no extended attributes, which the objects of this backup need; name a folder on one that has, such as ext4, XFS or Btrfs: %w", err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// hasAttributes reports whether the file system of a folder has extended attributes.
func hasAttributes(dir string) (bool, error) {
	f, err := os.CreateTemp(dir, "attributes-*")
	if err != nil {
		return false, err
	}
	err = errors.Join(xattr.FSet(f, attrNamespace+"recto", []byte("x")), f.Close(), os.Remove(f.Name()))
	if errors.Is(err, syscall.ENOTSUP) {
		return false, nil
	}
	return err == nil, err
}
