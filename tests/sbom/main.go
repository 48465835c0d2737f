// Command sbom writes the bill of materials of an image as CycloneDX JSON: the
// Go modules that its program was built from, and the packages of Debian that
// are in it. The same image has the same bill.
//
// It is written with the library of CycloneDX. The tool of the same project,
// cyclonedx-gomod, lists Go modules alone: neither packages of Debian, LibreOffice
// among them, nor the versions of Recto's own modules. Two of its bills of one program
// differ in their time.
//
// It is no part of what is deployed, and stands among the tests so that what it
// needs is not among what Recto needs.
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
	flag.StringVar(&o.Root, "root", "", "folder that holds what the base file system says of its packages")
	flag.StringVar(&o.Only, "only", "", "the one package of it that is in the image (default: all are)")
	flag.Parse()
	if err := write(os.Stdout, o); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

// options are the flags.
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
	// The newest version is read by few.
	return cyclonedx.NewBOMEncoder(w, cyclonedx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(bom, cyclonedx.SpecVersion1_6)
}
