package exports_test

import (
	"testing"

	"github.com/klippa-app/go-pdfium"
	"github.com/tetratelabs/wazero/api"

	"github.com/rectohq/recto/libs/formats/pdf/internal/exports"
)

// instance is a PDFium with an implementation.
type instance struct {
	pdfium.Pdfium
	implementation any
}

func (i instance) GetImplementation() any { return i.implementation }

// lookups is a module that counts how often each function is looked up.
type lookups struct {
	api.Module
	of map[string]int
}

type function struct{ api.Function }

func (l lookups) ExportedFunction(name string) api.Function {
	l.of[name]++
	if name == "FPDFText_GetNothing" {
		return nil
	}
	return &function{}
}

// TestKeep shows that only frequent functions are kept, and each only for its own name.
func TestKeep(t *testing.T) {
	found := lookups{of: make(map[string]int)}
	implementation := &struct{ Module api.Module }{found}
	if err := exports.Keep(instance{implementation: implementation}); err != nil {
		t.Fatal(err)
	}
	returned := make(map[api.Function]string)
	for name, want := range map[string]int{
		"FPDFText_GetLooseCharBox": 1, "FPDFPath_GetDrawMode": 1, "FPDFPage_GetObject": 1,
		"FPDFText_GetNothing": 3, "FPDFText_LoadPage": 3, "FPDF_LoadPage": 3, "FPDFPage_Flatten": 3,
	} {
		for range 3 {
			f := implementation.Module.ExportedFunction(name)
			if other, ok := returned[f]; ok && f != nil && other != name {
				t.Errorf("%s is the function of %s", name, other)
			}
			returned[f] = name
		}
		if found.of[name] != want {
			t.Errorf("%s was looked up %d times, want %d", name, found.of[name], want)
		}
	}
}

// TestKeepUnknown shows that another implementation of PDFium is an error.
func TestKeepUnknown(t *testing.T) {
	for _, implementation := range []any{nil, 1, &struct{}{}, &struct{ Module int }{}, &struct{ Module api.Module }{}} {
		if err := exports.Keep(instance{implementation: implementation}); err == nil {
			t.Errorf("%T: want an error", implementation)
		}
	}
}
