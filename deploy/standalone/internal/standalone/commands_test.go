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

// TestUpHelp checks that the help of recto up lists the flags and variables that apply,
// in groups, with the defaults they have there.
func TestUpHelp(t *testing.T) {
	code, help, stderr := execute(t, "up", "--help")
	if code != 0 || stderr != "" {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	last := 0
	for _, want := range []string{
		"Usage:", "\nCommon flags:\n      --data ", "\n      --addr ", "\nFlags for clients on other machines:\n      --public-url ", "\nOther flags:\n",
		"\nEnvironment (gateway):\n", "GATEWAY_MAX_BODY", "\nEnvironment (documents):\n", "\nEnvironment (conversion):\n", "\nEnvironment (insights):\n",
		"\nEnvironment (logs, metrics and traces):\n", "LOG_LEVEL                        WARN ",
	} {
		at := strings.Index(help, want)
		if at < last {
			t.Errorf("%q is missing from the help or out of order:\n%s", want, help)
		}
		last = max(at, last)
	}
	for _, f := range environment() {
		if !strings.Contains(help, "\n  "+f.Name+" ") || f.Required {
			t.Errorf("%s is missing from the help, or required", f.Name)
		}
	}
	for _, name := range []string{"GATEWAY_DATABASE", "GATEWAY_TLS", "S3_ENDPOINT", "METRICS_ADDR", "NATS_URL", "GATEWAY_ADDR", "CONVERSION_PDF_CACHE", "ANNOTATION_PDF_CACHE", "CONVERSION_ROLE", "INSIGHT_ROLE"} {
		if strings.Contains(help, "\n  "+name+" ") {
			t.Errorf("the help lists %s, which the program sets itself", name)
		}
	}
}

// TestHelpTexts checks that every command has a help text and, apart from version, a
// group.
func TestHelpTexts(t *testing.T) {
	for _, cmd := range Command().Commands() {
		if cmd.Short == "" || cmd.GroupID == "" && cmd.Name() != "version" {
			t.Errorf("%s: %q in the group %q", cmd.Name(), cmd.Short, cmd.GroupID)
		}
	}
}

// TestAddresses checks that no command changes the default address of another.
func TestAddresses(t *testing.T) {
	for name, want := range map[string]string{"up": "127.0.0.1:8443", "doctor": "127.0.0.1:8443", "health": "", "status": "", "open": ""} {
		cmd, _, err := Command().Find([]string{name})
		if err != nil || cmd.Flag("addr").Value.String() != want {
			t.Errorf("--addr of %s is %q, %v", name, cmd.Flag("addr").Value, err)
		}
	}
}

// TestListenErrors checks that errors about unusable addresses say what to do.
func TestListenErrors(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { // not Recto: it presents no certificate
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
		{ln.Addr().String(), listen(ln.Addr().String()), "in use by another program. Stop that program, or name another address with --addr"},
		{"127.0.0.1:443", &net.OpError{Op: "listen", Err: os.NewSyscallError("bind", syscall.EACCES)}, "this user may not listen on 127.0.0.1:443. Name a port of 1024 or above"},
		{"192.0.2.1:8443", listen("192.0.2.1:8443"), "192.0.2.1:8443 is not an address of this machine. Name one of its addresses"},
		{"8443", listen("8443"), "missing port in address. Write host:port, such as 127.0.0.1:8443"},
		{"127.0.0.1:nowhere", listen("127.0.0.1:nowhere"), "no such host or port"},
	} {
		err := listenError("--addr", tc.addr, tc.err)
		if !strings.Contains(err.Error(), "--addr: ") || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", tc.addr, err, tc.want)
		}
	}
}

// listen returns the error from listening on an address.
func listen(addr string) error {
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	return errors.Join(errors.New("listening succeeds"), ln.Close())
}

// TestCertificatesPrints checks that the command prints its result to standard output.
func TestCertificatesPrints(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tls")
	code, stdout, stderr := execute(t, "certificates", "--dir", dir)
	if code != 0 || stderr != "" || strings.Count(stdout, dir) != 3 {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, stdout, stderr)
	}
}

// TestCertificateHosts checks which hosts a certificate can be created for.
func TestCertificateHosts(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tls")
	long := strings.Repeat("a.", 127)
	for host, want := range map[string]string{
		"": "--host must name at least one host", "a b": `--host: "a b" is not the name or IP address of a host`, "api.example.com,*.x": `"*.x" is not`,
		"a,": `--host: "" is not`, "https://a": "is not the name", "a:443": "is not the name", "-a": "is not the name", "a..b": "is not the name", long + "a": "is not the name",
	} {
		if code, _, stderr := execute(t, "certificates", "--dir", dir, "--host", host); code != 2 || !strings.Contains(stderr, want) {
			t.Errorf("%q: exit code %d, %q, want %q", host, code, stderr, want)
		}
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the refused commands create the folder: %v", err)
	}
	for _, host := range []string{"localhost", "a-b.example,my_host,10.1.2.3,::1,xn--bcher-kva.example"} {
		if code, _, stderr := execute(t, "certificates", "--dir", dir, "--host", host); code != 0 {
			t.Errorf("%q: exit code %d, %q", host, code, stderr)
		}
	}
}

// TestLacking checks that a missing LibreOffice is reported with its consequences, and
// that log lines never end up on the line of a step.
func TestLacking(t *testing.T) {
	var out bytes.Buffer
	p := newProgress(&out)
	p.lacking(nil)
	before := out.String()
	p.lacking(&runner.Advice{Err: errors.New("there is no engine"), Fix: "install it"})
	if text := strings.TrimPrefix(out.String(), before); !strings.HasPrefix(text, "\nWARNING: there is no engine\n") || !strings.Contains(text, "503") || !strings.HasSuffix(text, "install it\n") {
		t.Errorf("the report is %q", text)
	}
	out.Reset()
	if err := p.step("first", "it", func() error {
		_, err := p.beside(&out).Write([]byte("a log line\n"))
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Split(out.String(), "\n"); len(lines) != 4 || lines[1] != "a log line" || !strings.HasPrefix(lines[2], "  first ") {
		t.Errorf("the output is %q", out.String())
	}
}
