package standalone

import (
	"errors"
	"fmt"
	"net"
	"regexp"
	"time"

	"github.com/spf13/cobra"

	"github.com/rectohq/recto/deploy/standalone/internal/authority"
	"github.com/rectohq/recto/libs/runner"
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
			if err := checkHosts(hosts); err != nil {
				return err
			}
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

// hostName matches the names of hosts. Some, such as those of containers, have underscores.
var hostName = regexp.MustCompile(`^([0-9A-Za-z_]([0-9A-Za-z_-]{0,61}[0-9A-Za-z_])?\.)*[0-9A-Za-z_]([0-9A-Za-z_-]{0,61}[0-9A-Za-z_])?$`)

// maxHostName is the length of the longest host name, in bytes.
const maxHostName = 253

// checkHosts returns an error unless hosts are names and addresses of hosts.
func checkHosts(hosts []string) error {
	if len(hosts) == 0 {
		return runner.Usage(errors.New("--host must name at least one host"))
	}
	for _, host := range hosts {
		if net.ParseIP(host) == nil && (len(host) > maxHostName || !hostName.MatchString(host)) {
			return runner.Usage(fmt.Errorf("--host: %q is not the name or IP address of a host, such as api.example.com or 10.1.2.3", host))
		}
	}
	return nil
}
