package standalone

import (
	"crypto/tls"

	"github.com/spf13/cobra"

	"github.com/rectohq/recto/deploy/standalone/internal/authority"
	"github.com/rectohq/recto/deploy/standalone/internal/datadir"
	"github.com/rectohq/recto/gateway"
	"github.com/rectohq/recto/libs/config"
	"github.com/rectohq/recto/libs/job/jobcommand"
	"github.com/rectohq/recto/libs/runner"
	"github.com/rectohq/recto/services/annotation"
	"github.com/rectohq/recto/services/conversion"
	"github.com/rectohq/recto/services/insight"
)

// Command returns the command recto with all that is below it.
func Command() *cobra.Command {
	var f Flags
	root := &cobra.Command{
		Use: "recto", Short: "Recto stores agreements, converts them to PDF, and serves them over a REST API", Version: runner.Version,
		Long: "Recto stores agreements, converts them to PDF, and serves them over a REST API.\n\n" +
			"This program is all of it in one process. recto up starts it on a folder; nothing else is needed.",
	}
	root.PersistentFlags().StringVar(&f.Data, "data", "./recto-data", "folder of the data")
	root.AddCommand(up(&f), doctor(&f), health(&f), certificates(), version())
	load := func() (gateway.IdentityConfig, error) {
		dir, err := datadir.Find(f.Data)
		if err != nil {
			return gateway.IdentityConfig{}, err
		}
		secrets, err := dir.Secrets()
		return gateway.IdentityConfig{Database: dir.GatewayDatabase(), Peppers: secrets.Peppers}, err
	}
	root.AddCommand(gateway.Commands(load, nil)...)
	root.AddCommand(jobs(&f))
	return root
}

// jobs returns the command that looks after the jobs of all services.
func jobs(f *Flags) *cobra.Command {
	database := func(of func(datadir.Dir) string) func() (string, error) {
		return func() (string, error) {
			dir, err := datadir.Find(f.Data)
			return of(dir), err
		}
	}
	return jobcommand.New(
		conversion.Jobs(database(datadir.Dir.ConversionDatabase)), annotation.Jobs(database(datadir.Dir.AnnotationDatabase)),
		insight.Jobs(database(datadir.Dir.InsightDatabase)),
	)
}

// up returns the command that runs Recto. Its help lists the environment as
// well, which configures what has no flag.
func up(f *Flags) *cobra.Command {
	cmd := &cobra.Command{
		Use: "up", Short: "Run Recto until it is told to end", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return Up(cmd.Context(), *f, cmd.OutOrStdout()) },
	}
	addrFlags(cmd, f)
	cmd.Flags().StringVar(&f.MetricsAddr, "metrics-addr", "", "address of /metrics, /livez and /readyz in the clear (default: none)")
	cmd.Flags().StringVar(&f.Rate, "rate", "", "requests that the first key may make: N/min, or unlimited (default: 1000/min)")
	cmd.Flags().StringVar(&f.PublicURL, "public-url", "", "address of the API as clients write it, without /v2 (default: https:// and --addr)")
	cmd.Flags().StringVar(&f.ObjectsPublicURL, "objects-public-url", "", "address of uploads and downloads as clients write it (default: https:// and --objects-addr)")
	usage := cmd.UsageFunc()
	cmd.SetUsageFunc(func(c *cobra.Command) error {
		if err := usage(c); err != nil {
			return err
		}
		c.Println("\nEnvironment, beside what the program decides itself:")
		config.WriteHelp(c.OutOrStderr(), &Config{})
		return nil
	})
	return cmd
}

// addrFlags adds the addresses, which recto doctor looks at just as recto up
// listens on them.
func addrFlags(cmd *cobra.Command, f *Flags) {
	addrFlag(cmd, f)
	cmd.Flags().StringVar(&f.ObjectsAddr, "objects-addr", "127.0.0.1:8444", "address of uploads and downloads")
}

// addrFlag adds the address of the API alone.
func addrFlag(cmd *cobra.Command, f *Flags) {
	cmd.Flags().StringVar(&f.Addr, "addr", "127.0.0.1:8443", "address of the API")
}

// health returns the command that asks a running recto up on the same folder
// and address.
func health(f *Flags) *cobra.Command {
	cmd := runner.HealthCommand(func() (string, *tls.Config, error) {
		dir, err := datadir.Find(f.Data)
		if err != nil {
			return "", nil, err
		}
		roots, err := authority.Roots(dir.TLS())
		return "https://" + runner.Reachable(f.Addr), &tls.Config{RootCAs: roots}, err
	})
	addrFlag(cmd, f)
	return cmd
}

// doctor returns the command that looks at the machine.
func doctor(f *Flags) *cobra.Command {
	cmd := &cobra.Command{
		Use: "doctor", Short: "Look at what Recto needs of this machine, and say what to do", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return Doctor(cmd.Context(), *f, cmd.OutOrStdout()) },
	}
	addrFlags(cmd, f)
	return cmd
}

// version returns the command that prints the version.
func version() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: cobra.NoArgs,
		Run: func(cmd *cobra.Command, _ []string) { cmd.Println("recto", runner.Version) },
	}
}
