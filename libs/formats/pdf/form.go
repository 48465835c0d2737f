package pdf

import (
	"strings"
	"unicode/utf8"

	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/structs"

	"github.com/rectohq/recto/libs/formats/pdf/form"
	"github.com/rectohq/recto/libs/formats/pdf/internal/widgets"
)

// maxAnnotations is how many annotations of a page are read.
const maxAnnotations = 10_000

// openForm opens the AcroForm, if the file has one. A form that PDFium cannot read counts
// as none. No script ever runs, because this build of PDFium has no JavaScript engine.
func (d *document) openForm() error {
	t, err := d.pdfium.FPDF_GetFormType(&requests.FPDF_GetFormType{Document: d.ref})
	if err != nil || t.FormType == enums.FPDF_FORMTYPE_NONE {
		return broken(err)
	}
	return d.startForm()
}

// startForm opens the form, unless it is open. It also does so without an AcroForm, for
// widgets that a page has nonetheless.
func (d *document) startForm() error {
	if d.form != "" {
		return nil
	}
	opened, err := d.pdfium.FPDFDOC_InitFormFillEnvironment(&requests.FPDFDOC_InitFormFillEnvironment{Document: d.ref, FormFillInfo: formCallbacks()})
	if err != nil {
		return broken(err)
	}
	d.form = opened.FormHandle
	return nil
}

// endForm closes the form, if it is open.
func (d *document) endForm() error {
	if d.form == "" {
		return nil
	}
	_, err := d.pdfium.FPDFDOC_ExitFormFillEnvironment(&requests.FPDFDOC_ExitFormFillEnvironment{FormHandle: d.form})
	d.form = ""
	return err
}

// describe reads what package form knows about the form, unless that has been done.
func (d *document) describe() {
	if d.details == nil {
		details := d.forms.details(d.file)
		d.details = &details
	}
}

// formCallbacks returns the callbacks that PDFium uses while a user fills in a form,
// which never happens here.
func formCallbacks() structs.FPDF_FORMFILLINFO {
	return structs.FPDF_FORMFILLINFO{
		FFI_Invalidate:         func(references.FPDF_PAGE, float64, float64, float64, float64) {},
		FFI_SetCursor:          func(enums.FXCT) {},
		FFI_SetTimer:           func(int, func(int)) int { return 0 },
		FFI_KillTimer:          func(int) {},
		FFI_GetLocalTime:       func() structs.FPDF_SYSTEMTIME { return structs.FPDF_SYSTEMTIME{} },
		FFI_GetPage:            func(references.FPDF_DOCUMENT, int) *references.FPDF_PAGE { return nil },
		FFI_GetRotation:        func(references.FPDF_PAGE) enums.FPDF_PAGE_ROTATION { return 0 },
		FFI_ExecuteNamedAction: func(string) {},
	}
}

// annotations reads the form fields of a page, and reports whether the page has visible
// annotations.
func (d *document) annotations(page requests.Page, pageIndex int, v view) (fields []fieldMessage, any bool, err error) {
	n, err := d.pdfium.FPDFPage_GetAnnotCount(&requests.FPDFPage_GetAnnotCount{Page: page})
	if err != nil || n.Count == 0 {
		return nil, false, broken(err)
	}
	if d.form != "" { // generates missing appearance streams
		if _, err := d.pdfium.FORM_OnAfterLoadPage(&requests.FORM_OnAfterLoadPage{Page: page, FormHandle: d.form}); isBroken(err) {
			return nil, false, err
		}
	}
	for i := range min(n.Count, maxAnnotations) {
		field, seen, err := d.annotation(page, i, v)
		if err != nil {
			return nil, false, err
		}
		any = any || seen
		if field != nil {
			field.Annotation = i
			d.complete(&field.Field, form.Ref{Page: pageIndex + 1, Annotation: i})
			fields = append(fields, *field)
		}
	}
	return fields, any, nil
}

