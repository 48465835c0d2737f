package compat

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// open are the enumerations to which a version may add values, because its readers pass
// unknown ones on.
var open = []string{"problem.EntryCode", "annotationapi.WarningCode"}

// announced are values of enumerations that this tree accepts, but does not send yet.
var announced = map[string][]string{}

// breaks returns what keeps two versions of the contract from running side by side, was
// being the recorded one: each with what to do about it.
func breaks(was, is shapes) (all []string) {
	for _, subject := range slices.Sorted(maps.Keys(was.Endpoints)) {
		all = append(all, endpointBreaks(subject, was.Endpoints[subject], is)...)
	}
	for _, kind := range slices.Sorted(maps.Keys(was.Events)) {
		if data, ok := is.Events[kind]; !ok {
			all = append(all, fmt.Sprintf("the event %s is gone: publish it until no supported version consumes it", kind))
		} else if data != was.Events[kind] {
			all = append(all, fmt.Sprintf("the data of the event %s was %q and is %q: publish another event type as well", kind, was.Events[kind], data))
		}
	}
	requested := requestTypes(is)
	for _, name := range slices.Sorted(maps.Keys(was.Types)) {
		now, ok := is.Types[name]
		if !ok {
			all = append(all, fmt.Sprintf("the type %s is gone: keep it until no supported version uses it", name))
			continue
		}
		all = append(all, typeBreaks(name, was.Types[name], now, requested[name])...)
	}
	for _, name := range slices.Sorted(maps.Keys(was.Enums)) {
		all = append(all, enumBreaks(name, was.Enums[name], is.Enums[name])...)
	}
	return all
}

func endpointBreaks(subject string, was endpointShape, is shapes) []string {
	now, ok := is.Endpoints[subject]
	switch {
	case !ok:
		return []string{fmt.Sprintf("the subject %s is gone: serve it until no supported version calls it", subject)}
	case now.Request != was.Request || now.Reply != was.Reply:
		return []string{fmt.Sprintf("the subject %s took %s and returned %s, and now takes %s and returns %s: serve the new types on a new subject",
			subject, was.Request, was.Reply, now.Request, now.Reply)}
	case was.Idempotent && !now.Idempotent:
		return []string{fmt.Sprintf("the subject %s is no longer idempotent, but the recorded version sends requests to it again: use a new subject", subject)}
	}
	return nil
}

// typeBreaks compares a type. Requested is set if it is part of a request.
func typeBreaks(name string, was, is typeShape, requested bool) (all []string) {
	add := func(member, format string, args ...any) {
		all = append(all, name+"."+member+" "+fmt.Sprintf(format, args...))
	}
	for _, member := range slices.Sorted(maps.Keys(was.Members)) {
		old := was.Members[member]
		switch now, ok := is.Members[member]; {
		case !ok:
			add(member, "is gone: keep it, or use a new type on a new subject")
		case now.Type != old.Type:
			add(member, "was %s and is %s: add a member instead, or use a new type on a new subject", old.Type, now.Type)
		case old.Required && !now.Required:
			add(member, "may now be left out, but the recorded version needs it: always write it")
		case requested && now.Required && !old.Required:
			add(member, "is now required, but the recorded version may leave it out: make it optional")
		}
	}
	for _, member := range slices.Sorted(maps.Keys(is.Members)) {
		if _, known := was.Members[member]; known {
			continue
		}
		switch {
		case was.Strict:
			add(member, "is new, but the recorded version rejects unknown members: use a new type on a new subject")
		case requested && is.Members[member].Required:
			add(member, "is new and required, but the recorded version does not send it: make it optional (omitzero)")
		}
	}
	if is.Strict && !was.Strict {
		all = append(all, name+" now rejects unknown members, so the next version cannot add any: accept them")
	}
	return all
}

func enumBreaks(name string, was, is []string) (all []string) {
	for _, value := range was {
		if !slices.Contains(is, value) {
			all = append(all, fmt.Sprintf("%s no longer has the value %q: accept it until no supported version sends it", name, value))
		}
	}
	for _, value := range is {
		if !slices.Contains(was, value) && !slices.Contains(open, name) && !slices.Contains(announced[name], value) {
			all = append(all, fmt.Sprintf("%s has the new value %q, which the recorded version does not know: first release readers that accept it, and list it in announced", name, value))
		}
	}
	return all
}

// requestTypes returns the objects that requests consist of.
func requestTypes(s shapes) map[string]bool {
	found := map[string]bool{}
	var visit func(description string)
	visit = func(description string) {
		name := strings.Trim(description, "[]{}?")
		if shape, ok := s.Types[name]; ok && !found[name] {
			found[name] = true
			for _, m := range shape.Members {
				visit(m.Type)
			}
		}
	}
	for _, e := range s.Endpoints {
		visit(e.Request)
	}
	return found
}

// refusals returns why a reader with the shapes cannot use a value as the described type.
func (s shapes) refusals(description, path string, value any) (all []string) {
	if value == nil && (strings.HasSuffix(description, "?") || strings.HasPrefix(description, "[") || strings.HasPrefix(description, "{")) {
		return nil
	}
	description = strings.TrimSuffix(description, "?")
	wrong := []string{fmt.Sprintf("%s is %.100s, and %s reads %s", path, show(value), version, description)}
	switch value := value.(type) {
	case []any:
		element, ok := strings.CutPrefix(description, "[")
		if !ok && description != "any" {
			return wrong
		}
		for i, item := range value {
			if ok {
				all = append(all, s.refusals(strings.TrimSuffix(element, "]"), fmt.Sprintf("%s.%d", path, i), item)...)
			}
		}
		return all
	case map[string]any:
		return s.objectRefusals(description, path, value)
	}
	return s.scalarRefusals(description, value, wrong)
}

func (s shapes) scalarRefusals(description string, value any, wrong []string) []string {
	ok := description == "any"
	switch value := value.(type) {
	case string:
		name, enum := strings.CutPrefix(description, "string of ")
		ok = ok || description == "string" || enum && (slices.Contains(open, name) || value == "" || slices.Contains(s.Enums[name], value))
	case bool:
		ok = ok || description == "boolean"
	case float64:
		ok = ok || description == "number" || description == "integer"
	}
	if ok {
		return nil
	}
	return wrong
}

func (s shapes) objectRefusals(description, path string, value map[string]any) (all []string) {
	shape, known := s.Types[description]
	element, free := strings.CutPrefix(description, "{")
	if !known && !free && description != "any" {
		return []string{fmt.Sprintf("%s is an object, and %s reads %s", path, version, description)}
	}
	for _, name := range slices.Sorted(maps.Keys(shape.Members)) {
		if _, ok := value[name]; !ok && shape.Members[name].Required {
			all = append(all, fmt.Sprintf("%s.%s is absent, and %s needs it", path, name, version))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(value)) {
		m, ok := shape.Members[name]
		switch {
		case ok:
			all = append(all, s.refusals(m.Type, path+"."+name, value[name])...)
		case free:
			all = append(all, s.refusals(strings.TrimSuffix(element, "}"), path+"."+name, value[name])...)
		case known && shape.Strict:
			all = append(all, fmt.Sprintf("%s.%s is unknown, and %s rejects it", path, name, version))
		}
	}
	return all
}
