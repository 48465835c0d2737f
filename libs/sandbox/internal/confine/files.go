package confine

import (
	"errors"
	"fmt"

	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// Landlock rights that a policy grants.
const (
	readRights    = ll.AccessFSReadFile | ll.AccessFSReadDir
	executeRights = readRights | ll.AccessFSExecute
	writeRights   = readRights | ll.AccessFSWriteFile | ll.AccessFSTruncate | ll.AccessFSRefer |
		ll.AccessFSMakeReg | ll.AccessFSMakeDir | ll.AccessFSMakeSym | ll.AccessFSMakeSock | ll.AccessFSMakeFifo |
		ll.AccessFSRemoveFile | ll.AccessFSRemoveDir
	// fileRights are the rights that a rule for a single file may hold.
	fileRights = ll.AccessFSExecute | ll.AccessFSReadFile | ll.AccessFSWriteFile | ll.AccessFSTruncate
)

// system lists the files that every program needs to start.
var system = []string{
	"/etc/ld.so.cache", "/etc/passwd", "/etc/nsswitch.conf", "/etc/localtime", "/usr/share/zoneinfo", "/usr/lib/locale",
	"/dev/urandom", "/dev/random", "/proc/meminfo", "/proc/cpuinfo", "/sys/devices/system/cpu",
	// Not /proc/<pid>: in a PID namespace, that folder belongs to another process.
	"/proc/self",
}

// ABI versions of Landlock. Version 1 is not used because it prevents programs from moving
// a file to another folder, as LibreOffice does.
const (
	leastABI  = 2
	scopesABI = 6
)

// handled returns what Landlock refuses at this ABI version unless a rule grants it. No
// rule grants networking, ioctl on devices, or other programs' sockets.
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

// restrictFiles uses Landlock to hide all files but those of the policy, and to confine
// signals and abstract sockets to the child. It returns the ABI version, or 0 if the kernel
// has no usable Landlock.
//
// It makes the system calls directly. The library's own functions restrict every thread,
// which takes longer. With cgo they also read /proc/<pid>, which belongs to another process
// in a PID namespace.
func restrictFiles(p Policy) (abi int, err error) {
	ruleset, abi, err := ruleset(p)
	if err != nil || abi == 0 {
		return 0, err
	}
	defer func() { _ = unix.Close(ruleset) }()
	if err := ll.LandlockRestrictSelf(ruleset, 0); err != nil {
		return 0, fmt.Errorf("enforce the ruleset: %w", err)
	}
	return abi, nil
}

// ruleset creates the Landlock ruleset of the policy. Without usable Landlock, abi is 0 and
// there is no ruleset.
func ruleset(p Policy) (fd, abi int, err error) {
	if abi, err = ll.LandlockGetABIVersion(); err != nil || abi < leastABI {
		return -1, 0, nil //nolint:nilerr // the kernel has no Landlock, was booted without it, or its version is too old
	}
	attr := handled(abi)
	fd, err = ll.LandlockCreateRuleset(&attr, 0)
	if err != nil {
		return -1, 0, fmt.Errorf("create a ruleset: %w", err)
	}
	if err := addRules(fd, p, attr.HandledAccessFS); err != nil {
		_ = unix.Close(fd)
		return -1, 0, err
	}
	return fd, abi, nil
}

// addRules grants what the policy lists, as far as the ruleset handles it.
func addRules(ruleset int, p Policy, handled uint64) error {
	for _, grant := range []struct {
		paths  []string
		rights uint64
	}{
		{[]string{"/dev/null"}, readRights | ll.AccessFSWriteFile | ll.AccessFSTruncate},
		{system, readRights}, {p.Read, readRights}, {p.Execute, executeRights}, {p.Write, writeRights},
		{p.Sockets, ll.AccessFSMakeSock},
	} {
		for _, path := range grant.paths {
			if err := addRule(ruleset, path, grant.rights&handled); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
		}
	}
	return nil
}

// addRule grants the rights to path and everything below it. It skips a path that does not
// exist or that this process cannot access.
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
