package standalone

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/rectohq/recto/deploy/standalone/internal/authority"
	"github.com/rectohq/recto/libs/config"
	"github.com/rectohq/recto/libs/runner"
	"github.com/rectohq/recto/libs/sandbox"
	"github.com/rectohq/recto/services/conversion"
	"github.com/rectohq/recto/services/insight"
)

// Doctor looks at all that Recto needs of the machine, says to w what it finds
// and what to do, and returns an error if something has to be done.
func Doctor(ctx context.Context, f Flags, w io.Writer) error {
	var cfg struct {
		Conversion conversion.Config
		Insight    insight.Config
	}
	if err := config.Load(append(os.Environ(), "CONVERSION_DATABASE=not looked at", "INSIGHT_DATABASE=not looked at"), "", &cfg); err != nil {
		return err
	}
	checks := append(append(conversion.Checks(cfg.Conversion), insight.Checks(cfg.Insight)...),
		runner.Check{Name: "sandbox", Run: checkSandbox},
		runner.Check{Name: "API port", Run: func(context.Context) (string, error) { return checkPort(f.Addr, "--addr") }},
		runner.Check{Name: "objects port", Run: func(context.Context) (string, error) { return checkPort(f.ObjectsAddr, "--objects-addr") }},
		runner.Check{Name: "disk", Run: func(context.Context) (string, error) { return checkDisk(f.Data) }},
		runner.Check{Name: "clock", Run: func(context.Context) (string, error) { return checkClock() }},
	)
	failed := 0
	for _, c := range checks {
		fmt.Fprintf(w, "  %-13s", c.Name)
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
			fmt.Fprintf(w, "  %-13s      → %s\n", "", advice.Fix)
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d checks failed", failed, len(checks))
	}
	return nil
}

// checkSandbox starts a child that reports what confines it. Without Landlock foreign
// programs run all the same, but see more files than they need.
func checkSandbox(ctx context.Context) (string, error) {
	box, err := sandbox.New(ctx)
	if err != nil {
		return "", &runner.Advice{Err: err, Fix: "Run Recto where it may install a seccomp filter: neither LibreOffice nor PDFium run without."}
	}
	report := box.Report()
	if report.Landlock == 0 {
		return "", &runner.Advice{
			Err: errors.New(report.String()), Optional: true,
			Fix: "Use a kernel with Landlock (5.19 or newer; see /sys/kernel/security/lsm), so that foreign programs see no files but their own.",
		}
	}
	return report.String(), nil
}

// checkPort accepts a port that is free, or that Recto itself has.
func checkPort(addr, flag string) (string, error) {
	ln, err := net.Listen("tcp", addr)
	if err == nil {
		return addr + " is free", ln.Close()
	}
	if !errors.Is(err, syscall.EADDRINUSE) {
		return "", &runner.Advice{Err: err, Fix: "Name an address of this machine with " + flag + "."}
	}
	if servesOurCertificate(addr) {
		return addr + " is in use by Recto", nil
	}
	return "", &runner.Advice{
		Err: fmt.Errorf("%s is in use by another program", addr),
		Fix: "End that program, or name another address with " + flag + ".",
	}
}

// servesOurCertificate reports whether who listens shows a certificate that a
// standalone Recto has made. Nothing is entrusted to it.
func servesOurCertificate(addr string) bool {
	dialer := net.Dialer{Timeout: 2 * time.Second}
	conn, err := tls.DialWithDialer(&dialer, "tcp", addr, &tls.Config{InsecureSkipVerify: true})
	if err != nil {
		return false
	}
	defer conn.Close()
	certificates := conn.ConnectionState().PeerCertificates
	return len(certificates) > 0 && certificates[0].Issuer.CommonName == authority.Name
}

// minDisk is what the data folder should have left, in bytes.
const minDisk = 1 << 30

// checkDisk sees to it that the data folder, or the one that it would be made
// in, takes a file, keeps it, and has room. It returns what it found.
func checkDisk(data string) (string, error) {
	dir, err := filepath.Abs(data)
	if err != nil {
		return "", err
	}
	for { // the folder may not be there yet: look at where it would be made
		if _, err := os.Stat(dir); err == nil || dir == "/" {
			break
		}
		dir = filepath.Dir(dir)
	}
	probe, err := os.CreateTemp(dir, ".recto-doctor-")
	if err != nil {
		return "", &runner.Advice{Err: err, Fix: "Name a folder that can be written to with --data."}
	}
	defer func() { _ = os.Remove(probe.Name()) }()
	if err := errors.Join(probe.Sync(), probe.Close()); err != nil {
		return "", &runner.Advice{Err: err, Fix: "Name a folder on another disk with --data."}
	}
	var fs unix.Statfs_t
	if err := unix.Statfs(dir, &fs); err != nil {
		return "", err
	}
	free := fs.Bavail * uint64(fs.Bsize)
	if free < minDisk {
		return "", &runner.Advice{
			Err: fmt.Errorf("%s has %d MiB left", dir, free>>20),
			Fix: "Make room, or name a folder on another disk with --data.",
		}
	}
	return fmt.Sprintf("%s, %d GiB free", dir, free>>30), nil
}

// earliest is before any time at which this program can run.
var earliest = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// checkClock looks at the clock: signed URLs and certificates need the time.
func checkClock() (string, error) {
	now := time.Now()
	fix := "Set the clock: timedatectl set-ntp true"
	if now.Before(earliest) {
		return "", &runner.Advice{Err: fmt.Errorf("the clock says %s", now.Format(time.DateTime)), Fix: fix}
	}
	var state unix.Timex
	if _, err := unix.Adjtimex(&state); err == nil && state.Status&unix.STA_UNSYNC != 0 {
		return "", &runner.Advice{
			Err: fmt.Errorf("%s, but nothing keeps it right: signed URLs of another machine may seem expired", now.UTC().Format(time.DateTime)),
			Fix: fix, Optional: true,
		}
	}
	return now.UTC().Format(time.DateTime) + " UTC, synchronised", nil
}
