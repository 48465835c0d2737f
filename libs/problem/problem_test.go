package problem_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rectohq/recto/libs/problem"
)

func TestListDecidesTheCode(t *testing.T) {
	missing := problem.Required("name")
	format := problem.WrongType("name", "a string", jsontext.Value("1"))
	query := problem.Unparsable("size", problem.CodeInvalidType, "an integer", "x")
	rule := problem.Broken("name", jsontext.Value(`""`), problem.Fault{Code: problem.CodeTooShort, Message: "must not be empty"})
	for _, tc := range []struct {
		entries []problem.Entry
		want    problem.Code
	}{
		{[]problem.Entry{missing}, problem.MissingFields}, {[]problem.Entry{missing, missing}, problem.MissingFields},
		{[]problem.Entry{format, query}, problem.InvalidFormat}, {[]problem.Entry{rule}, problem.InvalidRequest},
		{[]problem.Entry{missing, format}, problem.InvalidRequest}, {[]problem.Entry{format, rule}, problem.InvalidRequest},
	} {
		var l problem.List
		for _, e := range tc.entries {
			l.Add(e)
		}
		if err := l.Err(); !problem.Is(err, tc.want) || len(problem.Of(err).Entries) != len(tc.entries) {
			t.Errorf("%d entries: got %v, want %d", len(tc.entries), err, tc.want)
		}
	}
	var none problem.List
	none.Check("name", "x", nil)
	if err := none.Err(); err != nil || none.Len() != 0 {
		t.Errorf("an empty list: %v", err)
	}
	var many problem.List
	for i := range 2000 {
		e := rule
		e.Path = fmt.Sprint("field", i/2) // each field has two
		many.Add(e)
	}
	if err := problem.Of(many.Err()); len(err.Entries) != 1000 || !strings.Contains(err.Detail, "and 495 more") {
		t.Errorf("2000 entries: %d, %s", len(err.Entries), err.Detail)
	}
}

func TestOf(t *testing.T) {
	e := problem.New(problem.DocumentNotFound, "No %s.", "x")
	for _, tc := range []struct {
		err  error
		want problem.Code
	}{
		{e, problem.DocumentNotFound}, {fmt.Errorf("while: %w", e), problem.DocumentNotFound}, {errors.Join(nil, e), problem.DocumentNotFound},
		{context.DeadlineExceeded, problem.TimedOut}, {fmt.Errorf("while: %w", context.DeadlineExceeded), problem.TimedOut},
		{errors.New("x"), problem.Internal}, {context.Canceled, problem.Internal},
	} {
		if got := problem.Of(tc.err); got.Code != tc.want || got.Detail == "" {
			t.Errorf("Of(%v) = %v, want %d", tc.err, got, tc.want)
		}
	}
}

func TestCauseIsNotSerialized(t *testing.T) {
	cause := errors.New("secret")
	e := problem.New(problem.Unavailable, "Later.").After(1500 * time.Millisecond).Because(cause)
	data, err := json.Marshal(e)
	if err != nil || strings.Contains(string(data), "secret") {
		t.Errorf("it is serialized as %s, %v", data, err)
	}
	var back problem.Error
	if err := json.Unmarshal(data, &back); err != nil || back.Code != e.Code || back.Detail != e.Detail || back.RetryAfter != 2 {
		t.Errorf("it is deserialized as %+v, %v", back, err)
	}
	if !errors.Is(e, cause) || !strings.Contains(e.Error(), "secret") {
		t.Error("the text for logs lacks the cause")
	}
}

func TestEveryCodeHasAMessage(t *testing.T) {
	seen := map[string]problem.Code{}
	for _, c := range problem.Codes() {
		if other, taken := seen[c.Message()]; taken || c.Message() == "" {
			t.Errorf("%d and %d are both %q", c, other, c.Message())
		}
		seen[c.Message()] = c
	}
}

func TestEcho(t *testing.T) {
	long := strings.Repeat("x", 9000)
	for _, tc := range []struct{ in, want string }{
		{"", "null"}, {"null", "null"}, {`"a"`, `"a"`}, {"1.50", "1.50"}, {`{"a":1}`, `{"a":1}`}, {`[1,"a",null]`, `[1,"a",null]`},
		{`"` + long + `"`, `"` + long[:8192] + `…"`},
		{`["` + long + `",1]`, `["` + long[:8192] + `…",1]`},
		{`[[` + strings.Repeat("1,", 8000) + `1]]`, `[[` + strings.Repeat("1,", 100) + `"…"]]`},
		{`[` + strings.Repeat("1,", 200) + `1]`, `[` + strings.Repeat("1,", 100) + `"…"]`},
	} {
		if got := string(problem.Echo(jsontext.Value(tc.in))); got != tc.want {
			t.Errorf("Echo(%.40s…) = %.60s… (%d bytes), want %.60s… (%d)", tc.in, got, len(got), tc.want, len(tc.want))
		}
	}
	source := []byte(`"abc"`)
	echo := problem.Echo(source)
	source[1] = 'X'
	if string(echo) != `"abc"` {
		t.Error("the echo aliases its source")
	}
}

func FuzzEcho(f *testing.F) {
	for _, seed := range []string{`"a"`, `["é",{"a":[1]}]`, `{"x":"\ud83d\ude00"}`, `"` + strings.Repeat("é", 5000) + `"`, "[", "nul"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v := jsontext.Value(data)
		if !v.IsValid() {
			problem.Echo(v)
			return
		}
		for _, echo := range []jsontext.Value{problem.Echo(v), problem.Shorten(v, 7)} {
			if !echo.IsValid() || echo.Kind() != v.Kind() && v.Kind() != '0' {
				t.Errorf("the echo of %q is %q", v, echo)
			}
		}
	})
}

// TestBytes writes limits as people read them.
func TestBytes(t *testing.T) {
	for n, want := range map[int64]string{
		64 << 20: "64 MiB (67108864 bytes)", 64 << 10: "64 KiB (65536 bytes)", 1 << 30: "1024 MiB (1073741824 bytes)", 1000: "1000 bytes", 0: "0 bytes", 1<<20 + 1: "1048577 bytes",
	} {
		if got := problem.Bytes(n); got != want {
			t.Errorf("Bytes(%d) = %q, want %q", n, got, want)
		}
	}
}
