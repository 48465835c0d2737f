package observability

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/VictoriaMetrics/metricsql"
)

// exported is what expressions are checked against.
type exported struct {
	metrics  map[string]metric
	literals map[string]bool
}

// target are the labels that Prometheus adds to every series: job and instance always,
// namespace and pod on Kubernetes.
var target = []string{"job", "instance", "namespace", "pod"}

// series returns the labels of the series with a name, nil if no metric has them. A
// histogram has series with three suffixes.
func (e exported) series(name string) map[string]bool {
	labels := map[string]bool{}
	for _, l := range target {
		labels[l] = true
	}
	m, ok := e.metrics[name]
	if ok && m.kind == "Histogram" {
		return nil // only its series have values
	}
	for _, suffix := range []string{"_bucket", "_count", "_sum"} {
		base, has := strings.CutSuffix(name, suffix)
		if own, known := e.metrics[base]; has && !ok && known && own.kind == "Histogram" {
			m, ok = own, true
			if suffix == "_bucket" {
				labels["le"] = true
			}
		}
	}
	if !ok && name != "up" { // Prometheus itself adds "up"
		return nil
	}
	maps.Copy(labels, m.labels)
	return labels
}

// windows are the variables of Grafana in ranges.
var windows = strings.NewReplacer("$__rate_interval", "5m", "$__interval", "1m", "$__range", "1h")

// check returns what is wrong with an expression, and the labels of its result.
func (e exported) check(expr string) (labels map[string]bool, problems []string) {
	parsed, err := metricsql.Parse(windows.Replace(expr))
	if err != nil {
		return nil, []string{fmt.Sprintf("%s: %v", expr, err)}
	}
	c := checker{exported: e}
	labels = c.labels(parsed)
	for i, p := range c.problems {
		c.problems[i] = expr + ": " + p
	}
	return labels, c.problems
}

type checker struct {
	exported
	problems []string
}

func (c *checker) fail(format string, args ...any) {
	c.problems = append(c.problems, fmt.Sprintf(format, args...))
}

// labels checks an expression and returns the labels of its result.
func (c *checker) labels(e metricsql.Expr) map[string]bool {
	switch e := e.(type) {
	case *metricsql.MetricExpr:
		return c.selector(e)
	case *metricsql.RollupExpr:
		return c.labels(e.Expr)
	case *metricsql.FuncExpr:
		return c.function(e)
	case *metricsql.AggrFuncExpr:
		all, kept := c.union(e.Args), map[string]bool{}
		if op := strings.ToLower(e.Modifier.Op); op != "by" && op != "" {
			c.fail("%s is not checked: use by", op)
		}
		for _, l := range e.Modifier.Args {
			if !all[l] {
				c.fail("by: there is no label %s", l)
			}
			kept[l] = true
		}
		return kept
	case *metricsql.BinaryOpExpr:
		left, right := c.labels(e.Left), c.labels(e.Right)
		for _, l := range e.GroupModifier.Args {
			if !left[l] && !right[l] {
				c.fail("%s: there is no label %s", e.GroupModifier.Op, l)
			}
		}
		if len(left) == 0 {
			return right
		}
		return left
	}
	return nil
}

// function checks the call of a function. PromQL demands a range where MetricsQL, which
// the parser is for, assumes one.
func (c *checker) function(e *metricsql.FuncExpr) map[string]bool {
	ranged := slices.Contains([]string{"rate", "increase", "changes", "min_over_time", "max_over_time"}, e.Name)
	for _, arg := range e.Args {
		r, ok := arg.(*metricsql.RollupExpr)
		if hasRange := ok && r.Window != nil; ranged != hasRange {
			c.fail("%s: a range is missing, or there is one too many", e.Name)
		}
	}
	all := c.union(e.Args)
	if e.Name == "histogram_quantile" {
		if !all["le"] {
			c.fail("histogram_quantile needs the label le")
		}
		delete(all, "le")
	}
	return all
}

func (c *checker) union(args []metricsql.Expr) map[string]bool {
	all := map[string]bool{}
	for _, arg := range args {
		maps.Copy(all, c.labels(arg))
	}
	return all
}

// selector checks the name, the labels and the values of a selector.
func (c *checker) selector(e *metricsql.MetricExpr) map[string]bool {
	if len(e.LabelFilterss) != 1 || len(e.LabelFilterss[0]) == 0 || e.LabelFilterss[0][0].Label != "__name__" {
		c.fail("a selector needs the name of a metric")
		return nil
	}
	filters := e.LabelFilterss[0]
	known := c.series(filters[0].Value)
	if known == nil {
		c.fail("there is no metric %s", filters[0].Value)
		return nil
	}
	for _, f := range filters[1:] {
		if !known[f.Label] {
			c.fail("%s has no label %s", filters[0].Value, f.Label)
		}
		if slices.Contains(target, f.Label) || f.Label == "status" || strings.HasPrefix(f.Value, "$") {
			continue
		}
		for value := range strings.SplitSeq(f.Value, "|") {
			if !c.literals[value] && !strings.HasSuffix(value, ".*") {
				c.fail("%s is never %q", f.Label, value)
			}
		}
	}
	return maps.Clone(known)
}

var (
	legend   = regexp.MustCompile(`{{ *(\w+) *}}`)
	template = regexp.MustCompile(`\$labels\.(\w+)`)
)

// unknown returns the labels that a text refers to and that the result does not have.
func unknown(reference *regexp.Regexp, text string, labels map[string]bool) (missing []string) {
	for _, m := range reference.FindAllStringSubmatch(text, -1) {
		if !labels[m[1]] {
			missing = append(missing, m[1])
		}
	}
	return missing
}

// TestChecker checks that the checker finds what a renamed metric, label or value leads to.
func TestChecker(t *testing.T) {
	e := exported{
		metrics: map[string]metric{
			"a_total": {"Counter", map[string]bool{"kind": true}}, "b_seconds": {"Histogram", nil},
		},
		literals: map[string]bool{"x": true, "y": true},
	}
	for expr, want := range map[string]string{
		`sum by (kind, job) (rate(a_total{kind=~"x|y", namespace=~"$namespace"}[$__rate_interval]))`: "",
		`histogram_quantile(0.9, sum by (le) (rate(b_seconds_bucket[5m])))`:                          "",
		`a_total / ignoring (kind) up`:           "",
		`rate(other_total[5m])`:                  "no metric other_total",
		`b_seconds`:                              "no metric b_seconds",
		`a_total_count`:                          "no metric a_total_count",
		`a_total{type="x"}`:                      "no label type",
		`a_total{kind="z"}`:                      `never "z"`,
		`sum by (le) (a_total)`:                  "no label le",
		`sum by (kind) (sum by (job) (a_total))`: "no label kind",
		`a_total / on (type) a_total`:            "no label type",
		`histogram_quantile(0.9, sum by (job) (rate(b_seconds_bucket[5m])))`: "needs the label le",
		`rate(a_total)`: "a range is missing",
		`sum(`:          "sum(",
		`{job="x"}`:     "needs the name",
	} {
		_, problems := e.check(expr)
		if want == "" && len(problems) > 0 || want != "" && !strings.Contains(strings.Join(problems, "\n"), want) {
			t.Errorf("%s: got %q, want %q", expr, problems, want)
		}
	}
}
