package confine

import "golang.org/x/sys/unix"

const (
	auditArch = unix.AUDIT_ARCH_AARCH64
)

// ofArchitecture is empty: this architecture never had the older equivalents of the calls
// in always, and it sets the thread-local storage register without a system call.
var ofArchitecture []call
