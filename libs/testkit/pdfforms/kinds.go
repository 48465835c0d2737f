package pdfforms

import (
	"fmt"
	"strings"
)

// kinds writes the fields of EveryKind.
type kinds struct {
	*file
	grid
}

// EveryKind returns a form of one page with a field of every kind. The comments of its
// parts list the names.
func EveryKind() []byte { return everyKind().bytes() }

// EveryKindInStreams returns the same as EveryKind, with objects in an object stream and a
// cross-reference stream.
func EveryKindInStreams() []byte { return everyKind().compact() }

func everyKind() *file {
	f := newFile()
	k := &kinds{file: f, grid: grid{p: f.page(""), columns: 2, height: 28}}
	k.texts()
	k.borders()
	k.buttons()
	k.choices()
	k.formatted()
	k.others()
	return f
}

// simple adds a field that is as wide as the column.
func (k *kinds) simple(name, entries string) {
	k.field(k.p, k.place(strings.ReplaceAll(name, "_", " "), 150), name, entries)
}

// texts adds text_left, text_center, text_right, text_multiline, text_comb (of 9 cells),
// text_auto (without a font size), text_password, text_limited (at most 10 characters),
// text_value (with a value and its appearance), text_read_only and text_required.
func (k *kinds) texts() {
	for i, alignment := range []string{"left", "center", "right"} {
		k.simple("text_"+alignment, fmt.Sprintf("/FT/Tx/Q %d", i))
	}
	k.simple("text_multiline", fmt.Sprintf("/FT/Tx/Ff %d/DA(/Helv 6 Tf 0 g)", multiline))
	k.simple("text_comb", fmt.Sprintf("/FT/Tx/Ff %d/MaxLen 9/MK<</BC[0]>>", comb))
	k.simple("text_auto", "/FT/Tx/DA(/Helv 0 Tf 0 0 1 rg)")
	k.simple("text_password", fmt.Sprintf("/FT/Tx/Ff %d", password))
	k.simple("text_limited", "/FT/Tx/MaxLen 10/TU(At most ten characters)")
	r := k.place("text value", 150)
	k.field(k.p, r, "text_value", "/FT/Tx/V(Old value)/DV(Default value)"+k.shown(r, "Old value"))
	k.simple("text_read_only", fmt.Sprintf("/FT/Tx/Ff %d/V(Fixed)", readOnly))
	k.simple("text_required", fmt.Sprintf("/FT/Tx/Ff %d", required))
}

// borders adds text fields with borders and backgrounds: border_solid, border_dashed,
// border_beveled, border_inset, border_underline, and rotated_90, rotated_180 and
// rotated_270, whose text is rotated in its widget.
func (k *kinds) borders() {
	for i, style := range []string{"solid", "dashed", "beveled", "inset", "underline"} {
		k.simple("border_"+style, fmt.Sprintf("/FT/Tx/MK<</BC[0 0.4 0.8]/BG[0.9 0.95 1]>>/BS<</Type/Border/W %d/S/%s/D[3 2]>>", 1+i%2, "SDBIU"[i:i+1]))
	}
	for _, degrees := range []int{90, 180, 270} {
		k.simple(fmt.Sprintf("rotated_%d", degrees), fmt.Sprintf("/FT/Tx/MK<</R %d/BC[0]>>/DA(/Helv 6 Tf 0 g)", degrees))
	}
}

// buttons adds the checkboxes check_yes (with appearances, state Yes), check_bare (without
// appearances), and check_opt (two widgets, whose export values are in /Opt), and the
// radio buttons radio_size (states small, medium and large), radio_bare (two widgets
// without appearances) and radio_opt (states 0 to 2, two of them with the same export
// value, in unison).
func (k *kinds) buttons() {
	r := k.place("check yes", 14)
	k.field(k.p, r, "check_yes", "/FT/Btn/V/Off/AS/Off/MK<</CA(4)/BC[0]>>"+k.mark(r, "Yes"))
	k.field(k.p, k.place("check bare", 14), "check_bare", "/FT/Btn/MK<</CA(8)/BC[0]>>/DA(/ZaDb 0 Tf 0 g)")
	k.set("check_opt", "/FT/Btn/V/Off"+options("Newsletter", "Offers"), "0", "1")
	k.set("radio_size", fmt.Sprintf("/FT/Btn/Ff %d/V/medium", radio|noToggleToOff), "small", "medium", "large")
	k.set("radio_bare", fmt.Sprintf("/FT/Btn/Ff %d", radio|noToggleToOff), "", "")
	k.set("radio_opt", fmt.Sprintf("/FT/Btn/Ff %d/V/Off%s", radio|noToggleToOff|radiosInUnison, options("Germany", "France", "Germany")), "0", "1", "2")
}

