package datadir

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
)

// socket is the Unix socket on which the program that runs on the folder listens.
func (d Dir) socket() string { return filepath.Join(d.path, "control.sock") }

// Listen listens for other programs of the folder's owner. Only the program that holds the
// lock may call it, because it replaces a socket that a killed program left behind. Remove
// the socket with Unlisten.
func (d Dir) Listen() (net.Listener, error) {
	if err := d.Unlisten(); err != nil {
		return nil, err
	}
	folder, name, err := d.shortSocket()
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	ln, err := net.ListenUnix("unix", &net.UnixAddr{Name: name, Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", d.socket(), err)
	}
	ln.SetUnlinkOnClose(false) // its name is valid only as long as folder is open
	if err := os.Chmod(d.socket(), 0o600); err != nil {
		return nil, errors.Join(err, ln.Close())
	}
	return ln, nil
}

// Unlisten removes the socket, if there is one.
func (d Dir) Unlisten() error {
	if err := os.Remove(d.socket()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Dial connects to the program that runs on the folder.
func (d Dir) Dial(ctx context.Context) (net.Conn, error) {
	folder, name, err := d.shortSocket()
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	dialer := net.Dialer{}
	return dialer.DialContext(ctx, "unix", name)
}

// shortSocket returns a name of the socket that is valid while folder is open. The path of
// the folder may be too long for a socket, which has at most about 100 bytes.
func (d Dir) shortSocket() (folder *os.File, name string, err error) {
	folder, err = os.Open(d.path)
	if err != nil {
		return nil, "", err
	}
	return folder, fmt.Sprintf("/proc/self/fd/%d/%s", folder.Fd(), filepath.Base(d.socket())), nil
}
