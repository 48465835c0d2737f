package standalone

import (
	"bytes"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/rectohq/recto/libs/runner"
)

// execute runs a command line and returns its exit code and what it prints.
func execute(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, problems bytes.Buffer
	root := Command()
	root.SetArgs(args)
	root.SetOut(&out)
	root.SetErr(&problems)
	code = runner.Execute(t.Context(), root)
	return code, out.String(), problems.String()
}

// TestUpHelp looks at the help of recto up: it has the flags and variables that
// apply, with the defaults that they have there, in groups.
func TestUpHelp(t *testing.T) {
	code, help, stderr := execute(t, "up", "--help")
	if code != 0 || stderr != "" {
		t.Fatalf("it ends with %d: %s", code, stderr)
	}
	last := 0
	for _, want := range []string{
		"Usage:", "\nFlags used most:\n      --data ", "\n      --addr ", "\nFlags for clients on other machines:\n      --public-url ", "\nOther flags:\n",
		"\nEnvironment (gateway):\n", "GATEWAY_MAX_BODY", "\nEnvironment (documents):\n", "\nEnvironment (conversion):\n", "\nEnvironment (insights):\n",
		"\nEnvironment (logs, metrics and traces):\n", "LOG_LEVEL                        WARN ",
	} {
		at := strings.Index(help, want)
		if at < last {
			t.Errorf("the help lacks %q, or has it too early:\n%s", want, help)
		}
		last = max(at, last)
	}
	for _, f := range environment() {
		if !strings.Contains(help, "\n  "+f.Name+" ") || f.Required {
			t.Errorf("the help lacks %s, or asks for it", f.Name)
		}
	}
	for _, name := range []string{"GATEWAY_DATABASE", "GATEWAY_TLS", "S3_ENDPOINT", "METRICS_ADDR", "NATS_URL", "GATEWAY_ADDR", "CONVERSION_PDF_CACHE"} {
		if strings.Contains(help, "\n  "+name+" ") {
			t.Errorf("the help has %s, which the program sets itself", name)
		}
	}
}

// TestHelpTexts looks at every command: each has a help text, in a group where
// there are groups.
func TestHelpTexts(t *testing.T) {
	for _, cmd := range Command().Commands() {
		if cmd.Short == "" || cmd.GroupID == "" && cmd.Name() != "version" {
			t.Errorf("%s: %q in the group %q", cmd.Name(), cmd.Short, cmd.GroupID)
		}
	}
}

// TestAddresses looks at the defaults: no command changes those of another one.
func TestAddresses(t *testing.T) {
	for name, want := range map[string]string{"up": "127.0.0.1:8443", "doctor": "127.0.0.1:8443", "health": "127.0.0.1:8443", "status": "", "open": ""} {
		cmd, _, err := Command().Find([]string{name})
		if err != nil || cmd.Flag("addr").Value.String() != want {
			t.Errorf("--addr of %s is %q, %v", name, cmd.Flag("addr").Value, err)
		}
	}
}

// TestListenErrors says what to do about addresses that cannot be listened on.
func TestListenErrors(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { // no Recto: it shows no certificate
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			_ = conn.Close()
		}
	}()
	defer ln.Close()
	for _, tc := range []struct {
		addr string
		err  error
		want string
	}{
		{ln.Addr().String(), listen(ln.Addr().String()), "in use by another program. End that program, or name another address with --addr"},
		{"127.0.0.1:443", &net.OpError{Op: "listen", Err: os.NewSyscallError("bind", syscall.EACCES)}, "this user may not listen on 127.0.0.1:443. Name a port from 1024 on"},
		{"192.0.2.1:8443", listen("192.0.2.1:8443"), "192.0.2.1:8443 is not an address of this machine. Name one that it has"},
		{"8443", listen("8443"), "missing port in address. Write host:port, such as 127.0.0.1:8443"},
		{"127.0.0.1:nowhere", listen("127.0.0.1:nowhere"), "there is no such host or port"},
	} {
		err := listenError("--addr", tc.addr, tc.err)
		if !strings.Contains(err.Error(), "--addr: ") || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", tc.addr, err, tc.want)
		}
	}
}

// listen returns the error of listening on an address.
func listen(addr string) error {
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	return errors.Join(errors.New("it can be listened on"), ln.Close())
}

// TestCertificatesPrints looks at where the command prints its result.
func TestCertificatesPrints(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tls")
	code, stdout, stderr := execute(t, "certificates", "--dir", dir)
	if code != 0 || stderr != "" || strings.Count(stdout, dir) != 3 {
		t.Errorf("it ends with %d and prints %q and %q", code, stdout, stderr)
	}
}

// TestLacking says what does not work without LibreOffice, and lets no line of
// the log stand in the line of a step.
func TestLacking(t *testing.T) {
	var out bytes.Buffer
	p := newProgress(&out)
	p.lacking(nil)
	before := out.String()
	p.lacking(&runner.Advice{Err: errors.New("there is no engine"), Fix: "install it"})
	if text := strings.TrimPrefix(out.String(), before); !strings.HasPrefix(text, "\nNOT WORKING: there is no engine\n") || !strings.Contains(text, "503") || !strings.HasSuffix(text, "install it\n") {
		t.Errorf("it says %q", text)
	}
	out.Reset()
	if err := p.step("first", "it", func() error {
		_, err := p.beside(&out).Write([]byte("a log line\n"))
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Split(out.String(), "\n"); len(lines) != 4 || lines[1] != "a log line" || !strings.HasPrefix(lines[2], "  first ") {
		t.Errorf("it prints %q", out.String())
	}
}
