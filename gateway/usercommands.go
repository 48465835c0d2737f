package gateway

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/rectohq/recto/gateway/internal/identity"
	"github.com/rectohq/recto/libs/contract"
)

// createUser returns the command users create.
func (c *commands) createUser() *cobra.Command {
	var organization, email, name string
	var asJSON bool
	cmd := &cobra.Command{
		Use: "create", Short: "Add a user to an organization, so that documents can refer to the user", Args: cobra.NoArgs,
		Long:    "Adds a user to an organization, so that documents can refer to the user. Creates the organization if it does not exist.",
		Example: "users create --organization Acme --email bob@acme.example --name Bob",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := refuseEmpty(cmd); err != nil {
				return err
			}
			return c.run(cmd, func(ctx context.Context, a *identity.Admin) error {
				o, u, err := a.CreateUser(ctx, organization, email, name)
				if err != nil {
					return err
				}
				return printUsers(cmd.OutOrStdout(), o, []contract.User{u}, asJSON, true)
			})
		},
	}
	cmd.Flags().StringVar(&organization, "organization", "", "name or id of the organization, which is created if it does not exist (default: the oldest one)")
	cmd.Flags().StringVar(&email, "email", "", "e-mail address of the user")
	cmd.Flags().StringVar(&name, "name", "", "full name of the user")
	jsonFlag(cmd, &asJSON)
	return cmd
}

// listUsers returns the command users list.
func (c *commands) listUsers() *cobra.Command {
	var organization string
	var asJSON bool
	cmd := &cobra.Command{
		Use: "list", Short: "List the users of an organization", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.run(cmd, func(ctx context.Context, a *identity.Admin) error {
				o, users, err := a.Users(ctx, organization)
				if err != nil {
					return err
				}
				return printUsers(cmd.OutOrStdout(), o, users, asJSON, false)
			})
		},
	}
	cmd.Flags().StringVar(&organization, "organization", "", "name or id of the organization (default: the oldest one)")
	jsonFlag(cmd, &asJSON)
	return cmd
}
