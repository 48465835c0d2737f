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

// The exit codes of every program, beside 0.
const (
	exitFailed = 1
	exitUsage  = 2
)

// exitCodes explains them in the help of every program.
const exitCodes = `Exit codes:
  0  success
  1  the command failed, or Recto is not ready
  2  usage error: unknown command or flag, wrong or missing argument; nothing was done`

// usageError is an error of the person, or script, that wrote the command line.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// Usage marks an error as one of the command line. The program then ends with
// exit code 2, and names the help of the command. It returns nil for nil.
func Usage(err error) error {
	if err == nil {
		return nil
	}
	return usageError{err}
}

// errNoCommand is the error of a command that only has others below it.
var errNoCommand = Usage(errors.New("name a command"))

// groupAnnotation marks such a command, whose help does not show how it is used
// alone.
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
		cmd.SetOut(cmd.ErrOrStderr()) // a script that reads the output gets no help in place of a result
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

// beStrict lets the command and those below it refuse what they do not know.
// Left alone, cobra answers "keys revok KEY" with a help text and exit code 0.
func beStrict(cmd *cobra.Command) {
	for _, sub := range cmd.Commands() {
		beStrict(sub)
	}
	if cmd.ValidArgsFunction == nil {
		cmd.ValidArgsFunction = cobra.NoFileCompletions // no argument is a file
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

// refuseCommand returns an error if there are arguments where only the name of
// a command is possible.
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

// showHelp prints the help of the command that the arguments name.
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

// explainArgs says which argument is missing, or is one too many. The names of
// arguments are those in the Use of the command.
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

// slip is the edit distance up to which a name is taken for a mistyped one.
const slip = 2

// explainFlag says what is wrong with a flag. A command that does not exist
// comes first: its flags are unknown for that reason alone.
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

// kind names a type of flags for people.
func kind(name string) string {
	switch name {
	case "bool":
		return "true or false"
	case "duration":
		return "a duration such as 30s or 24h"
	}
	return "a valid " + name
}