// complete adds what package form knows about a field.
func (d *document) complete(f *Field, ref form.Ref) {
	if !d.lists {
		return
	}
	d.describe()
	if details := d.details.Details[ref]; isDetails(details) {
		f.Details = details
	}
	if strings.HasPrefix(f.Name, form.Unnamed) {
		f.Name = printable(f.Details.Name)
	}
}

// annotation returns the field of a widget annotation, or nil for other annotations, and
// whether the annotation can contain text.
func (d *document) annotation(page requests.Page, index int, v view) (field *fieldMessage, seen bool, err error) {
	a, err := d.pdfium.FPDFPage_GetAnnot(&requests.FPDFPage_GetAnnot{Page: page, Index: index})
	if err != nil {
		return nil, false, broken(err)
	}
	defer func() { _, _ = d.pdfium.FPDFPage_CloseAnnot(&requests.FPDFPage_CloseAnnot{Annotation: a.Annotation}) }()
	kind, err := d.pdfium.FPDFAnnot_GetSubtype(&requests.FPDFAnnot_GetSubtype{Annotation: a.Annotation})
	if err != nil {
		return nil, false, broken(err)
	}
	switch kind.Subtype {
	case enums.FPDF_ANNOT_SUBTYPE_LINK, enums.FPDF_ANNOT_SUBTYPE_POPUP:
		return nil, false, nil
	case enums.FPDF_ANNOT_SUBTYPE_WIDGET:
		if d.form == "" { // there is no AcroForm
			if _, err := d.formOf(page); err != nil {
				return nil, true, err
			}
		}
		w := &widget{document: d, ref: a.Annotation}
		field := w.read(v)
		if w.broken == nil && !d.adopted && (w.unknown || d.redraws()) {
			return nil, true, errUnknown
		}
		return field, true, w.broken
	}
	return nil, true, nil
}

// widget is a widget annotation of a form field.
type widget struct {
	*document
	ref references.FPDF_ANNOTATION
	// unknown reports whether PDFium does not know the field.
	unknown bool
	// broken is the error that ended PDFium.
	broken error
}

// fieldType returns the type for PDFium's number, or "" if it is not a type of AcroForm
// field.
func fieldType(t enums.FPDF_FORMFIELD_TYPE) FieldType {
	switch t {
	case enums.FPDF_FORMFIELD_TYPE_TEXTFIELD:
		return Text
	case enums.FPDF_FORMFIELD_TYPE_CHECKBOX:
		return Checkbox
	case enums.FPDF_FORMFIELD_TYPE_RADIOBUTTON:
		return Radio
	case enums.FPDF_FORMFIELD_TYPE_COMBOBOX, enums.FPDF_FORMFIELD_TYPE_LISTBOX:
		return Choice
	case enums.FPDF_FORMFIELD_TYPE_SIGNATURE:
		return Signature
	case enums.FPDF_FORMFIELD_TYPE_PUSHBUTTON:
		return Button
	}
	return ""
}

// read returns the field, or nil if it has no known type, is outside of the displayed
// page, or exceeds a limit.
func (w *widget) read(v view) *fieldMessage {
	if w.form == "" || w.found.fields >= maxFields {
		return nil
	}
	t, err := w.pdfium.FPDFAnnot_GetFormFieldType(&requests.FPDFAnnot_GetFormFieldType{FormHandle: w.form, Annotation: w.ref})
	if !w.ok(err) || fieldType(t.FormFieldType) == "" {
		w.unknown = err != nil || !widgets.Known(t.FormFieldType)
		return nil
	}
	r, err := w.pdfium.FPDFAnnot_GetRect(&requests.FPDFAnnot_GetRect{Annotation: w.ref})
	if !w.ok(err) {
		return nil
	}
	place, shown := units(v.box(rect{float64(r.Rect.Left), float64(r.Rect.Bottom), float64(r.Rect.Right), float64(r.Rect.Top)}))
	if !shown {
		return nil
	}
	f := &fieldMessage{Field: Field{Type: fieldType(t.FormFieldType)}, Place: place}
	w.describe(&f.Field)
	w.fill(&f.Field)
	if !isField(f.Field) {
		return nil
	}
	w.found.fields++
	return f
}