// set adds a field with a widget for each state. Widgets of the state "" have no
// appearance. The state that the entries select is on.
func (k *kinds) set(name, entries string, states ...string) {
	field, first := k.reserve(), k.place(strings.ReplaceAll(name, "_", " "), 14)
	var kids []int
	for i, state := range states {
		r := first
		r.x += float64(i) * 30
		own := fmt.Sprintf("/Parent %d 0 R/MK<</BC[0]>>", field)
		if state != "" {
			on := "Off"
			if strings.Contains(entries, "/V/"+state) {
				on = state
			}
			own += "/AS/" + on + k.mark(r, state)
		}
		kids = append(kids, k.widget(k.p, r, own))
	}
	k.parent(field, name, entries, kids...)
}

// choices adds the dropdowns drop_plain (Red, Green, Blue), drop_pairs (export values DE,
// FR and IT) and drop_editable, and the lists list_single and list_multiple (One, Two and
// Three).
func (k *kinds) choices() {
	k.simple("drop_plain", fmt.Sprintf("/FT/Ch/Ff %d/V(Green)%s", combo, options("Red", "Green", "Blue")))
	k.simple("drop_pairs", fmt.Sprintf("/FT/Ch/Ff %d%s", combo, options("DE=Germany", "FR=France", "IT=Italy")))
	k.simple("drop_editable", fmt.Sprintf("/FT/Ch/Ff %d%s", combo|editable, options("Red", "Green", "Blue")))
	small := "/DA(/Helv 6 Tf 0 g)"
	k.simple("list_single", "/FT/Ch/V(Two)/I[1]"+small+options("One", "Two", "Three"))
	k.simple("list_multiple", fmt.Sprintf("/FT/Ch/Ff %d/V[(1)(3)]/I[0 2]%s%s", multiSelect, small, options("1=One", "2=Two", "3=Three")))
}

// formatted adds text fields with scripts: date_us ("mm/dd/yyyy"), date_de ("dd.mm.yyyy"),
// amount (a number with two decimals), ssn, phone, zip, and total, which is the sum of
// amount and zip.
func (k *kinds) formatted() {
	k.simple("date_us", "/FT/Tx"+formats("AFDate", `"mm/dd/yyyy"`))
	k.simple("date_de", "/FT/Tx"+formats("AFDate", `"dd.mm.yyyy"`))
	k.simple("amount", "/FT/Tx/Q 2"+formats("AFNumber", `2, 0, 0, 0, "$", true`))
	k.simple("ssn", "/FT/Tx"+formats("AFSpecial", "3"))
	k.simple("phone", "/FT/Tx"+formats("AFSpecial", "2"))
	k.simple("zip", "/FT/Tx"+formats("AFSpecial", "0"))
	k.simple("total", fmt.Sprintf("/FT/Tx/Ff %d/AA<</C%s>>", readOnly, script(`AFSimple_Calculate("SUM", new Array("amount", "zip"));`)))
	k.form += "/CO" + refs(k.fields[len(k.fields)-1:])
}

// others adds picture (a push button that takes a picture), reset (a push button with
// another action) and signature (not signed).
func (k *kinds) others() {
	k.simple("picture", fmt.Sprintf("/FT/Btn/Ff %d/MK<</TP 1/BC[0]>>/A%s", pushButton, script("event.target.buttonImportIcon();")))
	k.simple("reset", fmt.Sprintf("/FT/Btn/Ff %d/MK<</CA(Reset)/BG[0.8]>>/A<</S/ResetForm>>", pushButton))
	k.simple("signature", "/FT/Sig")
}
