package space_test

import (
	"testing"

	"github.com/rectohq/recto/services/insight/internal/space"
)

func TestIs(t *testing.T) {
	for _, r := range " \t\r\n\u0085\u00a0\u2003\u2009\u2028\u2029\u202f\u3000\u200b\ufeff" {
		if !space.Is(r) {
			t.Errorf("%U is not white space", r)
		}
	}
	for _, r := range "a-_\u00ad\u200d\x00" {
		if space.Is(r) {
			t.Errorf("%U is white space", r)
		}
	}
}

func TestCompile(t *testing.T) {
	re := space.Compile(`^a\s?b[x\s\]-]{2}\\s[^\s]$`)
	for text, want := range map[string]bool{
		`a b -\sc`: true, "a\u00a0b\u202f]\\sc": true, `abxx\sc`: true, `axbxx\sc`: false, `ab-\sc`: false, "abxx\u00a0c": false, "abxx\\s\u00a0": false,
	} {
		if re.MatchString(text) != want {
			t.Errorf("%q: got %v, want %v", text, !want, want)
		}
	}
}
