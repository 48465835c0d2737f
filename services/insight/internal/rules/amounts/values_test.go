package amounts_test

import (
	"testing"

	"github.com/rectohq/recto/services/insight/internal/rules/amounts"
	"github.com/rectohq/recto/services/insight/internal/rules/rulestest"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

func TestLabelsOfValues(t *testing.T) {
	for name, d := range map[string]*structure.Document{
		"cells": rulestest.Pairs("Monthly Rent", "$4,750.00", "Contract Sum Limit", "$100,000", "Sponsorship", "$12,000"),
		"lines": rulestest.Read("ORDER FORM\n\nMonthly Rent\n\n$4,750.00\n\nContract Sum Limit:\n$100,000\n\nSponsorship\n\n$12,000\n"),
	} {
		got := map[float64]string{}
		for _, f := range amounts.Values(d, amounts.Rates{}) {
			got[f.Item.ContractValue] = f.Item.ContractValueType + ": " + f.Item.ContractValueLabel
		}
		if got[4750] != "rent: Monthly rent" || got[12000] != "other: Sponsorship" {
			t.Errorf("%s: got %v", name, got)
		}
	}
	d := rulestest.Read("ORDER FORM\n\nEnd\n\n1 March 2024\n\n$12,000\n")
	if got := amounts.Values(d, amounts.Rates{}); len(got) != 1 || got[0].Item.ContractValueLabel == "March 2024" {
		t.Errorf("got %+v", got)
	}
}

func TestUnknownRate(t *testing.T) {
	got := amounts.Values(rulestest.Read("The price is TWD 500 for each unit.\n"), amounts.ReferenceRates())
	if len(got) != 1 || got[0].Item.Currency != "TWD" || got[0].Item.ContractValueUSD != nil {
		t.Errorf("got %+v, want no value in dollars", got)
	}
}
