package fields_test

import (
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/fields"
)

func TestParseType(t *testing.T) {
	for _, want := range fields.Types() {
		for _, s := range []string{string(want), strings.ToUpper(string(want)), want.InsightName(), strings.ToLower(want.InsightName())} {
			if got, ok := fields.ParseType(s); !ok || got != want {
				t.Errorf("%s: got %q, %v, want %q", s, got, ok, want)
			}
		}
	}
	for s, want := range map[string]fields.Type{
		"TEXTINPUT": fields.Text, "SELECT": fields.Dropdown, "CHECKBOXINPUT": fields.Checkbox, "SELECTINPUT": fields.Dropdown,
		"company_name": fields.Company, "Free Text": fields.Text, "NAMEINPUT": fields.Name, "drop-down": fields.Dropdown,
		"IMAGETEXTINPUT": fields.Image, "checktext": fields.Checkbox, "FREETEXT": fields.Text,
	} {
		if got, ok := fields.ParseType(s); !ok || got != want {
			t.Errorf("%s: got %q, %v, want %q", s, got, ok, want)
		}
	}
	for _, s := range []string{"", "input", "names", "xname", strings.Repeat("_", 65) + "name", "namé"} {
		if got, ok := fields.ParseType(s); ok {
			t.Errorf("%q: got %q", s, got)
		}
	}
}

func TestInsightNames(t *testing.T) {
	seen := map[string]fields.Type{}
	for _, typ := range fields.Types() {
		name := typ.InsightName()
		if other, twice := seen[name]; twice || !strings.HasSuffix(name, "INPUT") {
			t.Errorf("%s has the insight name %q, like %q", typ, name, other)
		}
		seen[name] = typ
	}
	if fields.Checkbox.InsightName() != "CHECKTEXTINPUT" || fields.Date.InsightName() != "DATEINPUT" || fields.Type("x").InsightName() != "" {
		t.Error("a documented insight name has changed")
	}
}

func TestValidID(t *testing.T) {
	for id, want := range map[string]bool{
		"agreementinput-a": true, "agreementinput-0f3-12_Z": true, "agreementinput--": true,
		"agreementinput-" + strings.Repeat("x", 200): true, "agreementinput-" + strings.Repeat("x", 201): false,
		"agreementinput-": false, "agreementinput": false, "Agreementinput-a": false, "agreementinput-é": false,
		"agreementinput-a b": false, "agreementinput-a.b": false, " agreementinput-a": false, "": false, "agreementinput-a\n": false,
	} {
		if got := fields.ValidID(id); got != want {
			t.Errorf("%q: got %v", id, got)
		}
	}
}
