// Command sbom writes the software bill of materials of an image as CycloneDX JSON. It
// lists the Go modules that the program was built from and the Debian packages in the
// image. The same image always has the same bill of materials.
//
// It uses the CycloneDX library rather than cyclonedx-gomod, the tool of the same
// project. That tool lists only Go modules: no Debian packages such as LibreOffice, and
// no versions of Recto's own modules. Its output also contains the current time, so two
// runs differ.
//
// It is not deployed. It is in the tests module so that its dependencies do not become
// dependencies of Recto.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/CycloneDX/cyclonedx-go"
)

func main() {
	var o options
	flag.StringVar(&o.Program, "program", "", "path of the program in the image")
	flag.StringVar(&o.Name, "name", "", "name of the image")
	flag.StringVar(&o.Version, "version", "", "version of Recto")
	flag.StringVar(&o.Created, "created", "", "time of the commit, in RFC 3339")
	flag.StringVar(&o.Root, "root", "", "folder with dpkg's status file and os-release of the base file system")
	flag.StringVar(&o.Only, "only", "", "patterns of the names of the Debian packages in the image, separated by spaces (default: all packages)")
	flag.Parse()
	if err := write(os.Stdout, o); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

// options holds the values of the flags.
type options struct{ Program, Name, Version, Created, Root, Only string }

// write writes the bill of materials to w.
func write(w io.Writer, o options) error {
	if _, err := time.Parse(time.RFC3339, o.Created); err != nil {
		return fmt.Errorf("--created: %w", err)
	}
	components, err := modules(o.Program, o.Version)
	if err != nil {
		return err
	}
	packages, err := debianPackages(o.Root, o.Only)
	if err != nil {
		return err
	}
	components = append(components, packages...)
	image := cyclonedx.Component{
		Type: cyclonedx.ComponentTypeContainer, BOMRef: "image", Name: o.Name, Version: o.Version,
		Licenses: &cyclonedx.Licenses{{License: &cyclonedx.License{ID: "Apache-2.0"}}},
	}
	parts := make([]string, len(components))
	for i, c := range components {
		parts[i] = c.BOMRef
	}
	bom := cyclonedx.NewBOM()
	bom.Metadata = &cyclonedx.Metadata{Timestamp: o.Created, Component: &image}
	bom.Components = &components
	bom.Dependencies = &[]cyclonedx.Dependency{{Ref: image.BOMRef, Dependencies: &parts}}
	// Few tools can read a newer version.
	return cyclonedx.NewBOMEncoder(w, cyclonedx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(bom, cyclonedx.SpecVersion1_6)
}
