package usagecommand

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"

	"github.com/go-json-experiment/json"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/services/insight/internal/llm/ledger"
)

// line is how much of a model an organization used on a day.
type line struct {
	Day            string `json:"day"`
	OrganizationID string `json:"organization_id"`
	Model          string `json:"model"`
	insightapi.Tokens
	// CostUSD is the price in US dollars, nil if no prices were configured.
	CostUSD *float64 `json:"cost_usd"`
}

// newLines returns the lines for an account, by model.
func newLines(a ledger.Account) (lines []line) {
	for _, model := range slices.Sorted(maps.Keys(a.Models)) {
		u := a.Models[model]
		lines = append(lines, line{Day: a.Period, OrganizationID: a.Organization, Model: model, Tokens: u.Tokens, CostUSD: u.CostUSD()})
	}
	return lines
}

// printJSON writes a line of JSON for each line.
func printJSON(w io.Writer, lines []line) error {
	for _, l := range lines {
		data, err := json.Marshal(l)
		if err == nil {
			_, err = fmt.Fprintf(w, "%s\n", data)
		}
		if err != nil {
			return fmt.Errorf("print: %w", err)
		}
	}
	return nil
}

// printTable writes the lines as a table, with their sum at its end.
func printTable(w io.Writer, lines []line) error {
	if len(lines) == 0 {
		_, err := fmt.Fprintln(w, "No language model was used.")
		return err
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "DAY\tORGANIZATION\tMODEL\tREQUESTS\tINPUT\tCACHED\tOUTPUT\tUSD")
	total := line{Day: "total"}
	for _, l := range lines {
		l.print(table)
		total.Tokens = total.Tokens.Plus(l.Tokens)
		if l.CostUSD != nil {
			total.CostUSD = new(*l.CostUSD + value(total.CostUSD))
		}
	}
	total.print(table)
	return table.Flush()
}

// print writes the line as the row of a table.
func (l line) print(w io.Writer) {
	cost := "-"
	if l.CostUSD != nil {
		cost = fmt.Sprintf("%.4f", *l.CostUSD)
	}
	fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%d\t%d\t%d\t%s\n", l.Day, l.OrganizationID, l.Model, l.Requests, l.InputTokens, l.CachedTokens, l.OutputTokens, cost)
}

// value returns a cost, 0 if there is none.
func value(cost *float64) float64 {
	if cost == nil {
		return 0
	}
	return *cost
}
