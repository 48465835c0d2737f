package confine

import (
	"slices"

	"golang.org/x/sys/unix"
)

// always lists the calls that are allowed with any arguments.
//
// The list comes from tracing LibreOffice and the PDF reader over real, damaged and
// hostile files. Each traced call is listed with its older and newer equivalents, which
// other versions of the C library, Go and the kernel use instead. Equivalents that only
// x86-64 has are in calls_amd64.go. The tests of both programs trace the calls that the
// filter refuses. When a new version needs another call, they fail with its name.
//
// Deliberately left out, because an attacker would try these first:
//   - calls that start or inspect other programs: execveat, ptrace, process_vm_*, pidfd_*,
//     kcmp
//   - calls that run code from outside any file system: memfd_create
//   - calls that change mounts, namespaces or privileges: mount, fsopen, open_tree, unshare,
//     setns, set*id, capset, personality, seccomp
//   - large interfaces with a history of vulnerabilities: io_uring, bpf, userfaultfd,
//     keyctl, perf_event_open, splice, vmsplice, SysV and POSIX queues
var always = []uint32{
	// Files, by descriptor and by path. Landlock decides which paths.
	unix.SYS_READ, unix.SYS_READV, unix.SYS_PREAD64, unix.SYS_PREADV, unix.SYS_PREADV2,
	unix.SYS_WRITE, unix.SYS_WRITEV, unix.SYS_PWRITE64, unix.SYS_PWRITEV, unix.SYS_PWRITEV2,
	unix.SYS_OPENAT, unix.SYS_OPENAT2, unix.SYS_CLOSE, unix.SYS_CLOSE_RANGE, unix.SYS_LSEEK,
	unix.SYS_FSTAT, unix.SYS_NEWFSTATAT, unix.SYS_STATX, unix.SYS_STATFS, unix.SYS_FSTATFS,
	unix.SYS_FACCESSAT, unix.SYS_FACCESSAT2, unix.SYS_READLINKAT, unix.SYS_GETDENTS64, unix.SYS_GETCWD, unix.SYS_CHDIR,
	unix.SYS_FCHDIR, unix.SYS_MKDIRAT, unix.SYS_UNLINKAT, unix.SYS_RENAMEAT, unix.SYS_RENAMEAT2, unix.SYS_LINKAT,
	unix.SYS_SYMLINKAT, unix.SYS_FCHMOD, unix.SYS_FCHMODAT, unix.SYS_FCHMODAT2, unix.SYS_FCHOWN, unix.SYS_FCHOWNAT,
	unix.SYS_UTIMENSAT, unix.SYS_UMASK, unix.SYS_TRUNCATE, unix.SYS_FTRUNCATE, unix.SYS_FALLOCATE, unix.SYS_FADVISE64,
	unix.SYS_FSYNC, unix.SYS_FDATASYNC, unix.SYS_SYNC_FILE_RANGE, unix.SYS_FLOCK, unix.SYS_DUP, unix.SYS_DUP3,
	unix.SYS_PIPE2, unix.SYS_SENDFILE, unix.SYS_COPY_FILE_RANGE,

	// Memory. mprotect may make it executable, because WebAssembly is compiled to machine code.
	unix.SYS_BRK, unix.SYS_MMAP, unix.SYS_MUNMAP, unix.SYS_MREMAP, unix.SYS_MPROTECT, unix.SYS_MADVISE, unix.SYS_MSYNC,
	unix.SYS_MINCORE, unix.SYS_MSEAL, unix.SYS_MEMBARRIER,

	// Threads, and what the C library and the Go runtime need to run them. clone is
	// conditional: see allowed.
	unix.SYS_FUTEX, unix.SYS_FUTEX_WAITV, unix.SYS_SET_ROBUST_LIST, unix.SYS_GET_ROBUST_LIST, unix.SYS_SET_TID_ADDRESS,
	unix.SYS_RSEQ, unix.SYS_GETCPU, unix.SYS_SCHED_YIELD, unix.SYS_SCHED_GETAFFINITY, unix.SYS_SCHED_GETPARAM,
	unix.SYS_SCHED_GETSCHEDULER, unix.SYS_SCHED_GET_PRIORITY_MAX, unix.SYS_SCHED_GET_PRIORITY_MIN, unix.SYS_GETPRIORITY,
	unix.SYS_EXIT, unix.SYS_EXIT_GROUP,

	// Receiving signals. Sending them is conditional: see allowed.
	unix.SYS_RT_SIGACTION, unix.SYS_RT_SIGPROCMASK, unix.SYS_RT_SIGRETURN, unix.SYS_RT_SIGPENDING,
	unix.SYS_RT_SIGSUSPEND, unix.SYS_RT_SIGTIMEDWAIT, unix.SYS_SIGALTSTACK, unix.SYS_RESTART_SYSCALL,

	// Time, and waiting.
	unix.SYS_CLOCK_GETTIME, unix.SYS_CLOCK_GETRES, unix.SYS_CLOCK_NANOSLEEP, unix.SYS_GETTIMEOFDAY, unix.SYS_NANOSLEEP,
	unix.SYS_PPOLL, unix.SYS_PSELECT6, unix.SYS_EPOLL_CREATE1, unix.SYS_EPOLL_CTL, unix.SYS_EPOLL_PWAIT,
	unix.SYS_EPOLL_PWAIT2, unix.SYS_EVENTFD2,

	// Information about the process, the machine, and the resources used.
	unix.SYS_GETPID, unix.SYS_GETPPID, unix.SYS_GETTID, unix.SYS_GETPGID, unix.SYS_GETSID, unix.SYS_GETUID,
	unix.SYS_GETEUID, unix.SYS_GETGID, unix.SYS_GETEGID, unix.SYS_GETRESUID, unix.SYS_GETRESGID, unix.SYS_GETGROUPS,
	unix.SYS_UNAME, unix.SYS_SYSINFO, unix.SYS_GETRUSAGE, unix.SYS_TIMES, unix.SYS_GETRANDOM,

	// Its own resource limits. Without privileges, a process can only lower them.
	unix.SYS_GETRLIMIT, unix.SYS_SETRLIMIT,

	// LibreOffice listens on a socket through which a second instance would find it.
	// connect and sendmsg are missing: a filter cannot read the destination address.
	unix.SYS_BIND, unix.SYS_LISTEN, unix.SYS_ACCEPT, unix.SYS_ACCEPT4, unix.SYS_RECVFROM, unix.SYS_SHUTDOWN,
	unix.SYS_GETSOCKNAME, unix.SYS_GETPEERNAME,
}

