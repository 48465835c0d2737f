package blanks_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/rectohq/recto/services/insight/internal/rules/blanks"
	"github.com/rectohq/recto/services/insight/internal/rules/rulestest"
)

func TestSignatureBlanks(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"above a name":  {"NORDEN PUMPS LTD\n\n________________\nAda Kern\nDirector\n", []string{"SIGNATUREINPUT"}},
		"label":         {"NORDEN PUMPS LTD\n\nBy: ____________\nName: ____________\nDate: ________\n", []string{"SIGNATUREINPUT", "NAMETEXTINPUT", "DATEINPUT"}},
		"running text":  {"IN WITNESS WHEREOF, the parties have signed. NORDEN PUMPS LTD By: ___________ Name: Ada Kern Title: Director\n", []string{"SIGNATUREINPUT"}},
		"side by side":  {"____________________          ____________________\nAda Kern                      Bo Lund\n", []string{"SIGNATUREINPUT", "SIGNATUREINPUT"}},
		"in a sentence": {"The tenant is _________________ of the first part.\n", []string{"FREETEXTINPUT"}},
		"dots":          {"Signed by BO LUND\t................................\nDirector\n", []string{"SIGNATUREINPUT"}},
		"above a date":  {"NORDEN PUMPS LTD\n\n________________\nAda Kern\n\n________________\nDate\n", []string{"SIGNATUREINPUT", "DATEINPUT"}},
	} {
		t.Run(name, func(t *testing.T) {
			d := rulestest.Read(c.text)
			found := blanks.Find(d)
			rulestest.Sane(t, d, found)
			var got []string
			for _, f := range found {
				got = append(got, f.Item.FieldType)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

func TestFields(t *testing.T) {
	d := rulestest.Read("The tenant is ______________ of the first part.\n\n[ ] Yes [x] No\n")
	got := blanks.Find(d)
	rulestest.Sane(t, d, got)
	if len(got) != 2 || strings.Trim(d.Quote(got[0].Span), "_") != "" || !strings.HasPrefix(got[0].Item.FieldID, "agreementinput-") || got[0].Item.FieldValue != "" {
		t.Fatalf("got %+v", got)
	}
	if got[1].Item.FieldType != "CHECKTEXTINPUT" || got[1].Item.FieldValue != "No" {
		t.Errorf("got %+v", got[1].Item)
	}
}
