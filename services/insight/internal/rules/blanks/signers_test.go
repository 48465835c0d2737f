package blanks_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/rules/blanks"
	"github.com/rectohq/recto/services/insight/internal/rules/parties"
	"github.com/rectohq/recto/services/insight/internal/rules/rulestest"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// signed returns each field of a text with the index of its signer: "Title@1", or "Fee@"
// for a field outside the signature blocks. It checks that index and id refer to the same
// signer.
func signed(t *testing.T, d *structure.Document) string {
	t.Helper()
	signers := parties.Signers(d)
	var all []string
	for _, f := range blanks.Find(d) {
		label, at := "", ""
		if f.Item.FieldLabel != nil {
			label = *f.Item.FieldLabel
		}
		if i := f.Item.SignerIndex; i != nil {
			at = fmt.Sprint(*i)
			if s := signers[*i].Item; *s.SignerIndex != *i || s.SignerID != f.Item.SignerID {
				t.Errorf("%s has signer index %d and id %q, but that signer is %+v", label, *i, f.Item.SignerID, s)
			}
		} else if f.Item.SignerID != "" {
			t.Errorf("%s has signer id %q without an index", label, f.Item.SignerID)
		}
		all = append(all, label+"@"+at)
	}
	return strings.Join(all, " ")
}

func TestFieldsOfSigners(t *testing.T) {
	fee := "The Client shall pay a fee of: ____________ each month.\n\nName of the project: ____________\n\n"
	for name, tc := range map[string]struct{ text, want string }{
		"one after the other": {
			fee + "NORDEN PUMPS LTD\n\nBy: ____________\nName: ____________\nTitle: ____________\nDate: ____________\n\nSUDEN FARMS INC.\n\nBy: ____________\nName: ____________\nEmail: ____________\n",
			"The Client shall pay a fee of@ Name of the project@ By@0 Name@0 Title@0 Date@0 By@1 Name@1 Email@1",
		},
		"side by side": {
			"NORDEN PUMPS LTD              SUDEN FARMS INC.\n\nBy: ______________            By: ______________\nName: ____________            Name: ____________\nDate: ____________            Date: ____________\n",
			"By@0 By@1 Name@0 Name@1 Date@0 Date@1",
		},
		"a name already filled in": {"NORDEN PUMPS LTD\n\nBy: ____________\nName: Ada Kern\nTitle: ____________\nAddress: ____________\n", "By@0 Title@0 Address@0"},
		"captions below lines":     {"NORDEN PUMPS LTD\n\nBy: ____________\nName: Ada Kern\n\n____________\nDate\n", "By@0 Date@0"},
		"parties to fill in": {
			"Agreed.\n\nCompany Name: ____________\n\nSignature: ____________\nName: ____________\nCompany: ____________\nDate: ____________\n",
			"Company Name@0 Signature@0 Name@0 Company@0 Date@0",
		},
		"no block": {fee, "The Client shall pay a fee of@ Name of the project@"},
		"a witness": {
			"NORDEN PUMPS LTD\n\nBy: ____________\nName: Ada Kern\n\nIn the presence of:\n\nSignature: ____________\nName: ____________\n",
			"By@0 Signature@ Name@",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := signed(t, rulestest.Read(tc.text)); got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
}

// grid returns a table with labels in its first column and a column for each party.
func grid(rows ...[]string) *structure.Document {
	d := &layout.Document{}
	for i, row := range rows {
		for j, cell := range row {
			start := len(d.Text)
			d.Text += cell + "\n"
			d.Blocks = append(d.Blocks, layout.Block{Span: layout.Span{Start: start, End: start + len(cell)}, Cell: layout.Cell{Table: 1, Row: i, Column: j}})
		}
	}
	return structure.Read(d)
}

// TestFieldsOfSignersInTables shows that an empty cell belongs to the signer of its
// column or of its label.
func TestFieldsOfSignersInTables(t *testing.T) {
	columns := grid([]string{"", "PROVIDER", "CUSTOMER"}, []string{"Signature", "", ""}, []string{"Print Name", "[Name of A]", ""}, []string{"Notice Address", "", ""}, []string{"Date", "", ""})
	beside := grid([]string{"NORDEN PUMPS LTD", "", "SUDEN FARMS INC.", ""}, []string{"By:", "", "By:", ""}, []string{"Name:", "", "Name:", ""})
	for name, tc := range map[string]struct {
		d    *structure.Document
		want map[[2]int]string // by row and column
	}{
		"a column for each party": {columns, map[[2]int]string{
			{1, 1}: "signer-1", {1, 2}: "signer-2", {2, 1}: "signer-1", {2, 2}: "signer-2", {3, 1}: "signer-1", {3, 2}: "signer-2", {4, 1}: "signer-1", {4, 2}: "signer-2",
		}},
		"labels beside cells": {beside, map[[2]int]string{{1, 1}: "signer-1", {1, 3}: "signer-2", {2, 1}: "signer-1", {2, 3}: "signer-2"}},
	} {
		blocks := parties.NewBlocks(tc.d)
		for _, b := range tc.d.Blocks {
			want, ok := tc.want[[2]int{b.Cell.Row, b.Cell.Column}]
			if !ok {
				continue
			}
			var f insightapi.Field
			if blocks.Sign(&f, b.Span); f.SignerID != want {
				t.Errorf("%s: row %d, column %d: got the signer %q, want %q", name, b.Cell.Row, b.Cell.Column, f.SignerID, want)
			}
		}
	}
}

// TestFieldsWithoutSigner shows that an invalid span, or one that crosses blocks, has no
// signer.
func TestFieldsWithoutSigner(t *testing.T) {
	d := rulestest.Read("NORDEN PUMPS LTD\n\nBy: ____________\nName: Ada Kern\n\nSUDEN FARMS INC.\n\nBy: ____________\nName: Bo Lund\n")
	blocks := parties.NewBlocks(d)
	for _, s := range []layout.Span{{Start: -1, End: -1}, {Start: 5, End: 2}, {Start: 0, End: len(d.Text) + 1}, {Start: strings.Index(d.Text, "By"), End: strings.Index(d.Text, "Bo Lund") + 7}} {
		var f insightapi.Field
		if blocks.Sign(&f, s) || f.SignerIndex != nil || f.SignerID != "" {
			t.Errorf("%+v: got the signer %q, want none", s, f.SignerID)
		}
	}
}
