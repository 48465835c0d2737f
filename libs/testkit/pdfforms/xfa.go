package pdfforms

import "fmt"

// HybridXFA returns a form of two text fields, field_1 and field_2, that also has an XFA
// form. A reader without XFA shows the AcroForm.
func HybridXFA() []byte {
	f := form(2)
	f.form += "/XFA" + f.xfa()
	return f.bytes()
}

// OnlyXFA returns a file with a dynamic XFA form and no other fields. Its page asks for
// another reader.
func OnlyXFA() []byte {
	f := newFile()
	f.page("").text(12, 72, 700, "Please wait... If this message is not replaced, your reader cannot show this form.")
	f.form += "/XFA" + f.xfa()
	f.catalog = "/NeedsRendering true"
	return f.bytes()
}

// xfa adds the packets of an XFA form and returns the array of them.
func (f *file) xfa() string {
	head := f.stream("", `<xdp:xdp xmlns:xdp="http://ns.adobe.com/xdp/">`)
	template := f.stream("", `<template xmlns="http://www.xfa.org/schema/xfa-template/3.3/"><subform name="form1">`+
		`<field name="field_1" w="60mm" h="8mm"><ui><textEdit/></ui></field><field name="field_2" w="60mm" h="8mm"><ui><textEdit/></ui></field></subform></template>`)
	data := f.stream("", `<xfa:datasets xmlns:xfa="http://www.xfa.org/schema/xfa-data/1.0/"><xfa:data><form1/></xfa:data></xfa:datasets>`)
	tail := f.stream("", "</xdp:xdp>")
	return fmt.Sprintf("[(preamble)%d 0 R(template)%d 0 R(datasets)%d 0 R(postamble)%d 0 R]", head, template, data, tail)
}
