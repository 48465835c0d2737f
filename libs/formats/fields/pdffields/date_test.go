package pdffields

import (
	"testing"
	"time"
)

func TestDates(t *testing.T) {
	for pattern, want := range map[string]string{
		"mm/dd/yyyy": "02/09/2026", "m/d/yy": "2/9/26", "d-mmm-yy": "9-Feb-26", "mmmm d, yyyy": "February 9, 2026",
		"dddd, d.m.yyyy": "Monday, 9.2.2026", "ddd dd mmm yyyy": "Mon 09 Feb 2026", "yy-mm-dd": "26-02-09",
		"m/d/yy h:MM tt": "2/9/26 12:00 am", "m/d/yy HH:MM:ss": "2/9/26 00:00:00", `\d d/m/yyyy`: "d 9/2/2026", "dd.mm.yyyy": "09.02.2026",
		"yyyymmdd": "20260209",
	} {
		if got := formatDate(pattern, "2026-02-09"); got != want {
			t.Errorf("%s shows %q, want %q", pattern, got, want)
		}
		if !wholeDate(pattern) {
			t.Errorf("%s shows no whole date", pattern)
		}
		if got := isoDate(pattern, want); got != "2026-02-09" {
			t.Errorf("%s reads %q as %q", pattern, want, got)
		}
	}
	for _, pattern := range []string{"", "mm/yy", "m/d", "dddd mmm yy", "HH:MM", "yyyy"} {
		if wholeDate(pattern) {
			t.Errorf("%q shows a whole date", pattern)
		}
	}
}

func TestNoDates(t *testing.T) {
	for _, text := range []string{"", "tomorrow", "13/01/2026", "02/30/2026", "02/09/2026 x", "2-9-2026", "/9/2026"} {
		if got := isoDate("mm/dd/yyyy", text); got != text {
			t.Errorf("%q is read as %q", text, got)
		}
	}
	if got := isoDate("d mmm yyyy", "9 Foo 2026"); got != "9 Foo 2026" {
		t.Errorf("an unknown month is read as %q", got)
	}
	for text, want := range map[string]string{"1/2/49": "2049-01-02", "1/2/50": "1950-01-02"} {
		if got := isoDate("m/d/yy", text); got != want {
			t.Errorf("%q is read as %q, want %q", text, got, want)
		}
	}
	if got := formatDate("d/m/yy", "soon"); got != "soon" {
		t.Errorf("text is written as %q", got)
	}
}

// FuzzDates checks that a date written in a pattern with its whole year is read again.
func FuzzDates(f *testing.F) {
	f.Add("mm/dd/yyyy", "02/09/2026")
	f.Add("dddd, mmmm d, yyyy h:MM tt", "")
	f.Add(`\\d\m y ''""`, "x")
	f.Fuzz(func(t *testing.T, pattern, text string) {
		if len(pattern) > 64 || len(text) > 200 {
			return
		}
		if got := isoDate(pattern, text); got != text {
			if _, err := time.Parse(time.DateOnly, got); err != nil {
				t.Fatalf("%q in %q is read as %q", text, pattern, got)
			}
		}
		if out := formatDate(pattern, "2026-02-09"); len(out) > 10*len(pattern) {
			t.Fatalf("%q shows %d bytes", pattern, len(out))
		}
	})
}
