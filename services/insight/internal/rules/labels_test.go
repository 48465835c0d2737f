package rules_test

import (
	"testing"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/rules"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// pairs returns the structure of a table of labels and values.
func pairs(texts ...string) *structure.Document {
	d := &layout.Document{}
	for i, text := range texts {
		d.Blocks = append(d.Blocks, layout.Block{Span: layout.Span{Start: len(d.Text), End: len(d.Text) + len(text)}, Cell: layout.Cell{Table: 1, Row: i / 2, Column: i % 2}})
		d.Text += text + "\n"
	}
	return structure.Read(d)
}

func TestLabelsOfDates(t *testing.T) {
	for name, d := range map[string]*structure.Document{
		"cells": pairs("Effective Date", "February 1, 2024", "Expiration Date", "January 31, 2026"),
		"lines": read("ORDER FORM\n\nEffective Date\n\nFebruary 1, 2024\n\nExpiration Date\n\nJanuary 31, 2026\n"),
	} {
		got := map[string]string{}
		for _, f := range rules.Dates(d) {
			got[f.Item.DateType] = f.Item.DateValue
		}
		if got["effective"] != "2024-02-01" || got["expiration"] != "2026-01-31" {
			t.Errorf("%s: got %v", name, got)
		}
	}
	for _, f := range rules.Dates(read("TERMS\n\nThe seller delivers at the expiration date that the order form gives for it.\n\nJanuary 31, 2026\n")) {
		if f.Item.DateType == "expiration" {
			t.Error("a sentence is the label of the date below it")
		}
	}
}

func TestLabelsOfValues(t *testing.T) {
	for name, d := range map[string]*structure.Document{
		"cells": pairs("Monthly Rent", "$4,750.00", "Contract Sum Limit", "$100,000", "Sponsorship", "$12,000"),
		"lines": read("ORDER FORM\n\nMonthly Rent\n\n$4,750.00\n\nContract Sum Limit:\n$100,000\n\nSponsorship\n\n$12,000\n"),
	} {
		got := map[float64]string{}
		for _, f := range rules.Values(d, rules.Rates{}) {
			got[f.Item.ContractValue] = f.Item.ContractValueType + ": " + f.Item.ContractValueLabel
		}
		if got[4750] != "rent: Monthly rent" || got[12000] != "other: Sponsorship" {
			t.Errorf("%s: got %v", name, got)
		}
	}
	d := read("ORDER FORM\n\nEnd\n\n1 March 2024\n\n$12,000\n")
	if got := rules.Values(d, rules.Rates{}); len(got) != 1 || got[0].Item.ContractValueLabel == "March 2024" {
		t.Errorf("got %+v", got)
	}
}
