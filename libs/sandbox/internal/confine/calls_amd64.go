package confine

import "golang.org/x/sys/unix"

const (
	auditArch = unix.AUDIT_ARCH_X86_64
)

// ofArchitecture lists the older equivalents of calls in always, which newer
// architectures never had.
var ofArchitecture = []call{
	{number: unix.SYS_OPEN}, {number: unix.SYS_CREAT}, {number: unix.SYS_STAT}, {number: unix.SYS_LSTAT},
	{number: unix.SYS_ACCESS}, {number: unix.SYS_READLINK}, {number: unix.SYS_GETDENTS}, {number: unix.SYS_MKDIR},
	{number: unix.SYS_RMDIR}, {number: unix.SYS_UNLINK}, {number: unix.SYS_RENAME}, {number: unix.SYS_LINK},
	{number: unix.SYS_SYMLINK}, {number: unix.SYS_CHMOD}, {number: unix.SYS_CHOWN}, {number: unix.SYS_LCHOWN},
	{number: unix.SYS_UTIME}, {number: unix.SYS_UTIMES}, {number: unix.SYS_FUTIMESAT}, {number: unix.SYS_DUP2},
	{number: unix.SYS_PIPE}, {number: unix.SYS_POLL}, {number: unix.SYS_SELECT}, {number: unix.SYS_EPOLL_CREATE},
	{number: unix.SYS_EPOLL_WAIT}, {number: unix.SYS_EVENTFD}, {number: unix.SYS_GETPGRP}, {number: unix.SYS_TIME},

	// The register that points to thread-local storage.
	{unix.SYS_ARCH_PRCTL, []check{oneOf(0, archSetFS, archGetFS)}},
}

const (
	archSetFS = 0x1002
	archGetFS = 0x1003
)
