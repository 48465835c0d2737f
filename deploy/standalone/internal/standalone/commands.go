package standalone

import (
	"cmp"
	"crypto/tls"

	"github.com/spf13/cobra"

	"github.com/rectohq/recto/deploy/standalone/internal/authority"
	"github.com/rectohq/recto/deploy/standalone/internal/datadir"
	"github.com/rectohq/recto/gateway"
	"github.com/rectohq/recto/libs/job/jobcommand"
	"github.com/rectohq/recto/libs/runner"
	"github.com/rectohq/recto/services/annotation"
	"github.com/rectohq/recto/services/conversion"
	"github.com/rectohq/recto/services/insight"
)

// The groups of commands in the help of recto.
const (
	run        = "run"
	administer = "administer"
	setUp      = "set up"
)

// Command returns the command recto with its subcommands.
func Command() *cobra.Command {
	var f Flags
	root := &cobra.Command{
		Use: "recto", Short: "Recto stores agreements, converts them to PDF, and serves them over a REST API", Version: runner.Version,
		Long: "Recto stores agreements, fills their fields, converts them to PDF, and serves them over a REST API.\n\n" +
			"This program runs all of Recto in one process. recto up starts it on a folder; it needs nothing else.",
	}
	root.SetUsageFunc(func(cmd *cobra.Command) error {
		runner.PrintUsage(cmd)
		return nil
	})
	root.PersistentFlags().StringVar(&f.Data, "data", "./recto-data", "data folder")
	_ = root.MarkPersistentFlagDirname("data")
	root.AddGroup(
		&cobra.Group{ID: run, Title: "Run Recto:"}, &cobra.Group{ID: administer, Title: "Administer Recto, whether or not it runs:"},
		&cobra.Group{ID: setUp, Title: "Check and prepare the machine:"},
	)
	root.AddCommand(up(&f), status(&f), open(&f), health(&f), doctor(&f), certificates(), runner.VersionCommand(), backupCommand(&f), restoreCommand(&f))
	load := func() (gateway.IdentityConfig, error) {
		dir, err := datadir.Find(f.Data)
		if err != nil {
			return gateway.IdentityConfig{}, err
		}
		return identityConfig(dir)
	}
	address := func() (string, error) { return runningURL(f) }
	for _, cmd := range append(gateway.Commands(load, address, nil), jobs(&f), insight.Usage(database(&f, datadir.Dir.InsightDatabase))) {
		cmd.GroupID = administer
		root.AddCommand(cmd)
	}
	return root
}

// identityConfig returns the configuration of the key store of a data folder.
func identityConfig(dir datadir.Dir) (gateway.IdentityConfig, error) {
	secrets, err := dir.Secrets()
	return gateway.IdentityConfig{Database: dir.GatewayDatabase(), Peppers: secrets.Peppers}, err
}

// jobs returns the command that manages the jobs of all services.
func jobs(f *Flags) *cobra.Command {
	return jobcommand.New(
		conversion.Jobs(database(f, datadir.Dir.ConversionDatabase)), annotation.Jobs(database(f, datadir.Dir.AnnotationDatabase)),
		insight.Jobs(database(f, datadir.Dir.InsightDatabase)),
	)
}

// database returns a function that returns the path of a database in the data folder.
func database(f *Flags, of func(datadir.Dir) string) func() (string, error) {
	return func() (string, error) {
		dir, err := datadir.Find(f.Data)
		return of(dir), err
	}
}

