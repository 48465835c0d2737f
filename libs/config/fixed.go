package config

import (
	"fmt"
	"maps"
	"slices"

	"github.com/caarlos0/env/v11"
)

// Fixed are the variables of a configuration that a program sets itself, so that its
// environment cannot.
type Fixed struct {
	// Program is the name of the program in messages, such as "recto up".
	Program string
	// Variables are in the form of os.Environ.
	Variables []string
	// Instead names what to use in place of some of these variables, such as a flag.
	Instead map[string]string
	// Unlisted are further variables that messages do not suggest.
	Unlisted []string
}

// LoadFixed is Load for a program that sets some of the variables itself. If environ sets
// one of them that begins with a prefix of the program, that is a problem. Other programs
// may use the same prefixes as the rest, which are ignored in environ.
func LoadFixed(environ []string, prefix string, f Fixed, targets ...any) error {
	vars, fixed := env.ToMap(environ), env.ToMap(f.Variables)
	var problems []error
	for name, value := range fixed {
		for _, set := range []string{name, name + fileSuffix} {
			if _, other := fixed[set]; vars[set] != "" && hasPrefix(set, prefix) && (set == name || !other) {
				problems = append(problems, f.refusal(set, name))
			}
		}
		delete(vars, name+fileSuffix) // of a secret
		vars[name] = value
	}
	maps.Copy(vars, fixed) // some have names that end in fileSuffix
	slices.SortFunc(problems, compare)
	return load(vars, prefix, append(slices.Collect(maps.Keys(fixed)), f.Unlisted...), problems, targets)
}

// refusal says that the environment must not set a variable.
func (f Fixed) refusal(set, name string) error {
	if instead := f.Instead[name]; instead != "" {
		return fmt.Errorf("  %s is not supported by %s: use %s", set, f.Program, instead)
	}
	return fmt.Errorf("  %s is not supported by %s", set, f.Program)
}
