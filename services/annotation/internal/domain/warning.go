package domain

import (
	"fmt"
	"slices"

	"github.com/rectohq/recto/libs/contract/annotationapi"
	"github.com/rectohq/recto/libs/formats/fields"
)

// notCalculated is the warning about a form whose scripts calculate fields.
var notCalculated = annotationapi.Warning{
	Code:    annotationapi.WarningCalculation,
	Message: "The form calculates some fields from others by scripts. Scripts were not run, so those fields have their old values. Fill them in the request, or let a PDF program calculate them.",
}

// tooSmall returns a warning for each field whose value is written in a size that is hard to
// read.
func tooSmall(known []fields.Field, ids []string) []annotationapi.Warning {
	var warnings []annotationapi.Warning
	for _, f := range known {
		if !slices.Contains(ids, f.ID) {
			continue
		}
		name := f.ID
		if f.Label != "" {
			name = fmt.Sprintf("%q (%s)", f.Label, f.ID)
		}
		warnings = append(warnings, annotationapi.Warning{
			Code: annotationapi.WarningTextTooSmall, FieldID: f.ID,
			Message: "The value of the field " + name + " is too long for the space in the PDF. It is complete, but smaller than 4 points, which is hard to read. Send a shorter value, or make the field larger in the file.",
		})
	}
	return warnings
}
