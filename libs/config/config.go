// Package config reads the configuration of a process from its environment.
//
// A part declares one struct; each field has the tags env (the variable), desc
// (what it means) and, where there is one, envDefault. Load fills it and
// reports every problem at once, so that one try is enough to put a deployment
// right: values that cannot be parsed, required ones that are missing, rules
// of the struct's own Validate, and variables that begin with the part's
// prefix but mean nothing, which are most often misspelt.
//
// A field with the tag secret:"true" may also come from a file: NAME_FILE holds
// its path, and the file's content without the final line break is the value.
package config

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/caarlos0/env/v11"

	"github.com/rectohq/recto/libs/nearest"
)

// Validator is a configuration with rules of its own. Each error names the
// variable and what it has to be.
type Validator interface{ Validate() []error }

// Load fills the structs that targets point to from environ, which is what
// os.Environ returns. Variables that begin with prefix, for example
// "DOCUMENT_", must belong to one of the structs. The error lists every
// problem, a line each.
func Load(environ []string, prefix string, targets ...any) error {
	vars := env.ToMap(environ)
	var problems []error
	var known []string
	for _, target := range targets {
		fields := Fields(target)
		for _, f := range fields {
			known = append(known, f.Name)
			if f.Secret {
				known = append(known, f.Name+fileSuffix)
				problems = append(problems, readSecret(vars, f.Name))
			}
		}
		problems = append(problems, parse(target, vars)...)
		problems = append(problems, validate(reflect.ValueOf(target))...)
	}
	problems = append(problems, unknown(vars, prefix, known)...)
	problems = slices.DeleteFunc(problems, func(err error) bool { return err == nil })
	if len(problems) == 0 {
		return nil
	}
	return fmt.Errorf("the configuration has problems:\n%w", errors.Join(problems...))
}

// validate asks target and the structs in it for what breaks their rules. One
// that has rules answers for what is in it.
func validate(target reflect.Value) []error {
	if v, ok := target.Interface().(Validator); ok {
		return v.Validate()
	}
	var problems []error
	for i := range target.Elem().NumField() {
		if f := target.Elem().Field(i); f.Kind() == reflect.Struct && f.CanInterface() {
			problems = append(problems, validate(f.Addr())...)
		}
	}
	return problems
}

const fileSuffix = "_FILE"

// readSecret puts the content of the file that NAME_FILE names into vars.
func readSecret(vars map[string]string, name string) error {
	path := vars[name+fileSuffix]
	switch {
	case path == "":
		return nil
	case vars[name] != "":
		return fmt.Errorf("  %s and %s%s are both set: set one of them", name, name, fileSuffix)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("  %s%s: %w", name, fileSuffix, err)
	}
	vars[name] = strings.TrimRight(string(content), "\r\n")
	return nil
}

// parse reads the variables into target and returns one problem for each that
// cannot be read, all of them at once: who has three mistakes should not need
// three starts.
func parse(target any, vars map[string]string) []error {
	err := env.ParseWithOptions(target, env.Options{Environment: vars})
	if err == nil {
		return nil
	}
	var all env.AggregateError
	if !errors.As(err, &all) {
		return []error{fmt.Errorf("  %w", err)}
	}
	byGoName := map[string]string{}
	for _, f := range Fields(target) {
		byGoName[f.goName] = f.Name
	}
	var problems []error
	for _, e := range all.Errors {
		var parseError env.ParseError
		if errors.As(e, &parseError) {
			// The value is not repeated: it may be a secret.
			e = fmt.Errorf("%s is not a valid %s", byGoName[parseError.Name], kind(parseError.Type))
		}
		problems = append(problems, fmt.Errorf("  %w", e))
	}
	return problems
}

// kind names a type for people.
func kind(t reflect.Type) string {
	switch t.String() {
	case "time.Duration":
		return `duration, such as "30s" or "5m"`
	case "slog.Level":
		return "level: DEBUG, INFO, WARN or ERROR"
	}
	switch t.Kind() {
	case reflect.Bool:
		return `boolean: "true" or "false"`
	case reflect.Int, reflect.Int64, reflect.Uint, reflect.Uint64:
		return "integer"
	}
	return t.String()
}

// serviceLink matches what Kubernetes sets for every service of a namespace:
// a service called document makes DOCUMENT_PORT in all its neighbours.
var serviceLink = regexp.MustCompile(`_(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT(_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)$`)

// unknown returns a problem for each variable that has the prefix and no
// meaning, which is most often a mistyped one. Those that Kubernetes sets for
// services in the namespace are left alone.
func unknown(vars map[string]string, prefix string, known []string) []error {
	if prefix == "" {
		return nil
	}
	var problems []error
	for name := range vars {
		if !strings.HasPrefix(name, prefix) || slices.Contains(known, name) || serviceLink.MatchString(name) {
			continue
		}
		meant, _ := nearest.Name(name, known)
		problems = append(problems, fmt.Errorf("  %s is not known; did you mean %s? See --help", name, meant))
	}
	slices.SortFunc(problems, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return problems
}
