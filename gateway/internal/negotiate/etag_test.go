package negotiate

import (
	"slices"
	"strings"
	"testing"
)

func TestEntityTags(t *testing.T) {
	for header, want := range map[string]string{
		"":                     "",
		`"a"`:                  `"a"`,
		`W/"a"`:                `"a"`,
		`"a", W/"b" ,"c"`:      `"a" "b" "c"`,
		`"a,b"`:                `"a,b"`,
		`""`:                   `""`,
		" , ,\t":               "",
		`a, "b"`:               `"b"`,
		`"a`:                   "",
		`w/"a", "b"`:           `"b"`,
		"*":                    "*",
		`"a", *`:               `"a" *`,
		"**":                   "",
		`"a""b"`:               `"a" "b"`,
		strings.Repeat(",", 9): "",
	} {
		tags, any := EntityTags([]string{header})
		if any {
			tags = append(tags, "*")
		}
		if got := strings.Join(tags, " "); got != want {
			t.Errorf("%s: got %s, want %s", header, got, want)
		}
	}
	if tags, any := EntityTags([]string{`"a"`, `"b"`}); any || !slices.Equal(tags, []string{`"a"`, `"b"`}) {
		t.Errorf("two headers: got %v, %v", tags, any)
	}
}

func FuzzEntityTags(f *testing.F) {
	f.Add(`"a", W/"b", *`)
	f.Fuzz(func(t *testing.T, header string) {
		tags, _ := EntityTags([]string{header})
		for _, tag := range tags {
			if len(tag) < 2 || tag[0] != '"' || tag[len(tag)-1] != '"' || strings.Count(tag, `"`) != 2 || !strings.Contains(header, tag) {
				t.Errorf("%q: the tag %q", header, tag)
			}
		}
	})
}
