package libreoffice

import (
	"context"
	"crypto/md5"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode/utf16"

	"golang.org/x/sys/unix"

	"github.com/rectohq/recto/libs/sandbox"
)

const (
	prepareTimeout = time.Minute
	// maxOutput is how much of soffice.bin's output is kept for the log, in bytes.
	maxOutput = 4 << 10
	// maxFile bounds each file that soffice.bin writes, including the PDF, in bytes.
	maxFile = 1 << 30
	// CPUSeconds bounds the CPU time of a conversion. It is a last resort: the context ends
	// a conversion long before that.
	CPUSeconds   = 600
	maxOpenFiles = 1024
)

// run executes soffice.bin in the folder dir, with the profile in it. soffice.bin may
// write only to dir. run returns the exit code (-1 if a signal ended the process) and
// the output.
func (e *Engine) run(ctx context.Context, dir string, args ...string) (code int, output string, err error) {
	for _, d := range []string{"home", "tmp"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o700); err != nil {
			return 0, "", err
		}
	}
	profile := "file://" + filepath.Join(dir, "profile")
	defer removeSocket(profile)
	args = append([]string{
		"--headless", "--norestore", "-env:UserInstallation=" + profile,
		// Used instead of socketDir if that is read-only. "." is dir, the working
		// directory: the full path could be too long for a socket.
		"-env:OSL_SOCKET_PATH=.",
	}, args...)
	cmd, err := e.box.Command(ctx, e.Policy(dir), Environment(dir), filepath.Join(e.program, "soffice.bin"), args...)
	if err != nil {
		return 0, "", err
	}
	cmd.Dir = dir
	said := &sandbox.Output{Limit: maxOutput}
	cmd.Stdout, cmd.Stderr = said, said
	err = cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && ctx.Err() == nil {
		return 0, "", fmt.Errorf("run LibreOffice: %w", err)
	}
	if exit != nil && ctx.Err() == nil {
		if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() && status.Signal() == syscall.SIGKILL {
			return 0, "", errKilled
		}
	}
	return cmd.ProcessState.ExitCode(), strings.TrimSpace(said.String()), nil
}

// errKilled does not blame the document: our limits, and crashes, end LibreOffice by other signals.
var errKilled = errors.New("LibreOffice was killed from outside, perhaps because the machine is out of memory")

// DocumentURL returns the URL by which LibreOffice opens the document of that name in its
// working directory. Documents have fields that show their name and path (FILENAME of Word,
// &[Path] and CELL("filename") of Excel), and references are relative to the path. The name is
// the client's, but the path must tell nothing about the server. This one is the same on each.
func DocumentURL(name string) string {
	return (&url.URL{Scheme: "file", Path: "/proc/self/cwd/" + name}).String()
}

// Environment returns the environment of a LibreOffice that works in the folder dir.
func Environment(dir string) []string {
	// A PATH without programs keeps soffice.bin from looking for Java and a printing
	// system. Every Debian has this locale.
	return []string{
		"PATH=/none", "HOME=" + filepath.Join(dir, "home"), "TMPDIR=" + filepath.Join(dir, "tmp"),
		"LANG=C.UTF-8", "SAL_USE_VCLPLUGIN=svp",
	}
}

// Policy returns the sandbox policy of a LibreOffice that works in the folder dir. It reads
// its installation, fonts and libraries, and writes only to dir.
func (e *Engine) Policy(dir string) sandbox.Policy {
	return sandbox.Policy{
		Execute: []string{e.program, "/lib", "/lib64", "/usr/lib", "/usr/lib64"},
		Read: []string{
			filepath.Dir(e.program), "/etc/libreoffice", "/etc/fonts", "/usr/share", "/usr/local/share/fonts",
			"/var/cache/fontconfig", "/var/lib/libreoffice", "/var/spool/libreoffice", // extensions
		},
		Write: []string{dir}, Sockets: []string{socketDir},
		Memory: e.memory, FileSize: maxFile, CPUSeconds: CPUSeconds, OpenFiles: openFiles(),
	}
}

// openFiles returns maxOpenFiles, or the hard limit of this process if that is lower,
// because no child can exceed it.
func openFiles() uint64 {
	var l unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &l); err != nil {
		return maxOpenFiles
	}
	return min(maxOpenFiles, l.Max)
}

// socketDir is the folder in which soffice.bin creates a socket, through which a
// second instance with the same profile would find it. This cannot be turned off.
const socketDir = "/tmp"

// removeSocket removes the socket of a profile, because the sandbox lets soffice.bin
// create it but not remove it. The name is defined by OfficeIPCThread in LibreOffice:
// it contains the MD5 of the profile's URL in UTF-16, each byte in hex without leading
// zeros.
func removeSocket(profile string) {
	hash := md5.New()
	for _, unit := range utf16.Encode([]rune(profile)) {
		hash.Write([]byte{byte(unit), byte(unit >> 8)})
	}
	name := fmt.Sprintf("OSL_PIPE_%d_SingleOfficeIPC_", os.Getuid())
	for _, b := range hash.Sum(nil) {
		name += strconv.FormatUint(uint64(b), 16)
	}
	_ = os.Remove(filepath.Join(socketDir, name))
}
