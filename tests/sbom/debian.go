package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"os"
	"path/filepath"
	"strings"

	"github.com/CycloneDX/cyclonedx-go"
)

// debianPackages returns the packages that are installed according to the
// folder root, in which there are the status of dpkg and os-release: all of
// them, or the one called only.
func debianPackages(root, only string) ([]cyclonedx.Component, error) {
	distribution, err := distribution(filepath.Join(root, "os-release"))
	if err != nil {
		return nil, err
	}
	f, err := os.Open(filepath.Join(root, "status"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var components []cyclonedx.Component
	paragraphs := textproto.NewReader(bufio.NewReader(f))
	for {
		// A paragraph of dpkg has the form of a header, and an empty line after it.
		p, err := paragraphs.ReadMIMEHeader()
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("%s, after %d packages: %w", f.Name(), len(components), err)
		}
		if p.Get("Status") == "install ok installed" && (only == "" || p.Get("Package") == only) {
			components = append(components, debianPackage(p, distribution))
		}
		if err != nil {
			break
		}
	}
	if len(components) == 0 {
		return nil, fmt.Errorf("%s: %s is installed", f.Name(), strings.TrimSpace("no package "+only))
	}
	return components, nil
}

// debianPackage describes a package. Its address names the source package too,
// which is what Debian's security tracker knows.
func debianPackage(p textproto.MIMEHeader, distribution string) cyclonedx.Component {
	name, version := p.Get("Package"), p.Get("Version")
	source, _, _ := strings.Cut(p.Get("Source"), " ") // it may have a version of its own
	escaped := strings.NewReplacer("+", "%2B", ":", "%3A")
	purl := fmt.Sprintf("pkg:deb/debian/%s@%s?arch=%s&distro=%s&upstream=%s", escaped.Replace(name), escaped.Replace(version),
		p.Get("Architecture"), distribution, escaped.Replace(cmp.Or(source, name)))
	return cyclonedx.Component{
		Type: cyclonedx.ComponentTypeLibrary, BOMRef: purl, Name: name, Version: version, PackageURL: purl,
		Supplier: &cyclonedx.OrganizationalEntity{Name: p.Get("Maintainer")},
	}
}

// distribution returns what an os-release file says that the system is:
// debian-12, for example.
func distribution(path string) (string, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	values := map[string]string{}
	for line := range strings.Lines(string(content)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		values[name] = strings.Trim(value, `"`)
	}
	if values["ID"] == "" || values["VERSION_ID"] == "" {
		return "", fmt.Errorf("%s names no ID and VERSION_ID", path)
	}
	return values["ID"] + "-" + values["VERSION_ID"], nil
}
