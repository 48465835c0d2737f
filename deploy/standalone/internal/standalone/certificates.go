package standalone

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/rectohq/recto/deploy/standalone/internal/authority"
)

// certificates returns the command that creates a certificate for a gateway deployed
// without one.
func certificates() *cobra.Command {
	var dir string
	var hosts []string
	cmd := &cobra.Command{
		Use: "certificates", Short: "Create a certificate for a gateway that runs on its own", GroupID: setUp,
		Long: "Creates a certificate for a gateway, and a certificate authority that signs it: ca.pem, which clients trust, and\n" +
			"server.pem and server-key.pem, which the gateway serves. Existing files are kept if they are valid for all hosts\n" +
			"and for 30 more days. recto up creates its own certificate and does not need this command.",
		Example: "certificates --dir /etc/recto/tls --host api.example.com,10.1.2.3",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			files, made, err := authority.Ensure(dir, hosts, time.Now())
			if err != nil {
				return err
			}
			w := cmd.OutOrStdout()
			if made {
				fmt.Fprintln(w, "A new authority is in", files.CA)
			}
			_, err = fmt.Fprintln(w, "The certificate is in", files.Certificate, "and its key in", files.Key)
			return err
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "./tls", "folder to write the files to")
	cmd.Flags().StringSliceVar(&hosts, "host", []string{"localhost", "127.0.0.1"}, "host names and addresses that clients connect to, separated by commas")
	_ = cmd.MarkFlagDirname("dir")
	return cmd
}
