package main

import (
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/CycloneDX/cyclonedx-go"
)

// ours is the path prefix of Recto's own modules. They share the version of the
// program because they are built from the same source tree.
const ours = "github.com/rectohq/recto/"

// modules returns the Go modules that the program was built from: its own module, its
// dependencies, and the standard library.
func modules(program, version string) ([]cyclonedx.Component, error) {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return nil, fmt.Errorf("--program: %w", err)
	}
	components := []cyclonedx.Component{
		module(debug.Module{Path: "stdlib", Version: strings.TrimPrefix(info.GoVersion, "go")}),
	}
	for _, m := range append([]*debug.Module{&info.Main}, info.Deps...) {
		if m.Replace != nil && !strings.HasPrefix(m.Path, ours) {
			m = m.Replace
		}
		if strings.HasPrefix(m.Path, ours) {
			m = &debug.Module{Path: m.Path, Version: "v" + version}
		}
		components = append(components, module(*m))
	}
	return components, nil
}

// module describes a Go module. The hash is the SHA-256 of the list of the module's
// files with their own hashes, as in go.sum.
func module(m debug.Module) cyclonedx.Component {
	purl := "pkg:golang/" + m.Path + "@" + strings.ReplaceAll(m.Version, "+", "%2B")
	c := cyclonedx.Component{
		Type: cyclonedx.ComponentTypeLibrary, BOMRef: purl, Name: m.Path, Version: m.Version, PackageURL: purl,
	}
	if sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(m.Sum, "h1:")); err == nil && len(sum) > 0 {
		c.Hashes = &[]cyclonedx.Hash{{Algorithm: cyclonedx.HashAlgoSHA256, Value: hex.EncodeToString(sum)}}
	}
	return c
}
