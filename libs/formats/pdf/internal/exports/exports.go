// Package exports makes calls of PDFium cheap.
package exports

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/klippa-app/go-pdfium"
	"github.com/tetratelabs/wazero/api"
)

// frequent are the prefixes of the functions that are called for a character, an object of a
// page, or an annotation. They return at once, so the stack of each stays small. Functions
// that parse are left out: a file can make their stack large, and it should not outlive the
// call.
var frequent = []string{
	"FPDFText_Get", "FPDFText_Is", "FPDFText_Count", "FPDFPage_Get", "FPDFPage_Count",
	"FPDFPageObj_Get", "FPDFFormObj_", "FPDFPath_", "FPDFPathSegment_", "FPDFAnnot_", "FPDFPage_CloseAnnot",
}

// Keep makes the instance keep the frequent functions. Without it, the instance looks up a
// function for each call, and gets a new stack of 10 KiB each time. This takes several times
// as long as the call.
//
// A kept function must not be called while it runs, which the lock of an instance excludes.
func Keep(instance pdfium.Pdfium) error {
	implementation := reflect.Indirect(reflect.ValueOf(instance.GetImplementation()))
	if implementation.Kind() != reflect.Struct {
		return fmt.Errorf("PDFium is a %s, which has no module", implementation.Kind())
	}
	field := implementation.FieldByName("Module")
	if !field.CanSet() || field.Type() != reflect.TypeFor[api.Module]() || field.IsNil() {
		return fmt.Errorf("%s has no module", implementation.Type())
	}
	original, _ := reflect.TypeAssert[api.Module](field)
	field.Set(reflect.ValueOf(&module{Module: original, kept: make(map[string]api.Function)}))
	return nil
}

// module is a module that keeps its frequent functions.
type module struct {
	api.Module
	kept map[string]api.Function
}

// ExportedFunction implements api.Module.
func (m *module) ExportedFunction(name string) api.Function {
	if f, ok := m.kept[name]; ok {
		return f
	}
	f := m.Module.ExportedFunction(name)
	if f != nil && isFrequent(name) {
		m.kept[name] = f
	}
	return f
}

func isFrequent(name string) bool {
	for _, prefix := range frequent {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}
