package sandboxtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/rectohq/recto/libs/sandbox/internal/confine"
)

// Trace collects the calls that the sandbox refuses to children started with a context.
type Trace struct {
	names map[int]string

	mu       sync.Mutex
	refused  map[string]int
	children int
	err      error
}

// Traced returns a context whose children report each system call that the filter
// refuses. The call still fails with EPERM. The Trace is complete only for children that
// have ended.
func Traced(ctx context.Context, t testing.TB) (context.Context, *Trace) {
	t.Helper()
	trace := &Trace{names: callNames(t), refused: map[string]int{}}
	var listeners sync.WaitGroup
	t.Cleanup(listeners.Wait)
	before := confine.Hook(ctx)
	return confine.WithHook(ctx, func(cmd *exec.Cmd) {
		before(cmd)
		cmd.Args[0] = tracedName
		ours, theirs, err := socketpair()
		if err != nil {
			t.Errorf("create a socket to the child: %v", err)
			return
		}
		cmd.ExtraFiles = append(cmd.ExtraFiles, theirs)
		listeners.Go(func() {
			if err := trace.follow(ours); err != nil {
				trace.fail(err)
			}
		})
		t.Cleanup(func() {
			_ = ours.Close() // for a child that was never started
			_ = theirs.Close()
		})
	}), trace
}

// Refused returns the number of times each call was refused, by name, and the number of
// traced children.
func (tr *Trace) Refused(t testing.TB) (calls map[string]int, children int) {
	t.Helper()
	tr.mu.Lock()
	defer tr.mu.Unlock()
	if tr.err != nil {
		t.Errorf("trace: %v", tr.err)
	}
	return maps.Clone(tr.refused), tr.children
}

func (tr *Trace) fail(err error) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.err = errors.Join(tr.err, err)
}

// sentFD is the child's end of the socket: its first extra file.
const sentFD = 3

// installTraced installs the filter and sends its listener over the socket.
//
// The filter refuses sendmsg, and the parent does not serve the listener yet, so this
// thread would wait forever. Instead, another thread sends the listener. It started before
// the filter was installed, so the filter does not apply to it.
func installTraced(filter []unix.SockFilter) error {
	unix.CloseOnExec(sentFD)
	listener, sent := make(chan int), make(chan error)
	standing := make(chan struct{})
	go func() {
		runtime.LockOSThread()
		close(standing)
		sent <- unix.Sendmsg(sentFD, []byte{1}, unix.UnixRights(<-listener), nil, 0)
	}()
	<-standing
	fd, err := confine.Install(filter, unix.SECCOMP_FILTER_FLAG_NEW_LISTENER)
	if err != nil {
		return err
	}
	listener <- fd
	return <-sent
}

// socketpair returns two connected sockets.
func socketpair() (ours *net.UnixConn, theirs *os.File, err error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, err
	}
	file, theirs := os.NewFile(uintptr(pair[0]), "ours"), os.NewFile(uintptr(pair[1]), "theirs")
	defer file.Close()
	conn, err := net.FileConn(file)
	if err != nil {
		theirs.Close()
		return nil, nil, err
	}
	return conn.(*net.UnixConn), theirs, nil
}

// follow receives the listener of a child and answers its notifications.
func (tr *Trace) follow(ours *net.UnixConn) error {
	payload, control := make([]byte, 1), make([]byte, unix.CmsgSpace(4))
	n, controls, _, _, err := ours.ReadMsgUnix(payload, control)
	if errors.Is(err, net.ErrClosed) || errors.Is(err, io.EOF) || err == nil && n == 0 {
		return nil // the child did not start
	}
	if err != nil {
		return err
	}
	messages, err := unix.ParseSocketControlMessage(control[:controls])
	if err != nil {
		return err
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fds[0]) }()
	tr.mu.Lock()
	tr.children++
	tr.mu.Unlock()
	return tr.answer(fds[0])
}

// notification and response are struct seccomp_notif and seccomp_notif_resp.
type notification struct {
	id         uint64
	pid, flags uint32
	number     int32
	arch       uint32
	pointer    uint64
	arguments  [6]uint64
}

type response struct {
	id    uint64
	value int64
	err   int32
	flags uint32
}

// answer records each refused call and makes it fail with EPERM, until the child exits.
func (tr *Trace) answer(listener int) error {
	for {
		ready := []unix.PollFd{{Fd: int32(listener), Events: unix.POLLIN}}
		if _, err := unix.Poll(ready, -1); errors.Is(err, unix.EINTR) {
			continue
		} else if err != nil {
			return err
		}
		if ready[0].Revents&unix.POLLIN == 0 {
			return nil // the child has exited
		}
		var n notification
		err := ioctl(listener, unix.SECCOMP_IOCTL_NOTIF_RECV, unsafe.Pointer(&n))
		if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.EINTR) {
			continue // the caller was killed
		}
		if err != nil {
			return fmt.Errorf("receive a refused call: %w", err)
		}
		tr.note(n)
		err = ioctl(listener, unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(&response{id: n.id, err: -int32(unix.EPERM)}))
		if err != nil && !errors.Is(err, unix.ENOENT) {
			return fmt.Errorf("answer a refused call: %w", err)
		}
	}
}

func ioctl(fd int, command uintptr, argument unsafe.Pointer) error {
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), command, uintptr(argument)); errno != 0 {
		return errno
	}
	return nil
}

// selectors maps a call to the index of the argument that it is refused for. The value of
// that argument becomes part of the call's name.
var selectors = map[int32]int{unix.SYS_PRCTL: 0, unix.SYS_FCNTL: 1, unix.SYS_IOCTL: 1, unix.SYS_SOCKET: 0, unix.SYS_SOCKETPAIR: 0}

func (tr *Trace) note(n notification) {
	name, ok := tr.names[int(n.number)]
	if !ok {
		name = "call " + strconv.Itoa(int(n.number))
	}
	if at, ok := selectors[n.number]; ok {
		name += fmt.Sprintf("(%#x)", uint32(n.arguments[at]))
	}
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.refused[name]++
}

var definition = regexp.MustCompile(`(?m)^\s*SYS_(\w+)\s*=\s*(\d+)`)

// callNames reads the names of system calls from the source of package unix. If the source
// is not available, a Trace shows numbers.
func callNames(t testing.TB) map[int]string {
	names := map[int]string{}
	dir, err := exec.Command("go", "list", "-f", "{{.Dir}}", "golang.org/x/sys/unix").Output()
	var source []byte
	if err == nil {
		source, err = os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "zsysnum_linux_"+runtime.GOARCH+".go"))
	}
	if err != nil {
		t.Logf("the trace shows call numbers instead of names: %v", err)
	}
	for _, match := range definition.FindAllStringSubmatch(string(source), -1) {
		number, _ := strconv.Atoi(match[2]) // always digits
		names[number] = strings.ToLower(match[1])
	}
	return names
}
