package sandbox

import (
	"fmt"
	"os"
	"runtime"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/landlock-lsm/go-landlock/landlock"
	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// become restricts this process and executes path in its place. It returns
// only an error.
func become(policy, path string, argv []string) error {
	// Seccomp and Landlock bind the calling thread, and execve keeps that one.
	runtime.LockOSThread()
	var p Policy
	if err := json.Unmarshal([]byte(policy), &p); err != nil {
		return fmt.Errorf("decode the policy: %w", err)
	}
	if err := restrictFiles(p); err != nil {
		return fmt.Errorf("restrict files: %w", err)
	}
	if err := restrictCalls(); err != nil {
		return fmt.Errorf("restrict system calls: %w", err)
	}
	if err := limit(p); err != nil {
		return fmt.Errorf("set limits: %w", err)
	}
	return fmt.Errorf("execute %s: %w", path, unix.Exec(path, argv, os.Environ()))
}

const (
	accessRead    = landlock.AccessFSSet(ll.AccessFSReadFile | ll.AccessFSReadDir)
	accessExecute = accessRead | landlock.AccessFSSet(ll.AccessFSExecute)
)

// system are the files that any program needs to start.
var system = []string{
	"/etc/ld.so.cache", "/etc/passwd", "/etc/nsswitch.conf", "/etc/localtime", "/usr/share/zoneinfo", "/usr/lib/locale",
	"/dev/urandom", "/dev/random", "/proc/meminfo", "/proc/cpuinfo", "/sys/devices/system/cpu",
}

// restrictFiles lets Landlock, where the kernel has it, hide all files but
// those of the policy.
func restrictFiles(p Policy) error {
	rules := []landlock.Rule{
		landlock.RWFiles("/dev/null").IgnoreIfMissing(),
		landlock.RODirs("/proc/" + strconv.Itoa(os.Getpid())).IgnoreIfMissing(),
	}
	for _, path := range append(system, p.Read...) {
		rules = append(rules, landlock.PathAccess(fileRights(path, accessRead), path).IgnoreIfMissing())
	}
	for _, path := range p.Execute {
		rules = append(rules, landlock.PathAccess(fileRights(path, accessExecute), path).IgnoreIfMissing())
	}
	for _, path := range p.Write {
		rules = append(rules, landlock.RWDirs(path).WithRefer().IgnoreIfMissing())
	}
	for _, path := range p.Sockets {
		rules = append(rules, landlock.PathAccess(ll.AccessFSMakeSock, path).IgnoreIfMissing())
	}
	return landlock.V5.BestEffort().RestrictPaths(rules...)
}

// fileRights leaves out the rights that only folders have.
func fileRights(path string, rights landlock.AccessFSSet) landlock.AccessFSSet {
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		rights &^= landlock.AccessFSSet(ll.AccessFSReadDir)
	}
	return rights
}

// limit sets the resource limits, soft and hard, so that the program cannot lift
// them. There is no core file: it would hold the document.
func limit(p Policy) error {
	limits := map[int]uint64{
		unix.RLIMIT_CORE: 0, unix.RLIMIT_FSIZE: p.FileSize, unix.RLIMIT_CPU: p.CPUSeconds,
		unix.RLIMIT_NOFILE: p.OpenFiles, unix.RLIMIT_AS: p.Memory,
	}
	if p.Data > 0 {
		limits[unix.RLIMIT_DATA] = p.Data
	}
	for resource, value := range limits {
		if err := unix.Setrlimit(resource, &unix.Rlimit{Cur: value, Max: value}); err != nil {
			return fmt.Errorf("resource %d to %d: %w", resource, value, err)
		}
	}
	return nil
}
