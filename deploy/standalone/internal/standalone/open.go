package standalone

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rectohq/recto/deploy/standalone/internal/datadir"
	"github.com/rectohq/recto/gateway"
)

// runningURL returns the URL of the API of the program that runs on the data folder, without
// /v2.
func runningURL(f Flags) (string, error) {
	dir, err := datadir.Find(f.Data)
	if err != nil {
		return "", err
	}
	running, err := dir.Running()
	if err == nil && running.APIURL == "" {
		err = fmt.Errorf("no Recto runs on %s; start one with recto up", dir.Path())
	}
	return publicURL(running.APIURL), err
}

// publicURL returns the URL of an API without /v2.
func publicURL(apiURL string) string { return strings.TrimSuffix(apiURL, "/v2") }

// signInLink creates a link that signs in to the console with the API key in
// credentials.json. If there is none, or if it is no longer valid, it returns "".
func signInLink(ctx context.Context, dir datadir.Dir, publicURL string) (string, error) {
	credentials, err := dir.Published()
	if err != nil || credentials.APIKey == "" {
		return "", err
	}
	cfg, err := identityConfig(dir)
	if err != nil {
		return "", err
	}
	link, err := gateway.SignInLink(ctx, cfg, credentials.APIKey, publicURL)
	if errors.Is(err, gateway.ErrInvalidKey) {
		return "", nil
	}
	return link, err
}

// open returns the command that opens the console in a browser.
func open(f *Flags) *cobra.Command {
	var printOnly bool
	var addr string
	cmd := &cobra.Command{
		Use: "open", Short: "Open the console of the running Recto in a browser, signed in", Args: cobra.NoArgs, GroupID: run,
		Long: "Makes a link to the console of the Recto that runs on the data folder, prints it, and opens it in a browser if\n" +
			"there is one. The link signs in once, within 10 minutes, with the API key in credentials.json.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := findState(cmd.Context(), *f, addr)
			if s.ConsoleURL == "" {
				return err
			}
			dir, err := datadir.Find(f.Data)
			if err != nil {
				return err
			}
			link, err := signInLink(cmd.Context(), dir, publicURL(s.APIURL))
			if err != nil {
				return err
			}
			if link == "" {
				cmd.PrintErrln("There is no valid API key in credentials.json. Sign in with another API key.")
			}
			link = cmp.Or(link, s.ConsoleURL)
			fmt.Fprintln(cmd.OutOrStdout(), link)
			if !printOnly && !browse(cmd.Context(), link) {
				cmd.PrintErrln("There is no desktop here. Open this address in a browser.")
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&printOnly, "print", false, "only print the link")
	askedAddrFlag(cmd, &addr)
	return cmd
}

// browse opens an address in a desktop browser, and reports whether it could. It requires
// a desktop because without one xdg-open may start a text browser in the terminal.
func browse(ctx context.Context, address string) bool {
	if runtime.GOOS == "darwin" {
		return exec.CommandContext(ctx, "open", address).Run() == nil
	}
	if os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
		return false
	}
	return exec.CommandContext(ctx, "xdg-open", address).Run() == nil
}
