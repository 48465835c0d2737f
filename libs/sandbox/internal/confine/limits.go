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

// keptCapability lets a service that runs as root read files that belong to another
// user, such as its own program in that user's home.
const keptCapability = 1 << unix.CAP_DAC_OVERRIDE

// dropCapabilities gives up the privileges of root, and those that the first process
// of a user namespace has in there: they open parts of the kernel that a foreign
// program has no business in. Without new privileges, execve gives none back.
func dropCapabilities() error {
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return fmt.Errorf("ambient: %w", err)
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var sets [2]unix.CapUserData // the capabilities below 32, and those from there
	if err := unix.Capget(&header, &sets[0]); err != nil {
		return err
	}
	kept := sets[0].Permitted & keptCapability
	sets = [2]unix.CapUserData{{Permitted: kept, Effective: kept}}
	return unix.Capset(&header, &sets[0])
}
