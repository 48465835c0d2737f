package confine

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// limit sets the resource limits, soft and hard, so that the program cannot lift
// them. There is no core file: it would hold the document. Where this process has a
// lower limit already, that one stays.
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
			return fmt.Errorf("read resource %d: %w", resource, err)
		}
		value = min(value, now.Max)
		if err := unix.Setrlimit(resource, &unix.Rlimit{Cur: value, Max: value}); err != nil {
			return fmt.Errorf("resource %d to %d: %w", resource, value, err)
		}
	}
	return nil
}

// keptCapability lets a service that runs as root read its own program in the home of
// another user.
const keptCapability = 1 << unix.CAP_DAC_OVERRIDE

// dropCapabilities gives up the privileges of root, and those that the first process
// of a user namespace has in it: they open parts of the kernel that a foreign program
// does not need. Without new privileges, execve gives none back.
func dropCapabilities() error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var now [2]unix.CapUserData // the capabilities below 32, and those from there
	if err := unix.Capget(&header, &now[0]); err != nil {
		return fmt.Errorf("read capabilities: %w", err)
	}
	kept := now[0].Permitted & keptCapability
	wanted := [2]unix.CapUserData{{Permitted: kept, Effective: kept}}
	if now == wanted {
		return nil // an ordinary user has none, and a container may refuse the call
	}
	if err := unix.Capset(&header, &wanted[0]); err != nil {
		return fmt.Errorf("drop capabilities: %w", err)
	}
	return nil
}
