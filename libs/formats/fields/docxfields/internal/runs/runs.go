// Package runs reads and writes the contents of runs: text, tabs, breaks and symbols.
package runs

import (
	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// PlaceholderStyle is the character style of placeholders. Its ID does not depend on
// Word's language.
const PlaceholderStyle = "PlaceholderText"

// Of returns the run that contains e, or another element if there is none.
func Of(e *etree.Element) *etree.Element {
	e = e.Parent()
	for e != nil && (wml.Named(e, wml.SpaceCompatibility, "Choice") || wml.Named(e, wml.SpaceCompatibility, "Fallback") || wml.Named(e, wml.SpaceCompatibility, "AlternateContent")) {
		e = e.Parent()
	}
	return e
}

// In reports whether e is in a run, or in an alternative within one.
func In(e *etree.Element) bool { return wml.Is(Of(e), "r") }

// Properties returns a copy of the properties of a run or a paragraph mark for a new run,
// without their tracked changes.
func Properties(of *etree.Element) *etree.Element {
	properties := of.Copy()
	for _, tag := range []string{"ins", "del", "moveFrom", "moveTo", "rPrChange"} {
		wml.DropByTag(properties, tag)
	}
	return properties
}

// Insert inserts a run with the text into host. format may be nil. An empty text creates
// a run without text, which preserves the format.
func Insert(host *etree.Element, at int, format *etree.Element, text string) *etree.Element {
	run := wml.New(wml.Nearest(host), "r")
	host.InsertChildAt(at, run)
	if format != nil {
		run.AddChild(format.Copy())
	}
	Append(run, text)
	return run
}
