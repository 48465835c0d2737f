package mongodb

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/connstring"
)

const (
	scheme    = "mongodb://"
	srvScheme = "mongodb+srv://"
)

// IsURL reports whether a database is named by a URL of a server, and not by the
// path of a file.
func IsURL(name string) bool {
	return strings.HasPrefix(name, scheme) || strings.HasPrefix(name, srvScheme)
}

// Problems returns what is wrong with how the variable names a database, for a
// config.Validator: by the URL of a server, or by the path of a file, of which
// nothing is known here.
func Problems(variable, database string) []error {
	if IsURL(database) {
		if err := Validate(variable, database); err != nil {
			return []error{fmt.Errorf("  %w", err)}
		}
	} else if strings.Contains(database, "://") {
		return []error{fmt.Errorf("  %s must be the path of a SQLite database, or a URL that begins with %s", variable, scheme)}
	}
	return nil
}

// Validate returns what is wrong with the URL of a database, which the variable
// holds, or nil. It dials nobody and asks no DNS, and does not repeat the URL:
// that may hold a password.
func Validate(variable, url string) error {
	// Of a URL whose hosts are in the DNS, all but these can be looked at here.
	rest, inDNS := strings.CutPrefix(url, srvScheme)
	if inDNS {
		url = scheme + rest
	}
	parsed, err := connstring.ParseAndValidate(url)
	if err == nil && !inDNS {
		err = options.Client().ApplyURI(url).Validate() // reads the certificates
	}
	switch {
	case err != nil && inDNS && strings.Contains(err.Error(), "non-SRV URI"):
		return nil // an option that belongs to such URLs: Open looks at the rest
	case err != nil:
		return fmt.Errorf("%s is not a valid MongoDB URL: %w", variable, withoutValues(err))
	}
	if wrong := validateOptions(parsed); wrong != "" {
		return fmt.Errorf("%s %s", variable, wrong)
	}
	return nil
}

// maxNameLength is that of the name of a database, in bytes.
const maxNameLength = 63

// validateOptions returns what would be found out too late, or by a loss, "" for
// nothing.
func validateOptions(u *connstring.ConnString) string {
	switch {
	case u.Database == "":
		return "names no database: write mongodb://host:27017/name"
	case len(u.Database) > maxNameLength || strings.ContainsAny(u.Database, "/\\. \"$*<>:|?@\x00"):
		return "names a database that cannot be: take letters, digits, - and _, at most 63; write /, : and @ in a user or password as %2F, %3A and %40"
	case u.WNumberSet && u.WNumber == 0:
		return "must not ask for w=0: what is accepted would not be stored"
	case u.JSet && !u.J:
		return "must not ask for journal=false: what is accepted would be lost with the server"
	case u.ReadPreference != "" && !strings.EqualFold(u.ReadPreference, "primary"):
		return "must not ask for a readPreference: others than the primary do not know yet what was written"
	case len(u.UnknownOptions) > 0:
		names := slices.Sorted(maps.Keys(u.UnknownOptions))
		return fmt.Sprintf("has options that are not known: %s; correct them or leave them out", strings.Join(names, ", "))
	}
	return ""
}

// quoted matches what the parser repeats of a URL, but for the name of an option
// that it knows and whose value is wrong.
var quoted = regexp.MustCompile(`(invalid value for "[^"]*": )?"(\\.|[^"\\])*"`)

// withoutValues returns an error of the parser without what it repeats of the
// URL: where a password has a character that it must not have, its parts are
// taken for anything.
func withoutValues(err error) error {
	return errors.New(quoted.ReplaceAllString(err.Error(), `$1"…"`))
}
