package runner

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/rectohq/recto/libs/config"
)

// SharedSections returns the sections of a help text for the variables that all services
// have.
func SharedSections() []config.Section {
	return []config.Section{
		{Title: "Environment (logs, metrics and traces)", Prefixes: "LOG_ METRICS_ OTEL_"},
		{Title: "Environment (object store)", Prefixes: "OBJECTS_ S3_"},
		{Title: "Environment (NATS)", Prefixes: "NATS_"},
	}
}

// FlagGroup is a group of a command's flags in its help.
type FlagGroup struct {
	Title string
	// Flags are the names of the flags, the most used first.
	Flags []string
}

// PrintUsage prints the usage part of a command's help: its subcommands in their groups,
// its flags in the given groups, and then its other flags.
func PrintUsage(cmd *cobra.Command, groups ...FlagGroup) {
	w := cmd.OutOrStderr()
	fmt.Fprintln(w, "Usage:")
	if cmd.Runnable() && cmd.Annotations[groupAnnotation] == "" {
		fmt.Fprintln(w, " ", cmd.UseLine())
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintln(w, " ", cmd.CommandPath(), "[command]")
	}
	printExamples(w, cmd)
	printCommands(w, cmd)
	printFlags(w, cmd, groups)
	if !cmd.HasParent() {
		fmt.Fprintf(w, "\n%s\n", exitCodes)
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(w, "\nUse \"%s [command] --help\" for more information about a command.\n", cmd.CommandPath())
	}
}

// printExamples prints the examples, one per line. It prepends the name of the program,
// since several programs share commands. A line that begins with a space continues the
// line before.
func printExamples(w io.Writer, cmd *cobra.Command) {
	if !cmd.HasExample() {
		return
	}
	fmt.Fprintln(w, "\nExamples:")
	for line := range strings.Lines(cmd.Example) {
		if !strings.HasPrefix(line, " ") {
			line = cmd.Root().Name() + " " + line
		}
		fmt.Fprintf(w, "  %s\n", strings.TrimSuffix(line, "\n"))
	}
}

// printCommands lists the subcommands of cmd, in their groups.
func printCommands(w io.Writer, cmd *cobra.Command) {
	groups := cmd.Groups()
	if !cmd.AllChildCommandsHaveGroup() {
		title := "Commands:"
		if len(groups) > 0 {
			title = "Other commands:"
		}
		groups = append(groups[:len(groups):len(groups)], &cobra.Group{Title: title})
	}
	for _, group := range groups {
		table := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
		fmt.Fprintf(table, "\n%s\n", group.Title)
		for _, sub := range cmd.Commands() {
			if sub.GroupID == group.ID && (sub.IsAvailableCommand() || sub.Name() == "help") {
				fmt.Fprintf(table, "  %s\t%s\n", sub.Name(), sub.Short)
			}
		}
		_ = table.Flush() // an error means that the terminal is gone
	}
}

// printFlags lists the flags of cmd.
func printFlags(w io.Writer, cmd *cobra.Command, groups []FlagGroup) {
	shown := map[string]bool{}
	for _, group := range groups {
		flags := pflag.NewFlagSet("", pflag.ContinueOnError)
		flags.SortFlags = false
		for _, name := range group.Flags {
			flags.AddFlag(cmd.Flag(name))
			shown[name] = true
		}
		printFlagSet(w, group.Title, flags)
	}
	rest := pflag.NewFlagSet("", pflag.ContinueOnError)
	add := func(f *pflag.Flag) {
		if !shown[f.Name] {
			rest.AddFlag(f)
		}
	}
	cmd.NonInheritedFlags().VisitAll(add)
	cmd.InheritedFlags().VisitAll(add)
	title := "Flags:"
	if len(groups) > 0 {
		title = "Other flags:"
	}
	printFlagSet(w, title, rest)
}

func printFlagSet(w io.Writer, title string, flags *pflag.FlagSet) {
	if text := strings.TrimRight(flags.FlagUsages(), "\n"); text != "" {
		fmt.Fprintf(w, "\n%s\n%s\n", title, text)
	}
}
