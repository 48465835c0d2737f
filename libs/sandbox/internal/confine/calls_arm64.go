package confine

import "golang.org/x/sys/unix"

const (
	auditArch = unix.AUDIT_ARCH_AARCH64
)

// ofArchitecture is empty: this architecture came after the calls that have twins in
// always, and keeps the register of a thread's data without a call.
var ofArchitecture []call
