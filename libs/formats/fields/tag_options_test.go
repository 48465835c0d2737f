package fields

import (
	"slices"
	"testing"
)

func TestTagOptions(t *testing.T) {
	for list, want := range map[string][]string{
		`["A", "B ", 1, {"a":[]}, "A", ""]`: {"A", "B"}, `"A|B"`: {"A", "B"}, `["A|B"]`: {"A B"}, `{}`: nil, `7`: nil, `[]`: nil, `""`: nil,
	} {
		tag, ok := ParseTag(`{"fieldId":"agreementinput-a","options":` + list + `}`)
		var got []string
		for _, o := range tag.Options {
			got = append(got, o.Display)
		}
		if !ok || !slices.Equal(got, want) {
			t.Errorf("%s: got %q, %v, want %q", list, got, ok, want)
		}
	}
	for _, damaged := range []string{`["A"`, `["A",]`, `["\x"]`} {
		if tag, ok := ParseTag(`{"fieldId":"agreementinput-a","options":` + damaged + `}`); ok {
			t.Errorf("%s: got %+v", damaged, tag)
		}
	}
}
