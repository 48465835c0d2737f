package config

import (
	"fmt"
	"io"
	"reflect"
	"strings"
	"text/tabwriter"
)

// Field is one variable of a configuration.
type Field struct {
	// Name is the environment variable.
	Name string
	// Default is its value when it is not set; required ones have none.
	Default  string
	Required bool
	// Secret fields may come from a file, named by Name with "_FILE".
	Secret bool
	// Description says what it means, and its unit.
	Description string
}

// Fields lists the variables of the struct that target points to, in the order
// of its fields, those of embedded and nested structs in their place.
func Fields(target any) []Field {
	return structFields(reflect.TypeOf(target).Elem(), "")
}

// structFields lists the variables of a struct, those of structs within it
// included. Their names begin with prefix.
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

// variable returns the variable that a field of a struct is read from, if it is
// read from one. Its name begins with prefix.
func variable(field reflect.StructField, prefix string) (Field, bool) {
	name, options, _ := strings.Cut(field.Tag.Get("env"), ",")
	return Field{
		Name: prefix + name, Default: field.Tag.Get("envDefault"),
		Required:    strings.Contains(options, "notEmpty") || strings.Contains(options, "required"),
		Secret:      field.Tag.Get("secret") == "true",
		Description: field.Tag.Get("desc"),
	}, name != ""
}

// WriteHelp writes a table of the variables of targets for a terminal.
func WriteHelp(w io.Writer, targets ...any) {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, target := range targets {
		for _, f := range Fields(target) {
			fmt.Fprintf(table, "  %s\t%s\t%s\n", f.Name, f.presence(), f.Description)
		}
	}
	_ = table.Flush() // a terminal that is gone needs no help
}

// WriteMarkdown writes the rows of a Markdown table of the variables of
// targets: name, default, meaning.
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

// presence says what holds if the variable is not set, for help texts.
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