// ok reports whether a call succeeded, and records whether it ended PDFium. After that,
// every call fails.
func (w *widget) ok(err error) bool {
	if w.broken == nil {
		w.broken = broken(err)
	}
	return err == nil && w.broken == nil
}

// describe reads the names and flags of a field.
func (w *widget) describe(f *Field) {
	if n, err := w.pdfium.FPDFAnnot_GetFormFieldName(&requests.FPDFAnnot_GetFormFieldName{FormHandle: w.form, Annotation: w.ref}); w.ok(err) {
		f.Name = printable(n.FormFieldName)
	}
	if w.broken != nil {
		return
	}
	if n, err := w.pdfium.FPDFAnnot_GetFormFieldAlternateName(&requests.FPDFAnnot_GetFormFieldAlternateName{FormHandle: w.form, Annotation: w.ref}); w.ok(err) {
		f.Label = line(n.FormFieldAlternateName)
	}
	if w.broken != nil {
		return
	}
	if n, err := w.pdfium.FPDFAnnot_GetFormFieldFlags(&requests.FPDFAnnot_GetFormFieldFlags{FormHandle: w.form, Annotation: w.ref}); w.ok(err) {
		f.ReadOnly = n.Flags&enums.FPDF_FORMFLAG_READONLY != 0
		f.Required = n.Flags&enums.FPDF_FORMFLAG_REQUIRED != 0
	}
}

// fill reads the value of a field.
func (w *widget) fill(f *Field) {
	switch {
	case w.broken != nil:
	case f.Type == Checkbox || f.Type == Radio:
		w.fillState(f)
	case f.Type == Text || f.Type == Choice:
		n, err := w.pdfium.FPDFAnnot_GetFormFieldValue(&requests.FPDFAnnot_GetFormFieldValue{FormHandle: w.form, Annotation: w.ref})
		if w.ok(err) {
			f.Value = printable(n.FormFieldValue)
		}
		if f.Type == Choice && w.broken == nil {
			w.fillOptions(f)
		}
	}
}

func (w *widget) fillState(f *Field) {
	if n, err := w.pdfium.FPDFAnnot_GetFormFieldExportValue(&requests.FPDFAnnot_GetFormFieldExportValue{FormHandle: w.form, Annotation: w.ref}); w.ok(err) {
		f.Value = printable(n.Value)
	}
	if w.broken != nil {
		return
	}
	if n, err := w.pdfium.FPDFAnnot_IsChecked(&requests.FPDFAnnot_IsChecked{FormHandle: w.form, Annotation: w.ref}); w.ok(err) {
		f.Checked = n.IsChecked
	}
}

func (w *widget) fillOptions(f *Field) {
	n, err := w.pdfium.FPDFAnnot_GetOptionCount(&requests.FPDFAnnot_GetOptionCount{FormHandle: w.form, Annotation: w.ref})
	if !w.ok(err) {
		return
	}
	for i := range min(n.OptionCount, maxOptions) {
		label, err := w.pdfium.FPDFAnnot_GetOptionLabel(&requests.FPDFAnnot_GetOptionLabel{FormHandle: w.form, Annotation: w.ref, Index: i})
		if !w.ok(err) {
			return
		}
		f.Options = append(f.Options, printable(label.OptionLabel))
		selected, err := w.pdfium.FPDFAnnot_IsOptionSelected(&requests.FPDFAnnot_IsOptionSelected{FormHandle: w.form, Annotation: w.ref, Index: i})
		if w.ok(err) && selected.IsOptionSelected {
			f.Selected = append(f.Selected, printable(label.OptionLabel))
		}
		if w.broken != nil {
			return
		}
	}
}

// printable returns s without invalid characters. Line breaks become "\n".
func printable(s string) string {
	out := make([]byte, 0, len(s))
	for i, c := range s {
		if c == '\r' {
			if i+1 < len(s) && s[i+1] == '\n' {
				continue
			}
			c = '\n'
		}
		if c = clean(c); c >= 0 {
			out = utf8.AppendRune(out, c)
		}
	}
	return string(out)
}
