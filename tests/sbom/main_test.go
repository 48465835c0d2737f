package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/CycloneDX/cyclonedx-go"
)

const status = `Package: libicu72
Status: install ok installed
Maintainer: Debian <icu@example.org>
Architecture: amd64
Source: icu
Version: 72.1-3+deb12u1
Conffiles:
 /etc/x da9f3e5a56d6162ea9d5feed57fbf349
Description: Unicode
 Line two
 .
 Line four

Package: gone
Status: deinstall ok config-files
Architecture: amd64
Version: 1

Package: libreoffice-core-nogui
Status: install ok installed
Architecture: amd64
Source: libreoffice (4:7.4.7-1)
Version: 4:7.4.7-1+deb12u14
`

// bill writes the bill of materials of an image whose program is this test binary. The
// image has the packages of status, or only those that match.
func bill(t *testing.T, status, only string) (*cyclonedx.BOM, []byte, error) {
	t.Helper()
	root := t.TempDir()
	for name, content := range map[string]string{"status": status, "os-release": "ID=debian\nVERSION_ID=\"12\"\n"} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	err = write(&out, options{Program: self, Name: "recto/conversion", Version: "1.2.3", Created: "2026-01-02T03:04:05Z", Root: root, Only: only})
	if err != nil {
		return nil, nil, err
	}
	var bom cyclonedx.BOM
	if err := cyclonedx.NewBOMDecoder(bytes.NewReader(out.Bytes()), cyclonedx.BOMFileFormatJSON).Decode(&bom); err != nil {
		t.Fatal(err)
	}
	return &bom, out.Bytes(), nil
}

// TestBill checks that the bill of materials lists Go modules and installed Debian
// packages once each, and that it is reproducible.
func TestBill(t *testing.T) {
	bom, content, err := bill(t, status, "")
	if err != nil {
		t.Fatal(err)
	}
	_, again, _ := bill(t, status, "")
	if !bytes.Equal(content, again) {
		t.Error("two bills of the same image differ")
	}
	if c := bom.Metadata.Component; c.Name != "recto/conversion" || c.Version != "1.2.3" || bom.Metadata.Timestamp != "2026-01-02T03:04:05Z" {
		t.Errorf("the bill describes %+v, created at %s", c, bom.Metadata.Timestamp)
	}
	known := map[string]cyclonedx.Component{}
	for _, c := range *bom.Components {
		if _, twice := known[c.BOMRef]; twice {
			t.Errorf("%s is listed twice", c.BOMRef)
		}
		known[c.BOMRef] = c
	}
	for _, purl := range []string{
		"pkg:golang/github.com/rectohq/recto/tests@v1.2.3",
		"pkg:golang/github.com/CycloneDX/cyclonedx-go@",
		"pkg:golang/stdlib@1.",
		"pkg:deb/debian/libicu72@72.1-3%2Bdeb12u1?arch=amd64&distro=debian-12&upstream=icu",
		"pkg:deb/debian/libreoffice-core-nogui@4%3A7.4.7-1%2Bdeb12u14?arch=amd64&distro=debian-12&upstream=libreoffice",
	} {
		found := 0
		for ref := range known {
			if strings.HasPrefix(ref, purl) {
				found++
			}
		}
		if found != 1 {
			t.Errorf("%s is listed %d times, want 1, in\n%s", purl, found, content)
		}
	}
	if bytes.Contains(content, []byte("gone")) {
		t.Error("a removed package is listed")
	}
	if _, one, err := bill(t, status, "libicu72"); err != nil || !bytes.Contains(one, []byte("libicu72")) || bytes.Contains(one, []byte("libreoffice")) {
		t.Errorf("image with one package: %v, %s", err, one)
	}
	if _, both, err := bill(t, status, "libicu72 libreoffice-*"); err != nil || !bytes.Contains(both, []byte("libicu72")) || !bytes.Contains(both, []byte("libreoffice-core")) {
		t.Errorf("image with selected packages: %v, %s", err, both)
	}
	if d := *bom.Dependencies; len(d) != 1 || len(*d[0].Dependencies) != len(known) {
		t.Errorf("the image has %d components and depends on %+v", len(known), d)
	}
}

// TestBillErrors checks that invalid input, or a base without packages, is an error.
func TestBillErrors(t *testing.T) {
	if _, _, err := bill(t, "Package: gone\nStatus: deinstall ok config-files\n", ""); err == nil || !strings.Contains(err.Error(), "no package") {
		t.Errorf("base without packages: %v", err)
	}
	if _, _, err := bill(t, status, "gone"); err == nil || !strings.Contains(err.Error(), "no package gone") {
		t.Errorf("removed package: %v", err)
	}
	if _, _, err := bill(t, status, "libicu72 fonts-*"); err == nil || !strings.Contains(err.Error(), "no package fonts-*") {
		t.Errorf("pattern that matches nothing: %v", err)
	}
	if _, _, err := bill(t, "this is not a list of packages\n", ""); err == nil || !strings.Contains(err.Error(), "after 0 packages") {
		t.Errorf("status file in another format: %v", err)
	}
	if err := write(&bytes.Buffer{}, options{Program: "/etc/passwd", Created: "2026-01-02T03:04:05Z"}); err == nil || !strings.Contains(err.Error(), "--program") {
		t.Errorf("file that is not a program: %v", err)
	}
	if err := write(&bytes.Buffer{}, options{Created: "yesterday"}); err == nil || !strings.Contains(err.Error(), "--created") {
		t.Errorf("invalid time: %v", err)
	}
}
