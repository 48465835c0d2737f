package pdfforms

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rectohq/recto/libs/testkit/corpus"
)

// Encrypt returns the file encrypted by AES with keys of 256 bits. "" as the password of
// the user lets everybody open the file. Permissions are options of qpdf, such as
// --form=n, and bind everybody who does not know the password of the owner. The same call
// of EncryptWeakly, but not of Encrypt, makes the same bytes.
func Encrypt(tb testing.TB, file []byte, user, owner string, permissions ...string) []byte {
	tb.Helper()
	return encrypt(tb, file, append([]string{user, owner, "256"}, permissions...))
}

// EncryptWeakly is like Encrypt, by RC4 with keys of 128 bits, as older programs do it.
func EncryptWeakly(tb testing.TB, file []byte, user, owner string, permissions ...string) []byte {
	tb.Helper()
	return encrypt(tb, file, append([]string{user, owner, "128", "--use-aes=n"}, permissions...))
}

func encrypt(tb testing.TB, file []byte, options []string) []byte {
	tb.Helper()
	dir := tb.TempDir()
	write(tb, dir, "in.pdf", file)
	args := append([]string{"--allow-weak-crypto", "--static-id", "--encrypt"}, options...)
	run(tb, dir, "qpdf", append(args, "--", "in.pdf", "out.pdf")...)
	return read(tb, dir, "out.pdf")
}

// Check fails the test unless qpdf finds no fault in the structure of the file.
func Check(tb testing.TB, file []byte) {
	tb.Helper()
	dir := tb.TempDir()
	write(tb, dir, "file.pdf", file)
	cmd := exec.Command(corpus.Program(tb, "qpdf"), "--check", "file.pdf")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		tb.Errorf("qpdf --check: %v:\n%s", err, out)
	}
}

// run runs a program in a folder and returns what it prints. If the program fails, the test
// fails.
func run(tb testing.TB, dir, name string, args ...string) string {
	tb.Helper()
	cmd := exec.Command(corpus.Program(tb, name), args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		tb.Fatalf("%s: %v:\n%s", name, err, out)
	}
	return string(out)
}

func write(tb testing.TB, dir, name string, content []byte) {
	tb.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
		tb.Fatal(err)
	}
}

func read(tb testing.TB, dir, name string) []byte {
	tb.Helper()
	b, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		tb.Fatal(err)
	}
	return b
}
