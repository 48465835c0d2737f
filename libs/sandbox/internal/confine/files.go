package confine

import (
	"errors"
	"fmt"

	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// The rights of Landlock that a policy grants.
const (
	readRights    = ll.AccessFSReadFile | ll.AccessFSReadDir
	executeRights = readRights | ll.AccessFSExecute
	writeRights   = readRights | ll.AccessFSWriteFile | ll.AccessFSTruncate | ll.AccessFSRefer |
		ll.AccessFSMakeReg | ll.AccessFSMakeDir | ll.AccessFSMakeSym | ll.AccessFSMakeSock | ll.AccessFSMakeFifo |
		ll.AccessFSRemoveFile | ll.AccessFSRemoveDir
	// fileRights are those that a rule for a single file may hold.
	fileRights = ll.AccessFSExecute | ll.AccessFSReadFile | ll.AccessFSWriteFile | ll.AccessFSTruncate
)

// system are the files that any program needs to start.
var system = []string{
	"/etc/ld.so.cache", "/etc/passwd", "/etc/nsswitch.conf", "/etc/localtime", "/usr/share/zoneinfo", "/usr/lib/locale",
	"/dev/urandom", "/dev/random", "/proc/meminfo", "/proc/cpuinfo", "/sys/devices/system/cpu",
	// Not by process id: in a PID namespace that would be the folder of another process.
	"/proc/self",
}

// The versions of Landlock's interface. The first one cannot let a program move a
// file from one folder to another, which LibreOffice does: it is not used.
const (
	leastABI  = 2
	scopesABI = 6
)

// handled is what Landlock refuses, by the version that it came with, unless a rule
// grants it. No rule grants anything of networks, of devices or of sockets that
// others listen on.
func handled(abi int) ll.RulesetAttr {
	var a ll.RulesetAttr
	for _, since := range []struct {
		abi              int
		file, net, scope uint64
	}{
		{abi: 1, file: ll.AccessFSMakeSym<<1 - 1},
		{abi: 2, file: ll.AccessFSRefer},
		{abi: 3, file: ll.AccessFSTruncate},
		{abi: 4, net: ll.AccessNetBindTCP | ll.AccessNetConnectTCP},
		{abi: 5, file: ll.AccessFSIoctlDev},
		{abi: scopesABI, scope: ll.ScopeAbstractUnixSocket | ll.ScopeSignal},
		{abi: 9, file: ll.AccessFSResolveUnix},
		{abi: 10, net: ll.AccessNetBindUDP | ll.AccessNetConnectSendUDP},
	} {
		if abi >= since.abi {
			a.HandledAccessFS |= since.file
			a.HandledAccessNet |= since.net
			a.Scoped |= since.scope
		}
	}
	return a
}

// restrictFiles lets Landlock hide all files but those of the policy, and keep
// signals and sockets within the child. It returns the version of Landlock's
// interface, or 0 where the kernel has none that can be used.
//
// Landlock's system calls are made here and not by the library's functions: these
// restrict every thread of the process, which takes longer, and with cgo they look
// at the threads of the wrong process when this one is in a PID namespace.
func restrictFiles(p Policy) (abi int, err error) {
	abi, err = ll.LandlockGetABIVersion()
	if err != nil || abi < leastABI {
		return 0, nil // the kernel has no Landlock, or was started without
	}
	attr := handled(abi)
	ruleset, err := ll.LandlockCreateRuleset(&attr, 0)
	if err != nil {
		return 0, fmt.Errorf("make a ruleset: %w", err)
	}
	defer func() { _ = unix.Close(ruleset) }()
	for _, grant := range []struct {
		paths  []string
		rights uint64
	}{
		{[]string{"/dev/null"}, readRights | ll.AccessFSWriteFile | ll.AccessFSTruncate},
		{system, readRights}, {p.Read, readRights}, {p.Execute, executeRights}, {p.Write, writeRights},
		{p.Sockets, ll.AccessFSMakeSock},
	} {
		for _, path := range grant.paths {
			if err := addRule(ruleset, path, grant.rights&attr.HandledAccessFS); err != nil {
				return 0, fmt.Errorf("%s: %w", path, err)
			}
		}
	}
	if err := ll.LandlockRestrictSelf(ruleset, 0); err != nil {
		return 0, fmt.Errorf("enforce the ruleset: %w", err)
	}
	return abi, nil
}

// addRule grants the rights to path and to all below it. A path that is missing, or
// that this process may not reach itself, needs no rule.
func addRule(ruleset int, path string, rights uint64) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.EACCES) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }()
	var info unix.Stat_t
	if err := unix.Fstat(fd, &info); err != nil {
		return err
	}
	if info.Mode&unix.S_IFMT != unix.S_IFDIR {
		rights &= fileRights
	}
	if rights == 0 {
		return nil
	}
	return ll.LandlockAddPathBeneathRule(ruleset, &ll.PathBeneathAttr{ParentFd: fd, AllowedAccess: rights}, 0)
}
