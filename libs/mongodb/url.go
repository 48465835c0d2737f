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

// IsURL reports whether name is the URL of a server rather than a file path.
func IsURL(name string) bool {
	return strings.HasPrefix(name, scheme) || strings.HasPrefix(name, srvScheme)
}

// Problems validates a database name for a config.Validator; variable holds the name. It
// is either the URL of a server, or the path of a file, which is not checked here.
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

// Validate returns what is wrong with the database URL that variable holds, or nil. It
// neither dials nor queries DNS, and its error does not repeat the URL, which may contain
// a password.
func Validate(variable, url string) error {
	// For a URL whose hosts are in DNS, everything but the hosts can be checked here.
	rest, inDNS := strings.CutPrefix(url, srvScheme)
	if inDNS {
		url = scheme + rest
	}
	parsed, err := connstring.ParseAndValidate(url)
	if err == nil && !inDNS {
		err = options.Client().ApplyURI(url).Validate() // also reads the certificates
	}
	switch {
	case err != nil && inDNS && strings.Contains(err.Error(), "non-SRV URI"):
		return nil // an option that only such URLs may have; Open checks the rest
	case err != nil:
		return fmt.Errorf("%s is not a valid MongoDB URL: %w", variable, withoutValues(err))
	}
	if wrong := validateOptions(parsed); wrong != "" {
		return fmt.Errorf("%s %s", variable, wrong)
	}
	return nil
}

// maxNameLength is the maximum length of a database name, in bytes.
const maxNameLength = 63

// validateOptions returns a problem that would otherwise surface late, or as data loss,
// or "".
func validateOptions(u *connstring.ConnString) string {
	switch {
	case u.Database == "":
		return "names no database: write mongodb://host:27017/name"
	case len(u.Database) > maxNameLength || strings.ContainsAny(u.Database, "/\\. \"$*<>:|?@\x00"):
		return "has an invalid database name: use at most 63 letters, digits, - and _; write /, : and @ in a user or password as %2F, %3A and %40"
	case u.WNumberSet && u.WNumber == 0:
		return "must not set w=0: accepted writes might not be stored"
	case u.JSet && !u.J:
		return "must not set journal=false: accepted writes would be lost if the server crashes"
	case u.ReadPreference != "" && !strings.EqualFold(u.ReadPreference, "primary"):
		return "must not set a readPreference other than primary: other members may not have the latest writes yet"
	case len(u.UnknownOptions) > 0:
		names := slices.Sorted(maps.Keys(u.UnknownOptions))
		return fmt.Sprintf("has unknown options: %s; correct or remove them", strings.Join(names, ", "))
	}
	return ""
}

// quoted matches the parts of a URL that the parser repeats in errors, except the name of
// a known option whose value is invalid.
var quoted = regexp.MustCompile(`(invalid value for "[^"]*": )?"(\\.|[^"\\])*"`)

// withoutValues removes the parts of the URL that the parser repeats in its error: if a
// password contains a reserved character, any of those parts may be part of the password.
func withoutValues(err error) error {
	return errors.New(quoted.ReplaceAllString(err.Error(), `$1"…"`))
}
