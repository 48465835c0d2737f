package problem_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rectohq/recto/libs/problem"
)

// TestEchoOfWrittenCharacters looks at strings whose JSON text is longer than
// they are, cut anywhere.
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
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	problem.Echo(v)
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
		t.Errorf("the echo of an image took %d bytes", n)
	}
}
