package gateway

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"github.com/rectohq/recto/gateway/internal/identity"
	"github.com/rectohq/recto/libs/contract"
)

func jsonFlag(cmd *cobra.Command, asJSON *bool) {
	cmd.Flags().BoolVar(asJSON, "json", false, "print JSON")
}

// printJSON writes a value as indented JSON.
func printJSON(w io.Writer, v any) error {
	if err := json.MarshalWrite(w, v, jsontext.Multiline(true)); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	_, err := fmt.Fprintln(w)
	return err
}

// secretOutput is what keys create and keys rotate print.
type secretOutput struct {
	ID             string        `json:"id"`
	APIKey         string        `json:"api_key"`
	OrganizationID string        `json:"organization_id"`
	User           contract.User `json:"user"`
}

// printSecret writes a new key. Its secret cannot be shown again later.
func printSecret(w io.Writer, a identity.Account, secret string, asJSON bool) error {
	if asJSON {
		return printJSON(w, secretOutput{ID: a.Key.ID, APIKey: secret, OrganizationID: a.Organization.ID, User: a.User})
	}
	_, err := fmt.Fprintf(w, "key           %s\norganization  %s  %s\nuser          %s  %s  %s\nscopes        %s\nrate          %s\n\n%s\n\nThis key is not shown again.\n",
		a.Key.ID, a.Organization.ID, a.Organization.Name, a.User.ID, a.User.Email, a.User.Name, joined(a.Key.Scopes), a.Key.Rate, secret)
	return err
}

// printKeys writes keys without their secrets, as a table or as a JSON array.
func printKeys(w io.Writer, keys []identity.Key, asJSON bool) error {
	if asJSON {
		return printJSON(w, append([]identity.Key{}, keys...))
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "KEY\tORGANIZATION\tUSER\tSCOPES\tRATE\tCREATED\tEXPIRES\tLAST USED\tPEPPER")
	for _, k := range keys {
		ends := printTime(k.ExpiresAt)
		if k.Revoked {
			ends = "revoked " + ends
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n",
			k.ID, k.OrganizationID, k.UserID, joined(k.Scopes), k.Rate, printTime(k.CreatedAt), ends, printTime(k.LastUsedAt), k.PepperID)
	}
	return table.Flush()
}

// joined writes scopes as --scopes reads them.
func joined(scopes []contract.Scope) string {
	var text strings.Builder
	for i, s := range scopes {
		if i > 0 {
			text.WriteByte(',')
		}
		text.WriteString(string(s))
	}
	return text.String()
}

// printTime formats a time in UTC. The zero time is "never".
func printTime(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.Format(time.DateTime)
}

// userOutput is what users create and users list print.
type userOutput struct {
	contract.User  `json:",inline"`
	OrganizationID string `json:"organization_id"`
}

// printUsers writes the users of an organization, as a table or as JSON. The JSON is an
// object if single is set, and an array otherwise.
func printUsers(w io.Writer, o identity.Organization, users []contract.User, asJSON, single bool) error {
	out := []userOutput{}
	for _, u := range users {
		out = append(out, userOutput{User: u, OrganizationID: o.ID})
	}
	switch {
	case asJSON && single:
		return printJSON(w, out[0])
	case asJSON:
		return printJSON(w, out)
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "USER\tE-MAIL\tNAME\tORGANIZATION")
	for _, u := range users {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", u.ID, u.Email, u.Name, o.ID)
	}
	return table.Flush()
}
