package confine

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// limit sets the soft and hard resource limits, so that the program cannot raise them.
// Core files are disabled because they would contain the document. A limit of this process
// that is already lower is kept.
func limit(p Policy) error {
	limits := map[int]uint64{
		unix.RLIMIT_CORE: 0, unix.RLIMIT_FSIZE: p.FileSize, unix.RLIMIT_CPU: p.CPUSeconds,
		unix.RLIMIT_NOFILE: p.OpenFiles, unix.RLIMIT_AS: p.Memory,
	}
	if p.Data > 0 {
		limits[unix.RLIMIT_DATA] = p.Data
	}
	for resource, value := range limits {
		var now unix.Rlimit
		if err := unix.Getrlimit(resource, &now); err != nil {
			return fmt.Errorf("read the limit of resource %d: %w", resource, err)
		}
		value = min(value, now.Max)
		if err := unix.Setrlimit(resource, &unix.Rlimit{Cur: value, Max: value}); err != nil {
			return fmt.Errorf("limit resource %d to %d: %w", resource, value, err)
		}
	}
	return nil
}

// keptCapability lets a service that runs as root read its own executable in another
// user's home folder.
const keptCapability = 1 << unix.CAP_DAC_OVERRIDE

// dropCapabilities drops root's capabilities, including those that the first process of a
// user namespace has in it. They expose parts of the kernel that a third-party program does
// not need. With no_new_privs set, execve does not restore them.
func dropCapabilities() error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var now [2]unix.CapUserData // capabilities 0 to 31, and 32 and above
	if err := unix.Capget(&header, &now[0]); err != nil {
		return fmt.Errorf("read capabilities: %w", err)
	}
	kept := now[0].Permitted & keptCapability
	wanted := [2]unix.CapUserData{{Permitted: kept, Effective: kept}}
	if now == wanted {
		return nil // an unprivileged user has none, and a container may refuse capset
	}
	if err := unix.Capset(&header, &wanted[0]); err != nil {
		return fmt.Errorf("drop capabilities: %w", err)
	}
	return nil
}
