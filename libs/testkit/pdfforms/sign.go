package pdfforms

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Sign returns the file with an invisible signature that pdfsig appends. The signature
// permits filling.
func Sign(tb testing.TB, file []byte) []byte {
	tb.Helper()
	dir := tb.TempDir()
	certificate(tb, dir)
	write(tb, dir, "in.pdf", file)
	run(tb, dir, "openssl", "pkcs12", "-export", "-inkey", "key.pem", "-in", "cert.pem", "-name", "signer", "-passout", "pass:", "-out", "signer.p12")
	if err := os.Mkdir(filepath.Join(dir, "nss"), 0o700); err != nil {
		tb.Fatal(err)
	}
	run(tb, dir, "certutil", "-N", "-d", "nss", "--empty-password")
	run(tb, dir, "pk12util", "-i", "signer.p12", "-d", "nss", "-W", "")
	run(tb, dir, "pdfsig", "-nssdir", "nss", "-add-signature", "-nick", "signer", "in.pdf", "out.pdf")
	return read(tb, dir, "out.pdf")
}

// Certified returns a form of 20 fields that its author has certified with a level of
// permissions (DocMDP): 1 permits no changes, 2 permits filling and signing, and 3 permits
// annotations too.
func Certified(tb testing.TB, level int) []byte {
	tb.Helper()
	return signed(tb, fmt.Sprintf("/Reference[<</Type/SigRef/TransformMethod/DocMDP/TransformParams<</Type/TransformParams/P %d/V/1.2>>>>]", level), true)
}

// Locked returns a form of 20 fields with a signature that locks field_1 (FieldMDP) and
// permits all other changes.
func Locked(tb testing.TB) []byte {
	tb.Helper()
	return LockedBy(tb, "Include", "field_1")
}

// LockedBy returns a form of 20 fields with a signature that locks fields (FieldMDP). The
// action is All, Include for the named fields, or Exclude for all but these.
func LockedBy(tb testing.TB, action string, names ...string) []byte {
	tb.Helper()
	list := ""
	for _, n := range names {
		list += literal(n)
	}
	return signed(tb, fmt.Sprintf("/Reference[<</Type/SigRef/TransformMethod/FieldMDP/TransformParams<</Type/TransformParams/Action/%s/Fields[%s]/V/1.2>>>>]", action, list), false)
}

// The places of a signature that are known only when the file is complete.
const (
	rangePlace = "[0 0000000000 0000000000 0000000000]"
	// contentsSize is that of the hexadecimal CMS message.
	contentsSize = 8192
)

// signed returns a form of 20 fields and a signature field that is signed, whose signature
// dictionary has further entries.
func signed(tb testing.TB, entries string, certifies bool) []byte {
	tb.Helper()
	f := form(20)
	signature := f.add("<</Type/Sig/Filter/Adobe.PPKLite/SubFilter/adbe.pkcs7.detached/M(D:20260101120000Z)%s/ByteRange%s/Contents<%s>>>",
		entries, rangePlace, strings.Repeat("0", contentsSize))
	f.field(f.pages[0], rect{36, 36, 200, 40}, "signature", fmt.Sprintf("/FT/Sig/V %d 0 R", signature))
	f.form += "/SigFlags 3"
	if certifies {
		f.catalog = fmt.Sprintf("/Perms<</DocMDP %d 0 R>>", signature)
	}
	b := f.bytes()
	begin := bytes.Index(b, []byte("/Contents<")) + len("/Contents")
	end := begin + contentsSize + len("<>")
	ranges := fmt.Sprintf("[0 %d %d %d]", begin, end, len(b)-end)
	b = bytes.Replace(b, []byte(rangePlace), fmt.Appendf(nil, "%-*s", len(rangePlace), ranges), 1)
	message := hex.EncodeToString(cms(tb, append(bytes.Clone(b[:begin]), b[end:]...)))
	if len(message) > contentsSize {
		tb.Fatalf("the CMS message has %d digits", len(message))
	}
	copy(b[begin+1:], message)
	return b
}

// cms returns a detached signature of the content.
func cms(tb testing.TB, content []byte) []byte {
	tb.Helper()
	dir := tb.TempDir()
	certificate(tb, dir)
	write(tb, dir, "content", content)
	run(tb, dir, "openssl", "cms", "-sign", "-binary", "-md", "sha256", "-signer", "cert.pem", "-inkey", "key.pem", "-in", "content", "-outform", "DER", "-out", "cms.der")
	return read(tb, dir, "cms.der")
}

// certificate writes a key and a certificate to key.pem and cert.pem in the folder.
func certificate(tb testing.TB, dir string) {
	tb.Helper()
	run(tb, dir, "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "3650", "-subj", "/CN=Test Signer", "-keyout", "key.pem", "-out", "cert.pem")
}

// CheckSignatures fails the test unless the file has signatures and pdfsig finds all of
// them valid. It does not check the permissions of the signatures.
func CheckSignatures(tb testing.TB, file []byte) {
	tb.Helper()
	dir := tb.TempDir()
	write(tb, dir, "file.pdf", file)
	out := run(tb, dir, "pdfsig", "-nocert", "file.pdf")
	count, valid := strings.Count(out, "Signature #"), strings.Count(out, "Signature is Valid.")
	if count == 0 || valid != count {
		tb.Errorf("%d of %d signatures are valid:\n%s", valid, count, out)
	}
}
