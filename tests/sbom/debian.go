package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/CycloneDX/cyclonedx-go"
)

// debianPackages returns the installed packages: all of them or, unless only is "", those
// whose names match one of its patterns, which are separated by spaces. Each pattern must
// match. The folder root must contain dpkg's status file and os-release.
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
	wanted := selection{}
	for _, pattern := range strings.Fields(only) {
		wanted[pattern] = false
	}
	var components []cyclonedx.Component
	paragraphs := textproto.NewReader(bufio.NewReader(f))
	for {
		// A paragraph of dpkg is formatted like a MIME header and ends with an empty line.
		p, err := paragraphs.ReadMIMEHeader()
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("%s, after %d packages: %w", f.Name(), len(components), err)
		}
		if p.Get("Status") == "install ok installed" && wanted.has(p.Get("Package")) {
			components = append(components, debianPackage(p, distribution))
		}
		if err != nil {
			break
		}
	}
	for pattern, found := range wanted {
		if !found {
			return nil, fmt.Errorf("%s: no package %s is installed", f.Name(), pattern)
		}
	}
	if len(components) == 0 {
		return nil, fmt.Errorf("%s: no package is installed", f.Name())
	}
	return components, nil
}

// selection holds patterns of names of packages, and whether each has matched. An empty one
// selects all packages.
type selection map[string]bool

// has reports whether the selection contains the package. A pattern with a syntax error
// matches nothing.
func (s selection) has(name string) bool {
	found := len(s) == 0
	for pattern := range s {
		if ok, _ := path.Match(pattern, name); ok {
			s[pattern], found = true, true
		}
	}
	return found
}

// debianPackage describes a package. Its package URL also names the source package,
// which is the name that Debian's security tracker uses.
func debianPackage(p textproto.MIMEHeader, distribution string) cyclonedx.Component {
	name, version := p.Get("Package"), p.Get("Version")
	source, _, _ := strings.Cut(p.Get("Source"), " ") // a version may follow the name
	escaped := strings.NewReplacer("+", "%2B", ":", "%3A")
	purl := fmt.Sprintf("pkg:deb/debian/%s@%s?arch=%s&distro=%s&upstream=%s", escaped.Replace(name), escaped.Replace(version),
		p.Get("Architecture"), distribution, escaped.Replace(cmp.Or(source, name)))
	return cyclonedx.Component{
		Type: cyclonedx.ComponentTypeLibrary, BOMRef: purl, Name: name, Version: version, PackageURL: purl,
		Supplier: &cyclonedx.OrganizationalEntity{Name: p.Get("Maintainer")},
	}
}

// distribution returns the distribution that an os-release file names, such as
// debian-12.
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
		return "", fmt.Errorf("%s lacks ID or VERSION_ID", path)
	}
	return values["ID"] + "-" + values["VERSION_ID"], nil
}
