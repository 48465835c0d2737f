package standalone

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/rectohq/recto/deploy/standalone/internal/datadir"
	"github.com/rectohq/recto/libs/config"
	"github.com/rectohq/recto/libs/runner"
	"github.com/rectohq/recto/libs/sandbox"
	"github.com/rectohq/recto/services/annotation"
	"github.com/rectohq/recto/services/conversion"
	"github.com/rectohq/recto/services/insight"
)

// Doctor checks everything that Recto needs of the machine. It writes its findings and
// their fixes to w, and returns an error if something must be fixed.
func Doctor(ctx context.Context, f Flags, w io.Writer) error {
	var cfg struct {
		Conversion conversion.Config
		Annotation annotation.Config
		Insight    insight.Config
	}
	environ := append(os.Environ(), "CONVERSION_DATABASE=unused", "ANNOTATION_DATABASE=unused", "INSIGHT_DATABASE=unused")
	problems := config.Load(environ, "", &cfg)
	checks := append(slices.Concat(conversion.Checks(cfg.Conversion), annotation.Checks(cfg.Annotation), insight.Checks(cfg.Insight)),
		runner.Check{Name: "environment", Run: func(context.Context) (string, error) { return checkConfig(problems) }},
		runner.Check{Name: "sandbox", Run: checkSandbox},
		runner.Check{Name: "API port", Run: func(context.Context) (string, error) { return checkPort(f.Addr, "--addr") }},
		runner.Check{Name: "objects port", Run: func(context.Context) (string, error) { return checkPort(f.ObjectsAddr, "--objects-addr") }},
		runner.Check{Name: "data folder", Run: func(context.Context) (string, error) { return checkData(f.Data) }},
		runner.Check{Name: "disk", Run: func(context.Context) (string, error) { return checkDisk(f.Data) }},
		runner.Check{Name: "clock", Run: func(context.Context) (string, error) { return checkClock() }},
	)
	failed := 0
	for _, c := range checks {
		fmt.Fprintf(w, "  %-15s", c.Name)
		found, err := c.Run(ctx)
		var advice *runner.Advice
		optional := errors.As(err, &advice) && advice.Optional
		switch {
		case err == nil:
			fmt.Fprintf(w, "ok    %s\n", found)
			continue
		case optional:
			fmt.Fprintf(w, "note  %v\n", err)
		default:
			failed++
			fmt.Fprintf(w, "FAIL  %v\n", err)
		}
		if advice != nil {
			fmt.Fprintf(w, "  %-15s      → %s\n", "", advice.Fix)
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d checks failed", failed, len(checks))
	}
	return nil
}

// checkConfig reports the problems of the environment, if there are any.
func checkConfig(problems error) (string, error) {
	if problems == nil {
		return "all variables are valid", nil
	}
	_, lines, _ := strings.Cut(problems.Error(), "\n  ")
	return "", &runner.Advice{
		Err: errors.New(strings.ReplaceAll(lines, "\n  ", "; ")),
		Fix: "Correct these variables, or unset them to use their defaults; recto up --help lists them.",
	}
}

// checkSandbox starts a child process that reports how it is confined. Without Landlock
// foreign programs still run, but they can see more files than they need.
func checkSandbox(ctx context.Context) (string, error) {
	box, err := sandbox.New(ctx)
	if err != nil {
		return "", &runner.Advice{Err: err, Fix: "Run Recto where it may install a seccomp filter: LibreOffice and PDFium do not run without one."}
	}
	report := box.Report()
	if report.Landlock == 0 {
		return "", &runner.Advice{
			Err: errors.New(report.String()), Optional: true,
			Fix: "Use a kernel with Landlock (5.19 or newer; see /sys/kernel/security/lsm), so that foreign programs see only their own files.",
		}
	}
	return report.String(), nil
}

// checkPort accepts a port that is free or in use by Recto itself.
func checkPort(addr, flag string) (string, error) {
	ln, err := net.Listen("tcp", addr)
	if err == nil {
		return addr + " is free", ln.Close()
	}
	if errors.Is(err, syscall.EADDRINUSE) && servesOurCertificate(addr) {
		return addr + " is in use by Recto", nil
	}
	return "", adviseListen(flag, addr, err)
}

// checkData checks that the data folder, if it exists, holds data of Recto that only its owner
// can access. recto up restricts a folder without data itself.
func checkData(data string) (string, error) {
	if _, err := os.Stat(data); errors.Is(err, fs.ErrNotExist) {
		return "recto up creates it", nil
	}
	dir, err := datadir.Open(data)
	if err == nil {
		err = dir.CheckContent()
	}
	if err != nil {
		return "", err
	}
	if _, err := datadir.Find(data); err == nil {
		return checkMode(dir)
	}
	return dir.Path() + " holds no data yet", nil
}

// checkMode checks that only the owner of the data folder can access it.
func checkMode(dir datadir.Dir) (string, error) {
	mode, err := dir.OpenMode()
	if err == nil && mode != 0 {
		err = &runner.Advice{
			Err: fmt.Errorf("%s holds documents and secrets, and is open to other users (mode %04o)", dir.Path(), mode),
			Fix: "chmod 700 " + quote(dir.Path()),
		}
	}
	return dir.Path() + ", only for its owner", err
}

// minDisk is the free space, in bytes, that the data folder needs.
const minDisk = 1 << 30

// checkDisk checks that the data folder, or the folder in which it would be created, is
// writable, syncs to disk, and has enough free space. It returns what it found.
func checkDisk(data string) (string, error) {
	dir, err := filepath.Abs(data)
	if err != nil {
		return "", err
	}
	for { // the folder may not exist yet: check where it would be created
		if _, err := os.Stat(dir); err == nil || dir == "/" {
			break
		}
		dir = filepath.Dir(dir)
	}
	probe, err := os.CreateTemp(dir, ".recto-doctor-")
	if err != nil {
		return "", &runner.Advice{Err: err, Fix: "Name a writable folder with --data."}
	}
	defer func() { _ = os.Remove(probe.Name()) }()
	if err := errors.Join(probe.Sync(), probe.Close()); err != nil {
		return "", &runner.Advice{Err: err, Fix: "Name a folder on another disk with --data."}
	}
	var disk unix.Statfs_t
	if err := unix.Statfs(dir, &disk); err != nil {
		return "", err
	}
	free := disk.Bavail * uint64(disk.Bsize)
	if free < minDisk {
		return "", &runner.Advice{
			Err: fmt.Errorf("%s has only %d MiB free", dir, free>>20),
			Fix: "Free some space, or name a folder on another disk with --data.",
		}
	}
	return fmt.Sprintf("%s, %d GiB free", dir, free>>30), nil
}

// earliest is before any time at which this program can run.
var earliest = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// checkClock checks the clock: presigned URLs and certificates depend on the time.
func checkClock() (string, error) {
	now := time.Now()
	fix := "Set the clock: timedatectl set-ntp true"
	if now.Before(earliest) {
		return "", &runner.Advice{Err: fmt.Errorf("the clock says %s", now.Format(time.DateTime)), Fix: fix}
	}
	var state unix.Timex
	if _, err := unix.Adjtimex(&state); err == nil && state.Status&unix.STA_UNSYNC != 0 {
		return "", &runner.Advice{
			Err: fmt.Errorf("%s, but not synchronized: presigned URLs from another machine may seem expired", now.UTC().Format(time.DateTime)),
			Fix: fix, Optional: true,
		}
	}
	return now.UTC().Format(time.DateTime) + " UTC, synchronized", nil
}
