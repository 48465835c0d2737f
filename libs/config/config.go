// Package config reads the configuration of a process from its environment.
//
// A part declares one struct; each field has the tags env (the variable), desc
// (what it means) and, where there is one, envDefault. Load fills it and
// reports every problem at once, so that one try is enough to put a deployment
// right: values that cannot be parsed, required ones that are missing, rules
// of the struct's own Validate, and variables that begin with the part's
// prefix but mean nothing, which are most often misspelt.
//
// Variables of what several programs share, such as S3_, may be set for others as
// well. Of these only those are refused that differ from a known one by a slip.
//
// A struct that several parts have in common leaves the part out of the names of
// its variables; the tag envPrefix on the field of that struct puts it before them.
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
// "DOCUMENT_", or with one of several that spaces separate, must belong to one of
// the structs. The error lists every problem, a line each.
func Load(environ []string, prefix string, targets ...any) error {
	vars := env.ToMap(environ)
	var problems []error
	var known []string
	for _, target := range targets {
		for _, f := range Fields(target) {
			known = append(known, f.Name)
			if f.Secret {
				known = append(known, f.Name+fileSuffix)
				problems = append(problems, readSecret(vars, f.Name))
			}
		}
		problems = append(problems, parse(reflect.ValueOf(target).Elem(), "", vars)...)
		problems = append(problems, validate(reflect.ValueOf(target))...)
	}
	problems = append(problems, unknown(vars, strings.Fields(prefix), known)...)
	var lines []string
	for _, err := range problems {
		if err != nil && !slices.Contains(lines, err.Error()) { // several structs may have the same variable
			lines = append(lines, err.Error())
		}
	}
	if len(lines) == 0 {
		return nil
	}
	return errors.New("the configuration has problems:\n" + strings.Join(lines, "\n"))
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

// parse reads the variables, whose names begin with prefix, into the struct target
// and returns one problem for each that is missing or cannot be read, all of them
// at once: who has three mistakes should not need three starts.
func parse(target reflect.Value, prefix string, vars map[string]string) []error {
	var problems []error
	for i := range target.NumField() {
		value, field := target.Field(i), target.Type().Field(i)
		f, ok := variable(field, prefix)
		switch {
		case !value.CanSet():
		case ok:
			problems = append(problems, parseField(value, field, f, prefix, vars))
		case value.Kind() == reflect.Struct:
			problems = append(problems, parse(value, prefix+field.Tag.Get("envPrefix"), vars)...)
		}
	}
	return problems
}

// parseField reads one variable. One that cannot be read is given its default,
// so that the rules of the struct find fault with others alone.
func parseField(value reflect.Value, field reflect.StructField, f Field, prefix string, vars map[string]string) error {
	alone := reflect.New(reflect.StructOf([]reflect.StructField{field}))
	err := env.ParseWithOptions(alone.Interface(), env.Options{Environment: vars, Prefix: prefix})
	value.Set(alone.Elem().Field(0))
	switch {
	case err == nil:
		return nil
	case vars[f.Name] != "":
		_ = env.ParseWithOptions(alone.Interface(), env.Options{Environment: map[string]string{}}) // its default is right
		value.Set(alone.Elem().Field(0))
		return fmt.Errorf("  %s is not a valid %s", f.Name, kind(field.Type)) // its value may be a secret
	case f.Secret && vars[f.Name+fileSuffix] != "":
		return nil // what is wrong with the file has been said
	}
	return fmt.Errorf("  %s must be set: %s", f.Name, f.Description)
}

// kind names a type for people.
func kind(t reflect.Type) string {
	if t.Kind() == reflect.Pointer { // one that may be left open
		t = t.Elem()
	}
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

// slip is the edit distance up to which a variable is taken for a mistyped one.
const slip = 2

// unknown returns a problem for each variable that has one of the prefixes and no
// meaning, or that differs from a known one by a slip. Those that Kubernetes sets
// for services in the namespace are left alone.
func unknown(vars map[string]string, prefixes, known []string) []error {
	var problems []error
	for name := range vars {
		if slices.Contains(known, name) || serviceLink.MatchString(name) {
			continue
		}
		own := slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
		meant, distance := nearest.Name(name, known)
		if own || family(name) == family(meant) && distance <= slip {
			problems = append(problems, fmt.Errorf("  %s is not known; did you mean %s? See --help", name, meant))
		}
	}
	slices.SortFunc(problems, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return problems
}

// family is what a variable shares with those that belong together: S3_ of
// S3_BUCKET.
func family(name string) string {
	before, _, found := strings.Cut(name, "_")
	return fmt.Sprint(before, found)
}
