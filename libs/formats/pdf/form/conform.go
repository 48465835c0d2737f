package form

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// Profiles that Flaws knows.
const (
	PDFA2b = "pdf/a-2b" // ISO 19005-2
	PDFA3b = "pdf/a-3b" // ISO 19005-3
	PDFUA  = "pdf/ua"   // ISO 14289-1
)

// The namespaces of the metadata that names a profile.
const (
	nsPDFA  = "http://www.aiim.org/pdfa/ns/id/"
	nsPDFUA = "http://www.aiim.org/pdfua/ns/id/"
	nsDC    = "http://purl.org/dc/elements/1.1/"
)

// Flaws returns why a file does not conform to a profile, each as a clause such as "a font is
// not embedded". It checks what can be checked without interpreting the pages: the metadata
// that names the profile, the output intent, that fonts are embedded, that there is no
// JavaScript and no encryption, and for PDF/UA that the file is tagged and has a language and
// a title. It does not replace a validator. The error is a Refusal.
func Flaws(raw []byte, profile string) (flaws []string, err error) {
	defer recoverDamage(&err)
	f, err := open(raw)
	if err != nil {
		return nil, err
	}
	told := f.metadata()
	expect := func(ok bool, flaw string) {
		if !ok {
			flaws = append(flaws, flaw)
		}
	}
	expect(f.ctx.Encrypt == nil, "it is encrypted")
	switch profile {
	case PDFA2b, PDFA3b:
		expect(told[nsPDFA+"part"] == profile[6:7] && told[nsPDFA+"conformance"] == "B", "its metadata does not name the profile")
		expect(f.hasOutputIntent(), "it has no output intent")
	case PDFUA:
		expect(told[nsPDFUA+"part"] == "1", "its metadata does not name the profile")
		expect(told[nsDC+"title"] != "" && f.hasTrue("ViewerPreferences", "DisplayDocTitle"), "it has no title; set one in the properties of the document")
		expect(f.isTagged(), "it is not tagged")
		expect(f.text(f.root["Lang"], maxDepth) != "", "it has no language")
	default:
		return nil, errors.New("no such profile: " + profile)
	}
	fonts, scripts := f.scan()
	expect(fonts, "a font is not embedded")
	expect(!scripts, "it has JavaScript")
	return flaws, nil
}

// value returns the object that o is or refers to.
func (f *file) value(o types.Object) types.Object {
	o, _ = f.resolve(o, 0)
	return o
}

// metadata returns the texts of the file's XMP metadata (ISO 16684-1) by namespace and name.
// Of elements with several texts, it returns the last.
func (f *file) metadata() map[string]string {
	found := map[string]string{}
	s, ok := f.value(f.root["Metadata"]).(types.StreamDict)
	if !ok || s.Decode() != nil {
		return found
	}
	d := xml.NewDecoder(bytes.NewReader(s.Content))
	var within []string // the names of the elements that are open
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) || err != nil || len(within) > maxDepth {
			return found
		}
		switch token := token.(type) {
		case xml.StartElement:
			within = append(within, token.Name.Space+token.Name.Local)
			for _, a := range token.Attr {
				found[a.Name.Space+a.Name.Local] = a.Value
			}
		case xml.EndElement:
			within = within[:len(within)-1]
		case xml.CharData:
			if text := strings.TrimSpace(string(token)); text != "" {
				for _, name := range within {
					found[name] = text
				}
			}
		}
	}
}

// hasOutputIntent reports whether the catalog has an output intent with a color profile.
func (f *file) hasOutputIntent() bool {
	intents, _ := f.value(f.root["OutputIntents"]).(types.Array)
	return slices.ContainsFunc(intents, func(o types.Object) bool {
		intent, _ := f.value(o).(types.Dict)
		_, ok := f.value(intent["DestOutputProfile"]).(types.StreamDict)
		return ok && f.name(intent["S"]) == "GTS_PDFA1"
	})
}

// isTagged reports whether the file has a structure tree and declares that it is complete.
func (f *file) isTagged() bool {
	tree, _ := f.value(f.root["StructTreeRoot"]).(types.Dict)
	return len(tree) > 0 && f.hasTrue("MarkInfo", "Marked")
}

// hasTrue reports whether an entry of a dictionary of the catalog is true.
func (f *file) hasTrue(dictionary, entry string) bool {
	d, _ := f.value(f.root[dictionary]).(types.Dict)
	v, _ := f.value(d[entry]).(types.Boolean)
	return bool(v)
}

// scan reports whether all fonts are embedded, and whether any object is or names a script.
func (f *file) scan() (embedded, scripts bool) {
	embedded = true
	for _, n := range slices.Sorted(maps.Keys(f.ctx.Table)) {
		o := f.value(*types.NewIndirectRef(n, f.generation(n)))
		if s, ok := o.(types.StreamDict); ok {
			o = s.Dict
		}
		visit(o, 0, func(d types.Dict) {
			if f.name(d["Type"]) == "Font" && !f.isEmbedded(d) {
				embedded = false
			}
			if _, ok := d["JavaScript"]; ok || f.name(d["S"]) == "JavaScript" || d["JS"] != nil {
				scripts = true
			}
		})
	}
	return embedded, scripts
}

// isEmbedded reports whether the font is embedded. scan visits the descendant of a composite
// font (Type0) as an object of its own.
func (f *file) isEmbedded(font types.Dict) bool {
	switch f.name(font["Subtype"]) {
	case "Type0", "Type3":
		return true
	}
	descriptor, _ := f.value(font["FontDescriptor"]).(types.Dict)
	return descriptor["FontFile"] != nil || descriptor["FontFile2"] != nil || descriptor["FontFile3"] != nil
}

// visit calls do for each dictionary that is o or directly in it.
func visit(o types.Object, depth int, do func(types.Dict)) {
	if depth > maxDepth {
		return
	}
	switch o := o.(type) {
	case types.Dict:
		do(o)
		for _, v := range o {
			visit(v, depth+1, do)
		}
	case types.Array:
		for _, v := range o {
			visit(v, depth+1, do)
		}
	}
}