// up returns the command that runs Recto.
func up(f *Flags) *cobra.Command {
	cmd := &cobra.Command{
		Use: "up", Short: "Run Recto until SIGTERM or SIGINT (Ctrl-C)", Args: cobra.NoArgs, GroupID: run,
		Long: "Runs Recto until SIGTERM or SIGINT (Ctrl-C). The first start creates the data folder, a certificate, an\n" +
			"organization, a user and an API key, and prints how to use them.",
		Example:    "up\nup --data /srv/recto --addr 0.0.0.0:8443 --objects-addr 0.0.0.0:8444 \\\n  --public-url https://recto.example.com:8443 --objects-public-url https://recto.example.com:8444",
		SuggestFor: []string{"start", "run", "serve"},
		RunE:       func(cmd *cobra.Command, _ []string) error { return Up(cmd.Context(), *f, cmd.OutOrStdout()) },
	}
	addrFlags(cmd, f)
	cmd.Flags().StringVar(&f.MetricsAddr, "metrics-addr", "", "address to serve /metrics, /livez and /readyz on, over plain HTTP (default: none)")
	cmd.Flags().StringVar(&f.Rate, "rate", "", "rate limit of the API key created at the first start: N/min, or unlimited (default: 1000/min)")
	cmd.Flags().StringVar(&f.PublicURL, "public-url", "", "URL of the API as clients use it, without /v2 (default: https:// and --addr)")
	cmd.Flags().StringVar(&f.ObjectsPublicURL, "objects-public-url", "", "URL of uploads and downloads as clients use it (default: https:// and --objects-addr)")
	cmd.Flags().StringVar(&f.CORSOrigins, "cors-origins", "", "origins whose web pages may use the API, uploads and downloads, separated by commas, for example https://app.example.com; * allows every origin (default: none)")
	cmd.SetUsageFunc(upUsage)
	return cmd
}

// defaultAddr is the default address of the API.
const defaultAddr = "127.0.0.1:8443"

// addrFlags adds the addresses that recto up listens on and that recto doctor checks.
func addrFlags(cmd *cobra.Command, f *Flags) {
	cmd.Flags().StringVar(&f.Addr, "addr", defaultAddr, "address to serve the API on")
	cmd.Flags().StringVar(&f.ObjectsAddr, "objects-addr", "127.0.0.1:8444", "address to serve uploads and downloads on")
}

// health returns the command that checks the recto up that runs on the data folder.
func health(f *Flags) *cobra.Command {
	var addr string
	cmd := runner.HealthCommand(func() (string, *tls.Config, error) {
		dir, err := datadir.Find(f.Data)
		if err != nil {
			return "", nil, err
		}
		running, err := dir.Running()
		if err != nil {
			return "", nil, err
		}
		roots, err := authority.Roots(dir.TLS())
		// Before its announcement, a program that is starting may answer at the default.
		return "https://" + runner.Reachable(cmp.Or(addr, running.Addr, defaultAddr)), &tls.Config{RootCAs: roots}, err
	})
	cmd.GroupID = run
	askedAddrFlag(cmd, &addr)
	return cmd
}

// doctor returns the command that checks the machine.
func doctor(f *Flags) *cobra.Command {
	cmd := &cobra.Command{
		Use: "doctor", Short: "Check that this machine has what Recto needs, and say how to fix what is missing", Args: cobra.NoArgs, GroupID: setUp,
		Long: "Checks that this machine has what Recto needs, and says how to fix what is missing. If Recto runs on the data folder,\n" +
			"it checks the addresses that Recto listens on, unless flags name others.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			flags, err := runningFlags(*f, cmd.Flags().Changed)
			if err != nil {
				return err
			}
			return Doctor(cmd.Context(), flags, cmd.OutOrStdout())
		},
	}
	addrFlags(cmd, f)
	return cmd
}

// runningFlags returns the flags with the addresses of the Recto that runs on the data folder,
// except those that the command line sets.
func runningFlags(f Flags, set func(flag string) bool) (_ Flags, err error) {
	var running datadir.Running
	if dir, missing := datadir.Find(f.Data); missing == nil {
		running, err = dir.Running()
	}
	if !set("addr") {
		f.Addr = cmp.Or(running.Addr, f.Addr)
	}
	if !set("objects-addr") {
		f.ObjectsAddr = cmp.Or(running.ObjectsAddr, f.ObjectsAddr)
	}
	return f, err
}
