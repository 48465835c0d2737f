// Command recto runs all of Recto in one program, for newcomers, small installations and
// tests.
package main

import (
	"github.com/rectohq/recto/deploy/standalone/internal/standalone"
	"github.com/rectohq/recto/libs/formats/pdf"
	"github.com/rectohq/recto/libs/runner"
)

func main() {
	pdf.Main()
	runner.Main(standalone.Command())
}
