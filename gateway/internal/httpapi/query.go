package httpapi

import (
	"slices"

	"github.com/rectohq/recto/libs/contract/conversionapi"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/query"
)

// The query parameters of routes that are not lists.
const (
	paramVersion = documentapi.VersionParameter
	paramFormat  = "format"
	paramProfile = "profile"
	paramDryRun  = "dry_run"
	paramFlatten = "flatten"
)

// queryCheck returns an error if a raw query is invalid.
type queryCheck func(rawQuery string) error

// takes returns the check for a route that accepts only the named parameters.
func takes(names ...string) queryCheck {
	return func(rawQuery string) error {
		var problems problem.List
		query.Read(rawQuery, names, &problems, func(p query.Parameter) { checkParameter(p, &problems) })
		return problems.Err()
	}
}

// takesList returns the check for a list route, all of whose parameters parse reads.
func takesList[T any](parse func(rawQuery string) (T, error)) queryCheck {
	return func(rawQuery string) error {
		_, err := parse(rawQuery)
		return err
	}
}

// takesAnything is the check for public pages. It accepts any query, because browsers,
// probes and links add parameters of their own.
func takesAnything(string) error { return nil }

// checkParameter records a problem if the value of a parameter is invalid.
func checkParameter(p query.Parameter, problems *problem.List) {
	switch p.Name {
	case paramVersion:
		documentapi.ParseVersion(p, problems)
	case paramFormat:
		parseFormat(p, problems)
	case paramProfile:
		parseProfile(p, problems)
	case paramDryRun, paramFlatten:
		parseBool(p, problems)
	case conversionapi.WidthParameter:
		conversionapi.ParseWidth(p, problems)
	}
}

// refuseUnknown returns an error if the query has a parameter that the route does not
// accept. The error then lists all problems of the query. If only values are invalid, it
// returns nil and leaves the error to the handler: annotate reports them together with
// those of its body.
func (r *request) refuseUnknown(check queryCheck) error {
	err := check(r.rawQuery())
	if err == nil {
		return nil
	}
	unknown := func(e problem.Entry) bool { return e.Code == problem.CodeUnknownParameter }
	if slices.ContainsFunc(problem.Of(err).Entries, unknown) {
		return err
	}
	return nil
}

// rawQuery returns the undecoded query of the URL.
func (r *request) rawQuery() string { return string(r.Request().URI().QueryString()) }

// parameter returns a parameter of the query. An absent parameter has no values.
func (r *request) parameter(name string) query.Parameter { return query.Find(r.rawQuery(), name) }

// version returns the version in the query, or the latest if the query has none.
func (r *request) version() (documentapi.Version, error) {
	var problems problem.List
	version := documentapi.ParseVersion(r.parameter(paramVersion), &problems)
	return version, problems.Err()
}

// parseFormat returns the format to convert to, or the default if there is no value.
func parseFormat(p query.Parameter, problems *problem.List) string {
	if len(p.Values) == 0 {
		return conversionapi.DefaultFormat
	}
	format, once := p.One()
	if !once {
		format = p.String()
	}
	problems.Check(paramFormat, format, conversionapi.CheckFormat(format))
	return format
}

// parseProfile returns the profile to convert to, or none if there is no value.
func parseProfile(p query.Parameter, problems *problem.List) conversionapi.Profile {
	if len(p.Values) == 0 {
		return ""
	}
	name, once := p.One()
	if !once {
		name = p.String()
	}
	profile, fault := conversionapi.ParseProfile(name)
	problems.Check(paramProfile, name, fault)
	return profile
}

// parseBool parses a parameter that is true or false. Without a value it is false.
func parseBool(p query.Parameter, problems *problem.List) bool {
	text, once := p.One()
	if len(p.Values) > 0 && (!once || text != "true" && text != "false") {
		problems.Add(problem.Unparsable(p.Name, problem.CodeInvalidType, "true or false", p.String()))
	}
	return once && text == "true"
}
