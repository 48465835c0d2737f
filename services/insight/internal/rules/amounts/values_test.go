package amounts_test

import (
	"slices"
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

// TestTypesOfValues shows that the words around an amount tell its type: "principal" is no loan where
// it is an adjective, public liability is insured, and an amount from which on a party is liable is
// no cap.
func TestTypesOfValues(t *testing.T) {
	for text, want := range map[string]string{
		"Alder shall repay the principal sum of $250,000 in May.":                                         "loan: Principal",
		"Alder shall repay the principal of $250,000 in May.":                                             "loan: Principal",
		"The principal office of Alder has an annual budget of $250,000.":                                 "budget: Annual budget",
		"Its principal instrument is a guitar of $250,000.":                                               "other: Amount",
		"Alder shall hold public liability cover of not less than $250,000.":                              "insurance: Hold public liability",
		"The Sellers shall not be liable for a claim unless it exceeds $250,000.":                         "other: Threshold for claims",
		"The most the Consultant can be liable for is $250,000, and she keeps insurance for that amount.": "cap: Liability cap",
		"The Licensor's total liability in contract, tort or otherwise arising in connection with this Licence shall be limited to the licence fees paid in the twelve months before the claim or $250,000.": "cap: Liability cap",
		"Alder's liability shall not exceed $250,000.": "cap: Alder's liability",
	} {
		got := amounts.Values(rulestest.Read(text+"\n"), amounts.Rates{})
		if len(got) != 1 || got[0].Item.ContractValueType+": "+got[0].Item.ContractValueLabel != want {
			t.Errorf("%q: got %+v, want %s", text, got, want)
		}
	}
}

func TestUnknownRate(t *testing.T) {
	got := amounts.Values(rulestest.Read("The price is TWD 500 for each unit.\n"), amounts.ReferenceRates())
	if len(got) != 1 || got[0].Item.Currency != "TWD" || got[0].Item.ContractValueUSD != nil {
		t.Errorf("got %+v, want no value in dollars", got)
	}
}

// TestColumns shows that prices in a table have the currency of its heading.
func TestColumns(t *testing.T) {
	for text, want := range map[string][]float64{
		"RATES (S$, before tax)\nBox, small     per week      6.80\nBox, large     per week  1,310.00\n\nVersion     2.10\n": {6.8, 1310},
		"NO  QTY  ITEM    UNIT CAD    EXT. CAD\n01  BOX     6,480.00    12,960.00\n              TOTAL   12,960.00\n":        {6480, 12960, 12960},
		"| Item | Price EUR |\n| Box | 38.50 |\n":            {38.5},
		"Item       £\nBox        1,310\nTotal      2,620\n": {1310, 2620},
		"Item       Qty\nBox        1,310\n":                 nil,
		"Boxes      metres\nSmall      6.80\n":               nil,
		"Sections   about prices\nFees       6.80\n":         nil,
		"THE PRICE OF ALL BOXES\nSmall      6.80 metres\n":   nil,
		"Rates in EUR\nSmall      EUR 6.80\n":                {6.8},
	} {
		var got []float64
		for _, f := range amounts.Values(rulestest.Read("The parties have met several times.\n\n"+text), amounts.Rates{}) {
			got = append(got, f.Item.ContractValue)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}

// TestHistory shows that what a party earned, raised or spent before the contract is no value
// of it.
func TestHistory(t *testing.T) {
	for text, want := range map[string]int{
		"Elm had a turnover of $6,000 in that year.":                   0,
		"Elm closed its second round of financing of $6,000 in May.":   0,
		"Elm has spent upwards of $6,000 on the boxes.":                0,
		"Oak pays the fees of the town, which were $600 in 2019.":      0,
		"This contract replaces our quote of May, which was for $600.": 0,
		"Oak shall pay $60 once Elm had sales of $6,000.":              2,
		"Elm shall have insurance with proceeds of $6,000.":            1,
		"The rent is $600.":               1,
		"Elm received a deposit of $600.": 1,
	} {
		if got := amounts.Values(rulestest.Read(text+"\n"), amounts.Rates{}); len(got) != want {
			t.Errorf("%q: got %+v, want %d amounts", text, got, want)
		}
	}
}
