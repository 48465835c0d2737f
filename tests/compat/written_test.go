package compat

import (
	"database/sql"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// checkWritten holds what the services of this tree have written against what the recorded
// version reads: the messages on the bus and, after the services have stopped, their
// databases.
func (w *world) checkWritten(t *testing.T) {
	t.Helper()
	was := read[shapes](t, "shapes.json")
	w.catchUp(t)
	w.mu.Lock()
	for _, e := range w.exchanges {
		for _, refusal := range was.exchangeRefusals(e) {
			t.Errorf("%s cannot use what this tree sends on %s: %s", version, e.Subject, refusal)
		}
	}
	for _, m := range w.messages {
		for _, refusal := range was.messageRefusals(m) {
			t.Errorf("%s cannot use what this tree sends on %s: %s", version, m.Subject, refusal)
		}
	}
	seen := len(w.exchanges) + len(w.messages)
	w.mu.Unlock()
	if seen < 50 {
		t.Errorf("%d messages were seen, want 50 or more", seen)
	}
	w.stop(slices.Collect(maps.Keys(w.services))...)
	for name, script := range dumps(t) {
		if name == "gateway" || name == "idempotency" {
			continue // see TestOldDatabases
		}
		path := filepath.Join(t.TempDir(), "recorded.db")
		restore(t, script, path)
		checkDatabase(t, name, openSQL(t, path), openSQL(t, filepath.Join(filepath.Dir(w.at("x")), name+".db")))
	}
}

// checkDatabase holds a database of this tree against the recorded one.
func checkDatabase(t *testing.T, name string, was, is *sql.DB) {
	t.Helper()
	for _, b := range schemaBreaks(schema(t, was), schema(t, is)) {
		t.Errorf("%s cannot use the database %s of this tree: %s", version, name, b)
	}
	for _, b := range rows(t, was).breaks(rows(t, is)) {
		t.Errorf("%s cannot read the records in the database %s of this tree: %s", version, name, b)
	}
}

func (s shapes) exchangeRefusals(e *exchange) (all []string) {
	endpoint, ok := s.Endpoints[e.Subject]
	if !ok {
		return nil // a new subject, which the recorded version does not call
	}
	if endpoint.Request != "bytes" && len(e.Request.JSON) > 0 {
		all = s.refusals(endpoint.Request, "the request", decode(e.Request.JSON))
	}
	switch {
	case !e.answered: // a service still works on it, or was not there yet
	case e.Error != "":
		all = append(all, s.refusals("problem.Error", "the error", decode(e.Reply.JSON))...)
	case endpoint.Reply != "bytes":
		all = append(all, s.refusals(endpoint.Reply, "the reply", decode(e.Reply.JSON))...)
	}
	return all
}

func (s shapes) messageRefusals(m message) []string {
	kind, _, _ := strings.Cut(m.Subject, ".")
	switch {
	case len(m.Body.JSON) == 0:
		return nil
	case kind == "log":
		return s.refusals("insightapi.Event", "the entry", decode(m.Body.JSON))
	case kind != "events":
		return nil
	}
	value := decode(m.Body.JSON)
	all := s.refusals("contract.Event", "the event", value)
	if event, ok := value.(map[string]any); ok && event["data"] != nil {
		if data := s.Events[fmt.Sprint(event["type"])]; data != "" {
			all = append(all, s.refusals(data, "the data", event["data"])...)
		}
	}
	return all
}

// observed describes JSON values by what they contain, for records whose types are known
// only to the service that stores them. It maps the path of each member, without the
// indexes of arrays, to what was found there.
type observed map[string]*found

// found counts the values of a member, and the objects that may have it.
type found struct {
	values, objects int
	kinds           map[string]bool
}

// rows observes the JSON in the columns of a database.
func rows(t *testing.T, db *sql.DB) observed {
	t.Helper()
	o := observed{}
	for table, all := range schema(t, db) {
		for _, c := range all {
			if c.kind != "BLOB" {
				continue
			}
			for _, row := range query(t, db, fmt.Sprintf("SELECT CAST(%s AS TEXT) FROM %s WHERE %[1]s IS NOT NULL", c.name, table)) {
				if v := jsontext.Value(row[0]); v.IsValid() {
					o.add(table+"."+c.name, decode(v))
				}
			}
		}
	}
	return o
}

// add observes a value.
func (o observed) add(path string, v any) {
	f := o.at(path)
	f.values++
	switch v := v.(type) {
	case map[string]any:
		f.kinds["an object"] = true
		f.objects++
		for name, member := range v {
			o.add(path+"."+name, member)
		}
	case []any:
		f.kinds["an array"] = true
		for _, item := range v {
			o.add(path+"[]", item)
		}
	case nil:
	default:
		f.kinds["a "+strings.TrimSuffix(fmt.Sprintf("%T", v), "64")] = true
	}
}

func (o observed) at(path string) *found {
	if o[path] == nil {
		o[path] = &found{kinds: map[string]bool{}}
	}
	return o[path]
}

// always reports whether every object that may have the member has it.
func (o observed) always(path string) bool {
	dot := strings.LastIndex(path, ".")
	if dot < 0 || strings.HasSuffix(path, "[]") {
		return false
	}
	parent := o[path[:dot]]
	return parent != nil && parent.objects > 0 && o[path] != nil && o[path].values == parent.objects
}

// breaks returns what keeps a program that wrote the observed records from reading others.
func (o observed) breaks(is observed) (all []string) {
	for _, path := range slices.Sorted(maps.Keys(o)) {
		dot := strings.LastIndex(path, ".")
		if o.always(path) && is[path[:dot]] != nil && is[path[:dot]].objects > 0 && !is.always(path) {
			all = append(all, path+" is not always written: keep writing it until no supported version reads it")
		}
		if is[path] == nil {
			continue
		}
		for _, kind := range slices.Sorted(maps.Keys(is[path].kinds)) {
			if len(o[path].kinds) > 0 && !o[path].kinds[kind] {
				all = append(all, fmt.Sprintf("%s is %s, which it never was: write another member instead", path, kind))
			}
		}
	}
	return all
}
