package problem_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rectohq/recto/libs/problem"
)

// TestEchoOfWrittenCharacters cuts strings whose JSON text is longer than they are at
// every position.
func TestEchoOfWrittenCharacters(t *testing.T) {
	for written, plain := range map[string]string{
		`a`: "a", `é`: "é", `😀`: "😀", `\n`: "\n", `\/`: "/", `\u00e9`: "é", `\uD83D\ude00`: "😀", `\"`: `"`, `x\\`: `x\`, `\uD7FF`: "\uD7FF",
	} {
		for _, n := range []int{0, 1, 1000, 1366, 2730, 4095, 4096, 8192, 8193, 100_000} {
			v := jsontext.Value(`"` + strings.Repeat(written, n) + `"`)
			want := problem.EchoString(strings.Repeat(plain, n))
			if got := problem.Echo(v); string(got) != string(want) {
				t.Errorf("%s %d times: got %d bytes, want %d", written, n, len(got), len(want))
			}
		}
	}
	v := jsontext.Value(`"` + strings.Repeat("x", 10<<20) + `"`)
	list := jsontext.Value("[" + string(v) + "]")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	problem.Echo(v)
	problem.Echo(list)
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
		t.Errorf("the echo of an image took %d bytes", n)
	}
}

// TestEchoKeepsTheShape cuts values of every shape: the result has the same shape, and
// never contains JSON inside a string.
func TestEchoKeepsTheShape(t *testing.T) {
	a, e := strings.Repeat("a", 9000), strings.Repeat("é", 5000)
	cutA, cutE := a[:8192]+"…", e[:8192]+"…"
	members := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `"%d":%d,`, i, i)
		}
		return strings.TrimSuffix(b.String(), ",")
	}
	for _, tc := range []struct{ name, in, want string }{
		{"strings in an array", `["` + a + `","b","` + e + `"]`, `["` + cutA + `","b","` + cutE + `"]`},
		{"strings in an object", `{"x":"` + a + `","y":{"z":["` + a + `"]}}`, `{"x":"` + cutA + `","y":{"z":["` + cutA + `"]}}`},
		{"a name", `{"` + a + `":1}`, `{"` + cutA + `":1}`},
		{"a long object of short values", `{` + members(100) + `}`, `{` + members(100) + `}`},
		{"too many members", `{` + members(101) + `}`, `{` + members(100) + `,"…":"…"}`},
		{"too many items, deep within", `{"x":[[1` + strings.Repeat(",1", 100) + `]],"y":2}`, `{"x":[[1` + strings.Repeat(",1", 99) + `,"…"]]}`},
		{"a long number", strings.Repeat("1", 9000), `"` + strings.Repeat("1", 8192) + `…"`},
		{"a long number in an array", `[` + strings.Repeat("1", 9000) + `]`, `["` + strings.Repeat("1", 8192) + `…"]`},
		{"repeated names", `[{"a":1,"a":2}]`, `[{"a":1,"a":2}]`},
		{"white space", " [ 1 , { } ] ", "[1,{}]"},
		{"empty containers", `[[],{}]`, `[[],{}]`},
	} {
		if got := string(problem.Echo(jsontext.Value(tc.in))); got != tc.want {
			t.Errorf("%s: got %.80s… (%d bytes), want %.80s… (%d)", tc.name, got, len(got), tc.want, len(tc.want))
		}
	}
}

// TestEchoIsBounded echoes values that are large in every possible way.
func TestEchoIsBounded(t *testing.T) {
	text := strings.Repeat("a", 8192)
	full := `["` + text + strings.Repeat(`","`+text, 99) + `"]`
	if got := string(problem.Echo(jsontext.Value(full))); got != full {
		t.Errorf("an array of 100 strings that fits is cut to %d bytes", len(got))
	}
	inner := "[" + strings.TrimSuffix(strings.Repeat(`"`+text+`",`, 90), ",") + "]"
	for name, v := range map[string]string{
		"arrays of arrays": "[" + strings.TrimSuffix(strings.Repeat(inner+",", 90), ",") + "]",
		"escapes":          `["` + strings.TrimSuffix(strings.Repeat(strings.Repeat(`\u0001`, 9000)+`","`, 100), `","`) + `"]`,
		"deep":             strings.Repeat(`{"x":[`, 30) + inner + strings.Repeat("]}", 30),
	} {
		if !jsontext.Value(v).IsValid() {
			t.Fatalf("%s: the test value is not JSON", name)
		}
		if got := problem.Echo(jsontext.Value(v)); len(got) > 1<<20+64<<10 || !got.IsValid() || name != "deep" && !strings.Contains(string(got), "…") {
			t.Errorf("%s: %d bytes, valid %t, …%s", name, len(got), got.IsValid(), got[len(got)-20:])
		}
		if got := problem.Shorten(jsontext.Value(v), 256); len(got) > 4096 || !got.IsValid() || got.Kind() != jsontext.Value(v).Kind() {
			t.Errorf("%s: shortened to %d bytes, %.40s…", name, len(got), got)
		}
	}
	for in, want := range map[string]string{`"ééé"`: `"éé…"`, `["abcdef"]`: `["abcde…"]`, `"abc"`: `"abc"`, `{"a":"😀😀"}`: `{"a":"😀…"}`} {
		if got := string(problem.Shorten(jsontext.Value(in), 5)); got != want {
			t.Errorf("%s: shortened to %s, want %s", in, got, want)
		}
	}
}
