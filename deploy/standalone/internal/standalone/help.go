package standalone

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/rectohq/recto/deploy/standalone/internal/authority"
	"github.com/rectohq/recto/deploy/standalone/internal/datadir"
	"github.com/rectohq/recto/libs/config"
	"github.com/rectohq/recto/libs/runner"
)

// upFlags are the flags of recto up, grouped as its help shows them.
func upFlags() []runner.FlagGroup {
	return []runner.FlagGroup{
		{Title: "Common flags:", Flags: []string{"data", "addr", "objects-addr"}},
		{Title: "Flags for clients on other machines:", Flags: []string{"public-url", "objects-public-url", "cors-origins"}},
	}
}

// upUsage prints the usage of recto up, with the environment variables for everything
// that has no flag.
func upUsage(cmd *cobra.Command) error {
	runner.PrintUsage(cmd, upFlags()...)
	sections := append([]config.Section{
		{Title: "Environment (gateway)", Prefixes: "GATEWAY_"},
		{Title: "Environment (documents)", Prefixes: "DOCUMENT_"},
		{Title: "Environment (conversion)", Prefixes: "CONVERSION_"},
		{Title: "Environment (fields and annotate)", Prefixes: "ANNOTATION_"},
		{Title: "Environment (insights)", Prefixes: "INSIGHT_"},
	}, runner.SharedSections()...)
	config.WriteHelp(cmd.OutOrStderr(), environment(), sections...)
	return nil
}

// environment returns the variables that configure recto up, with their defaults there.
// It leaves out variables that recto up sets itself, and those of servers that it embeds.
func environment() []config.Field {
	known := values(decided(datadir.Dir{}, Flags{}, authority.Files{}, datadir.Secrets{}))
	for _, name := range unlisted() {
		known[name] = ""
	}
	defaults := values(defaults())
	var fields []config.Field
	for _, f := range config.Fields(&Config{}) {
		if _, ok := known[f.Name]; ok {
			continue
		}
		if value, ok := defaults[f.Name]; ok {
			f.Default = value
		}
		fields = append(fields, f)
	}
	return fields
}

// unlisted returns variables of servers that recto up embeds.
func unlisted() []string {
	return strings.Fields("GATEWAY_REDIS_URL NATS_URL NATS_USER NATS_PASSWORD NATS_CREDENTIALS NATS_CA_FILE NATS_CERT_FILE NATS_KEY_FILE NATS_REPLICAS " +
		"S3_REGION S3_BUCKET S3_CREATE_BUCKET S3_PUBLIC_PATH_STYLE")
}

// values returns the variables by name.
func values(environ []string) map[string]string {
	byName := map[string]string{}
	for _, variable := range environ {
		name, value, _ := strings.Cut(variable, "=")
		byName[name] = value
	}
	return byName
}
