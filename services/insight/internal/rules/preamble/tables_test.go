package preamble_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/rules/preamble"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// tableOf returns a document with a title and a table. "|" separates the cells of a row.
func tableOf(rows ...string) *structure.Document {
	d := &layout.Document{Text: "AGREEMENT\n", Blocks: []layout.Block{{Span: layout.Span{End: len("AGREEMENT")}}}}
	for i, row := range rows {
		for c, cell := range strings.Split(row, "|") {
			for text := range strings.SplitSeq(cell, "\n") {
				d.Blocks = append(d.Blocks, layout.Block{
					Span: layout.Span{Start: len(d.Text), End: len(d.Text) + len(text)}, Cell: layout.Cell{Table: 1, Row: i, Column: c},
				})
				d.Text += text + "\n"
			}
		}
	}
	return structure.Read(d)
}

// TestLabelledInTables shows the parties in tables of key terms, with what other rows say about them.
func TestLabelledInTables(t *testing.T) {
	for name, c := range map[string]struct {
		rows []string
		want []string
	}{
		"a column for each party": {
			[]string{"|Party A|Party B", "Name|Alder Biosystems SARL|Birch Capital LLP", "Country of incorporation|France|United Kingdom", "Registered address|18 rue des Tanneurs, 69002 Lyon|5 Elm Row, London EC4M 7DX", "Contact|Ada Kern|Bo Lund"},
			[]string{"Alder Biosystems SARL|Party A||France|18 rue des Tanneurs, 69002 Lyon", "Birch Capital LLP|Party B||United Kingdom|5 Elm Row, London EC4M 7DX"},
		},
		"a row for each address": {
			[]string{"Vendor|Alder Software GmbH", "Vendor address|Elmufer 14, 13597 Berlin, Germany", "Freight Customer|Birch Freight Pty Ltd", "Customer's address|Level 4, 60 Eagle Street, Brisbane QLD 4000", "Currency|USD"},
			[]string{"Alder Software GmbH||Vendor||Elmufer 14, 13597 Berlin, Germany", "Birch Freight Pty Ltd||Freight Customer||Level 4, 60 Eagle Street, Brisbane QLD 4000"},
		},
		"addresses without the role": {
			[]string{"Seller|Alder Boats Ltd", "Address|1 Elm Quay, Hull HU1 1AA", "Buyer|Birch Tours Inc.", "Address|2 Fir Road, Dayton, Ohio 45402"},
			[]string{"Alder Boats Ltd||Seller||1 Elm Quay, Hull HU1 1AA", "Birch Tours Inc.||Buyer||2 Fir Road, Dayton, Ohio 45402"},
		},
		"lines of a cell": {
			[]string{"LESSOR|LESSEE", "Alder Maskin AS\nOrg. no. 918 220 417\nElmveien 8, 2406 Elverum, Norway|Birch Grus A/S\nOrg. no. 976 331 208\nFirgata 31, 2270 Flisa, Norway"},
			[]string{"Alder Maskin AS||LESSOR||Elmveien 8, 2406 Elverum, Norway", "Birch Grus A/S||LESSEE||Firgata 31, 2270 Flisa, Norway"},
		},
		"several parties in a cell": {
			[]string{"Landlord|Alder Estates Ltd, 7 Elm Plain, Norwich NR2 4SF", "Tenants|Ada Kern\nBo Lund"},
			[]string{"Alder Estates Ltd||Landlord||7 Elm Plain, Norwich NR2 4SF", "Ada Kern||Tenant", "Bo Lund||Tenant"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := tableOf(c.rows...)
			var got []string
			for _, p := range preamble.Labelled(d) {
				got = append(got, strings.TrimLeft(summary(d.Plain(p.Name), p), "*"))
			}
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}
