package standalone

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/rectohq/recto/deploy/standalone/internal/authority"
)

// certificates returns the command that makes a certificate for a gateway that
// is deployed where there is none yet.
func certificates() *cobra.Command {
	var dir string
	var hosts []string
	cmd := &cobra.Command{
		Use: "certificates", Short: "Make a certificate for a gateway, signed by an authority of its own, unless it is there",
		Long: "Makes ca.pem, which clients trust, and server.pem and server-key.pem, which the gateway serves, in a folder.\n" +
			"What is there is kept, as long as it is good for all hosts and for 30 days more.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			files, made, err := authority.Ensure(dir, hosts, time.Now())
			if err != nil {
				return err
			}
			if made {
				cmd.Println("A new authority is in", files.CA)
			}
			cmd.Println("The certificate is in", files.Certificate, "and its key in", files.Key)
			return nil
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "./tls", "folder of the certificate")
	cmd.Flags().StringSliceVar(&hosts, "host", []string{"localhost", "127.0.0.1"}, "names and addresses that clients write")
	return cmd
}
