package config

import (
	"cmp"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"text/tabwriter"
)

// Field is one variable of a configuration.
type Field struct {
	// Name is the environment variable.
	Name string
	// Default is the value when the variable is not set; required variables have none.
	Default  string
	Required bool
	// Secret fields may come from a file at the path in Name + "_FILE".
	Secret bool
	// Description says what the variable means, and its unit.
	Description string
}

// Fields lists the variables of the struct that target points to, in field order.
// Variables of embedded and nested structs are listed in place.
func Fields(target any) []Field {
	return structFields(reflect.TypeOf(target).Elem(), "")
}

// structFields lists the variables of a struct and of the structs within it. Their names
// begin with prefix.
func structFields(t reflect.Type, prefix string) []Field {
	var fields []Field
	for i := range t.NumField() {
		field := t.Field(i)
		if f, ok := variable(field, prefix); ok {
			fields = append(fields, f)
		} else if field.Type.Kind() == reflect.Struct {
			fields = append(fields, structFields(field.Type, prefix+field.Tag.Get("envPrefix"))...)
		}
	}
	return fields
}

// variable returns the variable that a struct field is read from, and whether there is
// one. Its name begins with prefix.
func variable(field reflect.StructField, prefix string) (Field, bool) {
	name, options, _ := strings.Cut(field.Tag.Get("env"), ",")
	return Field{
		Name: prefix + name, Default: field.Tag.Get("envDefault"),
		Required:    strings.Contains(options, "notEmpty") || strings.Contains(options, "required"),
		Secret:      field.Tag.Get("secret") == "true",
		Description: field.Tag.Get("desc"),
	}, name != ""
}

// Section is a section of a help text: the variables that begin with one of the prefixes,
// which are separated by spaces. "" selects all remaining variables.
type Section struct {
	Title, Prefixes string
}

// WriteHelp writes a table of variables for each section, for a terminal. Required
// variables come first.
func WriteHelp(w io.Writer, fields []Field, sections ...Section) {
	fields = slices.Clone(fields)
	slices.SortStableFunc(fields, func(a, b Field) int { return cmp.Compare(a.rank(), b.rank()) })
	for _, section := range sections {
		in := func(f Field) bool {
			return section.Prefixes == "" || slices.ContainsFunc(strings.Fields(section.Prefixes), func(prefix string) bool { return strings.HasPrefix(f.Name, prefix) })
		}
		table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		if slices.ContainsFunc(fields, in) {
			fmt.Fprintf(table, "\n%s:\n", section.Title)
		}
		for _, f := range fields {
			if in(f) {
				fmt.Fprintf(table, "  %s\t%s\t%s\n", f.Name, f.presence(), f.Description)
			}
		}
		fields = slices.DeleteFunc(fields, in)
		_ = table.Flush() // an error means that the terminal is gone
	}
}

// rank returns the sort key of a variable within its section of a help text.
func (f Field) rank() int {
	if f.Required {
		return 0
	}
	return 1
}

// WriteMarkdown writes the rows of a Markdown table of the variables of targets: name,
// default, description.
func WriteMarkdown(w io.Writer, targets ...any) {
	for _, target := range targets {
		for _, f := range Fields(target) {
			name := "`" + f.Name + "`"
			if f.Secret {
				name += ", `" + f.Name + fileSuffix + "`"
			}
			fmt.Fprintf(w, "| %s | %s | %s |\n", name, strings.ReplaceAll(f.presence(), "|", `\|`), strings.ReplaceAll(f.Description, "|", `\|`))
		}
	}
}

// presence returns the default, "required" or "not set", for help texts.
func (f Field) presence() string {
	switch {
	case f.Required:
		return "required"
	case f.Default == "":
		return "not set"
	default:
		return f.Default
	}
}