// newNamespace holds the clone flags that create namespaces. CLONE_NEWTIME is not among
// them: clone reads its bit as part of the exit signal.
const newNamespace = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC |
	unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET

// fcntlCommands lists the commands for ordinary files. F_SETOWN is missing: it makes the
// kernel send signals to another process.
var fcntlCommands = []int{
	unix.F_DUPFD, unix.F_DUPFD_CLOEXEC, unix.F_GETFD, unix.F_SETFD, unix.F_GETFL, unix.F_SETFL,
	unix.F_GETLK, unix.F_SETLK, unix.F_SETLKW, unix.F_OFD_GETLK, unix.F_OFD_SETLK, unix.F_OFD_SETLKW,
	unix.F_GETPIPE_SZ,
}

// ioctlCommands lists the commands that query terminals and pipes, or set flags that fcntl
// can set too. TIOCSTI is missing: it types into a terminal.
var ioctlCommands = []int{
	unix.TCGETS, unix.TCGETS2, unix.TIOCGWINSZ, unix.TIOCINQ, fionbio, fioclex, fionclex,
}

// Values that package unix lacks. They are the same on both architectures.
const (
	fionbio  = 0x5421
	fionclex = 0x5450
	fioclex  = 0x5451
)

// prctlOptions lists the options that name threads and memory areas. PR_SET_PDEATHSIG is
// missing, so that a child cannot outlive its parent.
var prctlOptions = []int{unix.PR_SET_NAME, unix.PR_GET_NAME, unix.PR_SET_VMA}

// allowedForking returns every call that the process pid may make under a policy with Fork:
// also those that create processes, wait for them, end them, and restrict them further.
// Namespaces stay out of reach.
func allowedForking(pid int, pass secret) []call {
	calls := slices.DeleteFunc(allowed(pid, pass), func(c call) bool {
		return c.number == unix.SYS_CLONE || c.number == unix.SYS_KILL || c.number == unix.SYS_PRCTL
	})
	return append(calls,
		call{unix.SYS_CLONE, []check{{argument: 0, mask: ^uint64(lowHalf) | newNamespace, values: []uint64{0}}}},
		call{number: unix.SYS_KILL}, call{number: unix.SYS_WAIT4},
		call{unix.SYS_PRCTL, []check{oneOf(0, append(slices.Clone(prctlOptions), unix.PR_SET_PDEATHSIG)...)}},
		call{number: unix.SYS_LANDLOCK_RESTRICT_SELF},
		call{unix.SYS_SECCOMP, []check{oneOf(0, unix.SECCOMP_SET_MODE_FILTER), exactly(1, 0)}},
	)
}

// allowed returns every call that the process pid may make. Process ids are those of its
// own PID namespace, which both the process and the kernel's checks use.
func allowed(pid int, pass secret) []call {
	calls := []call{
		// Threads, but no processes: none of the programs needs one.
		{unix.SYS_CLONE, []check{{
			argument: 0, mask: ^uint64(lowHalf) | unix.CLONE_THREAD | newNamespace, values: []uint64{unix.CLONE_THREAD},
		}}},
		// execve has three arguments. The kernel ignores the other three registers, but the
		// filter sees them: they must hold a random secret. Only the child knows the secret,
		// and it uses it once, to execute the third-party program. execve wipes the memory
		// and registers, and reading a filter back requires CAP_SYS_ADMIN, so the secret
		// cannot be used again.
		{unix.SYS_EXECVE, []check{exactly(3, pass[0]), exactly(4, pass[1]), exactly(5, pass[2])}},
		{unix.SYS_KILL, []check{oneOf(0, pid)}},
		{unix.SYS_TGKILL, []check{oneOf(0, pid)}},
		{unix.SYS_PRLIMIT64, []check{oneOf(0, 0, pid)}},
		{unix.SYS_SOCKET, []check{oneOf(0, unix.AF_UNIX)}},
		{unix.SYS_SOCKETPAIR, []check{oneOf(0, unix.AF_UNIX)}},
		{unix.SYS_SENDTO, []check{exactly(4, 0)}}, // no address
		{unix.SYS_FCNTL, []check{oneOf(1, fcntlCommands...)}},
		{unix.SYS_IOCTL, []check{oneOf(1, ioctlCommands...)}},
		{unix.SYS_PRCTL, []check{oneOf(0, prctlOptions...)}},
	}
	calls = append(calls, ofArchitecture...)
	for _, number := range always {
		calls = append(calls, call{number: number})
	}
	return calls
}
