// Package config reads the configuration of a process from its environment.
//
// A part declares one struct; each field has the tags env (the variable), desc (what it
// means) and, if it has a default, envDefault. Load fills the struct and reports every
// problem at once, so that a deployment can be corrected in one go: values that cannot be
// parsed, missing required variables, violated rules of the struct's own Validate, and
// unknown variables with the part's prefix, which are usually misspelled.
//
// Variables with a shared prefix, such as S3_, may be meant for other programs. Load
// rejects such a variable only if its name is within a small edit distance of a known
// one.
//
// A struct that several parts share omits the part from the names of its variables; the
// tag envPrefix on the field of that struct prepends it.
//
// A field with the tag secret:"true" may also be read from a file: NAME_FILE holds the
// path, and the content of the file without trailing line breaks is the value.
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

// Validator is a configuration with rules of its own. Each error names the variable and
// the requirement.
type Validator interface{ Validate() []error }

// Load fills the structs that targets point to from environ, in the form of os.Environ.
// Variables that begin with prefix must belong to one of the structs; prefix is for
// example "DOCUMENT_", or several prefixes separated by spaces. The error lists every
// problem, one per line.
func Load(environ []string, prefix string, targets ...any) error {
	return load(env.ToMap(environ), prefix, nil, nil, targets)
}

// load is Load. It adds to the problems that it is given, and suggests none of the unlisted
// variables.
func load(vars map[string]string, prefix string, unlisted []string, problems []error, targets []any) error {
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
	problems = append(problems, unknown(vars, prefix, known, unlisted)...)
	var lines []string
	for _, err := range problems {
		if err != nil && !slices.Contains(lines, err.Error()) { // several structs may share a variable
			lines = append(lines, err.Error())
		}
	}
	if len(lines) == 0 {
		return nil
	}
	return errors.New("the configuration has problems:\n" + strings.Join(lines, "\n"))
}

// validate collects the rule violations of target and the structs in it. A struct that
// implements Validator is responsible for the structs within it.
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

// readSecret sets vars[name] to the content of the file at NAME_FILE.
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

// parse reads the variables, whose names begin with prefix, into the struct target. It
// returns one problem for each variable that is missing or invalid, all at once: three
// mistakes should not take three starts to find.
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

// parseField reads one variable. An invalid variable gets its default, so that the rules
// of the struct report only other variables.
func parseField(value reflect.Value, field reflect.StructField, f Field, prefix string, vars map[string]string) error {
	alone := reflect.New(reflect.StructOf([]reflect.StructField{field}))
	err := env.ParseWithOptions(alone.Interface(), env.Options{Environment: vars, Prefix: prefix})
	value.Set(alone.Elem().Field(0))
	switch {
	case err == nil:
		return nil
	case vars[f.Name] != "":
		_ = env.ParseWithOptions(alone.Interface(), env.Options{Environment: map[string]string{}}) // the default is valid
		value.Set(alone.Elem().Field(0))
		return fmt.Errorf("  %s is not a valid %s", f.Name, kind(field.Type)) // do not print the value, it may be a secret
	case f.Secret && vars[f.Name+fileSuffix] != "":
		return nil // readSecret has reported the problem with the file
	}
	return fmt.Errorf("  %s must be set: %s", f.Name, f.Description)
}

// kind names a type in an error message.
func kind(t reflect.Type) string {
	if t.Kind() == reflect.Pointer { // an optional value
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

// serviceLink matches the variables that Kubernetes sets for every service in a
// namespace: a service called document adds DOCUMENT_PORT to all pods there.
var serviceLink = regexp.MustCompile(`_(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT(_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)$`)

// slip is the maximum edit distance at which a variable counts as misspelled.
const slip = 2

// unknown returns a problem for each variable that has one of the prefixes but is not
// known, or that is within slip of a known one. It suggests a known variable that is not
// unlisted. It ignores those that Kubernetes sets for services in the namespace.
func unknown(vars map[string]string, prefix string, known, unlisted []string) []error {
	var problems []error
	listed := slices.DeleteFunc(slices.Clone(known), func(name string) bool {
		return slices.Contains(unlisted, name) || slices.Contains(unlisted, strings.TrimSuffix(name, fileSuffix))
	})
	for name := range vars {
		if slices.Contains(known, name) || serviceLink.MatchString(name) {
			continue
		}
		meant, distance := nearest.Name(name, listed)
		if hasPrefix(name, prefix) || family(name) == family(meant) && distance <= slip {
			problems = append(problems, fmt.Errorf("  %s is not known; did you mean %s? See --help", name, meant))
		}
	}
	slices.SortFunc(problems, compare)
	return problems
}

// compare orders problems by their texts.
func compare(a, b error) int { return strings.Compare(a.Error(), b.Error()) }

// hasPrefix reports whether name begins with one of the prefixes, which are separated by
// spaces.
func hasPrefix(name, prefixes string) bool {
	return slices.ContainsFunc(strings.Fields(prefixes), func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// family returns the prefix that related variables share: S3_ for S3_BUCKET.
func family(name string) string {
	before, _, found := strings.Cut(name, "_")
	return fmt.Sprint(before, found)
}
