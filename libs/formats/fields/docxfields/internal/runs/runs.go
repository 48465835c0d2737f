// Package runs reads and writes what stands in the runs of a paragraph: text, tabs,
// breaks, and symbols.
package runs

import (
	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// PlaceholderStyle is the style of the characters of placeholders, as Word names
// it in every language.
const PlaceholderStyle = "PlaceholderText"

// Of returns the run that e is in, or another element if it is in none.
func Of(e *etree.Element) *etree.Element {
	e = e.Parent()
	for e != nil && (wml.Named(e, wml.SpaceCompatibility, "Choice") || wml.Named(e, wml.SpaceCompatibility, "Fallback") || wml.Named(e, wml.SpaceCompatibility, "AlternateContent")) {
		e = e.Parent()
	}
	return e
}

// In reports whether e is in a run, maybe in an alternative in it.
func In(e *etree.Element) bool { return wml.Is(Of(e), "r") }

// Properties returns a copy of the properties of a run, or of a paragraph's
// mark, for a new run: it was not inserted, deleted or changed as that one was.
func Properties(of *etree.Element) *etree.Element {
	properties := of.Copy()
	for _, tag := range []string{"ins", "del", "moveFrom", "moveTo", "rPrChange"} {
		wml.DropByTag(properties, tag)
	}
	return properties
}

// Insert inserts a run with the text into host. A format of nil is none. An
// empty text leaves a run without text, which keeps the format.
func Insert(host *etree.Element, at int, format *etree.Element, text string) *etree.Element {
	run := wml.New(wml.Nearest(host), "r")
	host.InsertChildAt(at, run)
	if format != nil {
		run.AddChild(format.Copy())
	}
	Append(run, text)
	return run
}
