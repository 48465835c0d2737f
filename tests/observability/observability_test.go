// Package observability checks the dashboards in deploy/grafana and the alerts in
// deploy/prometheus against the metrics that the programs export, and which alerts fire on
// what one program exports. Package faults does the latter for outages of a deployment.
//
// A metric is known if the standalone program exports it after each service was used. That
// leaves metrics of rare events, such as a full pool, and of MongoDB: these have to be
// registered in the sources. Where a metric is known from both, they must agree.
package observability

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rectohq/recto/tests/harness"
)

// TestMetrics checks every expression of the dashboards and alerts, and that every metric
// of Recto is on a dashboard.
func TestMetrics(t *testing.T) {
	harness.StandaloneOnly(t)
	all, expressions := known(t), ""
	for _, d := range dashboards(t) {
		for _, p := range d.Panels {
			for _, query := range p.Targets {
				expressions += query.Expr + "\n"
				labels, problems := all.check(query.Expr)
				for _, problem := range problems {
					t.Errorf("%s, %s: %s", d.Title, p.Title, problem)
				}
				if missing := unknown(legend, query.Legend, labels); missing != nil {
					t.Errorf("%s, %s: the legend has the labels %q, which the result lacks", d.Title, p.Title, missing)
				}
			}
		}
		for _, v := range d.Templating.List {
			if m := variable.FindStringSubmatch(v.Definition); m != nil {
				labels, problems := all.check(m[1])
				if len(problems) > 0 || !labels[m[2]] {
					t.Errorf("%s: variable %s: %s: %q", d.Title, v.Name, v.Definition, problems)
				}
			} else if v.Type == "query" {
				t.Errorf("%s: variable %s has the definition %q", d.Title, v.Name, v.Definition)
			}
		}
	}
	for _, a := range alerts(t) {
		labels, problems := all.check(a.Expr)
		for _, problem := range problems {
			t.Errorf("%s: %s", a.Alert, problem)
		}
		if missing := unknown(template, a.Annotations.Summary+a.Annotations.Description, labels); missing != nil {
			t.Errorf("%s: the annotations have the labels %q, which the result lacks", a.Alert, missing)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(all.metrics)) {
		if strings.HasPrefix(name, "recto_") && !strings.Contains(expressions, name) {
			t.Errorf("no dashboard shows %s", name)
		}
	}
}

// variable matches the definition of a variable that has the values of a label.
var variable = regexp.MustCompile(`^label_values\((.+), (\w+)\)$`)

// known returns what the running program exports and what the sources register.
func known(t *testing.T) exported {
	t.Helper()
	registered, running := readSources(t), scrape(t)
	all, unseen := maps.Clone(registered.metrics), []string(nil)
	maps.Copy(all, running)
	for _, name := range slices.Sorted(maps.Keys(registered.metrics)) {
		declared := registered.metrics[name]
		if seen, ok := running[name]; !ok {
			unseen = append(unseen, name)
		} else if seen.kind != declared.kind || !maps.Equal(seen.labels, declared.labels) {
			t.Errorf("the program exports %s as %v; its registration is understood as %v", name, seen, declared)
		}
	}
	if len(registered.metrics) < 20 || len(running) < 40 {
		t.Errorf("found %d registrations and %d metrics of the program", len(registered.metrics), len(running))
	}
	t.Logf("known from the sources only: %s", strings.Join(unseen, ", "))
	return exported{all, registered.literals}
}

// dashboard is a dashboard of Grafana.
type dashboard struct {
	UID        string `json:"uid"`
	Title      string `json:"title"`
	Schema     int    `json:"schemaVersion"`
	Templating struct {
		List []struct {
			Name       string `json:"name"`
			Type       string `json:"type"`
			Definition string `json:"definition"`
		} `json:"list"`
	} `json:"templating"`
	Panels []struct {
		ID          int    `json:"id"`
		Type        string `json:"type"`
		Title       string `json:"title"`
		Description string `json:"description"`
		Datasource  source `json:"datasource"`
		FieldConfig struct {
			Defaults struct {
				Unit string `json:"unit"`
			} `json:"defaults"`
		} `json:"fieldConfig"`
		Targets []struct {
			Expr       string `json:"expr"`
			Legend     string `json:"legendFormat"`
			Datasource source `json:"datasource"`
		} `json:"targets"`
	} `json:"panels"`
}

// source is a reference to a data source.
type source struct {
	UID string `json:"uid"`
}

func dashboards(t *testing.T) []dashboard {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(harness.Root(), "deploy/grafana/*.json"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	var all []dashboard
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var d dashboard
		if err := json.Unmarshal(content, &d); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if name := strings.TrimSuffix(filepath.Base(file), ".json"); d.UID != name {
			t.Errorf("%s has the uid %q", file, d.UID)
		}
		all = append(all, d)
	}
	return all
}

// TestDashboards checks that Grafana can tell the dashboards and panels apart, and that each
// panel has queries, a unit and a description.
func TestDashboards(t *testing.T) {
	titles := map[string]bool{}
	for _, d := range dashboards(t) {
		ids, panels, defined := map[int]bool{}, map[string]bool{}, []string{"__rate_interval"}
		for _, v := range d.Templating.List {
			defined = append(defined, v.Name)
		}
		if titles[d.Title] || d.Schema == 0 || !slices.Contains(defined, "datasource") {
			t.Errorf("%s: another dashboard has the title, or there is no schema version or data source", d.Title)
		}
		titles[d.Title] = true
		for _, p := range d.Panels {
			if ids[p.ID] || p.Title == "" || panels[p.Title] {
				t.Errorf("%s, %s: the id or the title is not unique", d.Title, p.Title)
			}
			ids[p.ID], panels[p.Title] = true, true
			if p.Type == "row" {
				continue
			}
			if len(p.Targets) == 0 || p.Description == "" || p.FieldConfig.Defaults.Unit == "" || p.Datasource.UID != "${datasource}" {
				t.Errorf("%s, %s: a query, the description, the unit or the data source is missing", d.Title, p.Title)
			}
			for _, query := range p.Targets {
				if query.Expr == "" || query.Legend == "" || query.Datasource.UID != "${datasource}" {
					t.Errorf("%s, %s: the expression, the legend or the data source of a query is missing", d.Title, p.Title)
				}
				for _, m := range used.FindAllStringSubmatch(query.Expr, -1) {
					if !slices.Contains(defined, m[1]) {
						t.Errorf("%s, %s: there is no variable %s", d.Title, p.Title, m[1])
					}
				}
			}
		}
	}
}

// used matches a variable in an expression.
var used = regexp.MustCompile(`\$(\w+)`)
