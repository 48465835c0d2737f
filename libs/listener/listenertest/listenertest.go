// Package listenertest breaks listeners in the test process.
package listenertest

import (
	"net"
	"os"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"
)

// Break makes Accept fail permanently on the listener of addr (host:port), as if
// the listener had lost its file descriptor.
func Break(t testing.TB, addr string) {
	t.Helper()
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		t.Fatal(err)
	}
	descriptors, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range descriptors {
		fd, err := strconv.Atoi(d.Name())
		if err != nil {
			t.Fatal(err)
		}
		if listens, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_ACCEPTCONN); err != nil || listens == 0 {
			continue // not a listening socket, or already closed
		}
		if address, err := unix.Getsockname(fd); err == nil && portOf(address) == port {
			if err := unix.Shutdown(fd, unix.SHUT_RDWR); err != nil {
				t.Fatal(err)
			}
			return
		}
	}
	t.Fatalf("this process has no listener on %s", addr)
}

func portOf(a unix.Sockaddr) string {
	switch a := a.(type) {
	case *unix.SockaddrInet4:
		return strconv.Itoa(a.Port)
	case *unix.SockaddrInet6:
		return strconv.Itoa(a.Port)
	}
	return ""
}
