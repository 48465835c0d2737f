package runner

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/rectohq/recto/libs/nearest"
)

// The exit codes of every program, besides 0.
const (
	exitFailed = 1
	exitUsage  = 2
)

// exitCodes documents them in the help of every program.
const exitCodes = `Exit codes:
  0  success
  1  the command failed, or Recto is not ready
  2  usage error: unknown command or flag, wrong or missing argument; nothing was done`

// usageError is a mistake in the command line.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// Usage marks an error as a mistake in the command line. The program then refers to the
// help of the command and ends with exit code 2. Usage(nil) is nil.
func Usage(err error) error {
	if err == nil {
		return nil
	}
	return usageError{err}
}

// errNoCommand is the error of a command that only groups other commands.
var errNoCommand = Usage(errors.New("a command is required"))

// groupAnnotation marks a command that only groups others; its help does not show a usage
// line for the command alone.
const groupAnnotation = "group"

// Execute runs the command line and returns the exit code of the process. It
// prints an error to standard error.
func Execute(ctx context.Context, root *cobra.Command) int {
	root.SilenceErrors, root.SilenceUsage = true, true
	root.SetFlagErrorFunc(explainFlag)
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	beStrict(root)
	cmd, err := root.ExecuteContextC(ctx)
	return report(cmd, err)
}

// report prints an error and returns the exit code for it.
func report(cmd *cobra.Command, err error) int {
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errNoCommand):
		cmd.SetOut(cmd.ErrOrStderr()) // a script that reads the output must not get help text instead of a result
		_ = cmd.Help()
	case errors.As(err, new(usageError)):
		text := err.Error()
		if !strings.HasSuffix(text, "?") {
			text += "."
		}
		cmd.PrintErrf("%[1]s: %[2]s See %[1]s --help.\n", cmd.CommandPath(), text)
	default:
		cmd.PrintErrf("%s: %v\n", cmd.Root().Name(), err)
		return exitFailed
	}
	return exitUsage
}

// beStrict makes the command and its subcommands reject unknown commands and arguments.
// By default, cobra answers "keys revok KEY" with a help text and exit code 0.
func beStrict(cmd *cobra.Command) {
	for _, sub := range cmd.Commands() {
		beStrict(sub)
	}
	if cmd.ValidArgsFunction == nil {
		cmd.ValidArgsFunction = cobra.NoFileCompletions // no argument is a file name
	}
	switch {
	case cmd.Name() == "help":
		cmd.Run, cmd.RunE = nil, showHelp
	case cmd.HasSubCommands():
		cmd.Args = refuseCommand
		if !cmd.Runnable() {
			cmd.RunE = func(*cobra.Command, []string) error { return errNoCommand }
			cmd.Annotations = map[string]string{groupAnnotation: "true"}
		}
	case cmd.Args != nil:
		accept := cmd.Args
		cmd.Args = func(cmd *cobra.Command, args []string) error { return explainArgs(cmd, args, accept(cmd, args)) }
	}
}

// refuseCommand returns an error if there are arguments where only a subcommand is
// allowed.
func refuseCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := ""
	cmd.SuggestionsMinimumDistance = 2
	if meant := cmd.SuggestionsFor(args[0]); len(meant) > 0 {
		hint = ". Did you mean " + strings.Join(meant, " or ") + "?"
	}
	return Usage(fmt.Errorf("unknown command %q%s", args[0], hint))
}

// showHelp prints the help of the command named by the arguments.
func showHelp(cmd *cobra.Command, args []string) error {
	target, rest, err := cmd.Root().Find(args)
	if err != nil {
		return Usage(err)
	}
	if err := refuseCommand(target, rest); err != nil {
		return err
	}
	target.InitDefaultHelpFlag()
	target.InitDefaultVersionFlag()
	return target.Help()
}

// explainArgs says which argument is missing or unexpected. The names of arguments are
// those in the command's Use.
func explainArgs(cmd *cobra.Command, args []string, err error) error {
	if err == nil {
		return nil
	}
	names := strings.Fields(cmd.Use)[1:]
	switch {
	case len(args) < len(names):
		err = fmt.Errorf("%s is missing", strings.Join(names[len(args):], " "))
	case len(args) > len(names):
		err = fmt.Errorf("unexpected argument %q", args[len(names)])
	}
	return Usage(err)
}

// slip is the maximum edit distance at which a name counts as misspelled.
const slip = 2

// explainFlag says what is wrong with a flag. An unknown command is reported first, since
// it makes its flags unknown too.
func explainFlag(cmd *cobra.Command, err error) error {
	if cmd.HasSubCommands() && cmd.Flags().NArg() > 0 {
		return refuseCommand(cmd, cmd.Flags().Args())
	}
	var unknown *pflag.NotExistError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "":
		var known []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
		hint := ""
		if name, distance := nearest.Name(unknown.GetSpecifiedName(), known); distance <= slip && name != "" {
			hint = ". Did you mean --" + name + "?"
		}
		err = fmt.Errorf("unknown flag --%s%s", unknown.GetSpecifiedName(), hint)
	case errors.As(err, &invalid):
		err = fmt.Errorf("--%s: %q is not %s", invalid.GetFlag().Name, invalid.GetValue(), kind(invalid.GetFlag().Value.Type()))
	}
	return Usage(err)
}

// kind names a flag type in an error message.
func kind(name string) string {
	switch name {
	case "bool":
		return "true or false"
	case "duration":
		return "a duration such as 30s or 24h"
	}
	return "a valid " + name
}
