package date_test

import (
	"testing"
	"unicode/utf8"

	"github.com/rectohq/recto/services/insight/internal/rules/date"
)

func TestFind(t *testing.T) {
	for _, c := range []struct{ text, written, value string }{
		{"as of May 5, 2019 by", "May 5, 2019", "2019-05-05"},
		{"as of MAY 5th , 2019 by", "MAY 5th , 2019", "2019-05-05"},
		{"this the 5th day of May, 2019.", "5th day of May, 2019", "2019-05-05"},
		{"this twenty-first day of\n  June, 1999", "twenty-first day of\n  June, 1999", "1999-06-21"},
		{"on this first day of Sept. 2004", "first day of Sept. 2004", "2004-09-01"},
		{"this 18t h day of August 2014", "18t h day of August 2014", "2014-08-18"},
		{"1 May 2019", "1 May 2019", "2019-05-01"},
		{"1-May-2019", "1-May-2019", "2019-05-01"},
		{"5/1/2019", "5/1/2019", "2019-05-01"},
		{"25/1/2019", "25/1/2019", "2019-01-25"},
		{"31.12.2019", "31.12.2019", "2019-12-31"},
		{"by 5/1/19 at", "5/1/19", "2019-05-01"},
		{"5/1/98", "5/1/98", "1998-05-01"},
		{"2019-05-01T00", "2019-05-01", "2019-05-01"},
		{"in May 2019,", "May 2019", ""},
		{"the __ day of November, 2006", "November, 2006", ""},
		{"the 5th day of May, in the year 2019", "5th day of May, in the year 2019", "2019-05-05"},
		{"on 2019/05/01 at", "2019/05/01", "2019-05-01"},
		{"the 1. May 2019 is", "1. May 2019", "2019-05-01"},
		{"signed 01.05.19, Ulm", "01.05.19", "2019-05-01"},
		{"01.05.19\nthe end", "01.05.19", "2019-05-01"},
		{"Contract start: 05-01-19", "05-01-19", "2019-01-05"},
		{"effective as of1 August 2019, by", "1 August 2019", "2019-08-01"},
		{"by 1-May-19 at", "1-May-19", "2019-05-01"},
		{"01-05-2019", "01-05-2019", "2019-05-01"},
		{"05-21-2019", "05-21-2019", "2019-05-21"},
		{"on May twenty-first, 2019", "May twenty-first, 2019", "2019-05-21"},
		{"on May first, 2019", "May first, 2019", "2019-05-01"},
		{"the first day of May Two Thousand and Nineteen", "first day of May Two Thousand and Nineteen", "2019-05-01"},
		{"of May, Two Thousand and Twenty-Three (2023).", "May, Two Thousand and Twenty-Three", ""},
		{"1 May nineteen hundred and ninety-nine", "1 May nineteen hundred and ninety-nine", "1999-05-01"},
		{"February 29, 2020", "February 29, 2020", "2020-02-29"},
		{"on 5\u00a0May\u00a02019 by", "5\u00a0May\u00a02019", "2019-05-05"},
		{"on 1\u202fMay 2019 by", "1\u202fMay 2019", "2019-05-01"},
		{"on May\u00a05,\u00a02019 by", "May\u00a05,\u00a02019", "2019-05-05"},
		{"am 5.\u00a06.\u00a02019 in", "5.\u00a06.\u00a02019", "2019-06-05"},
		{"this first\u00a0day of\u00a0May 2019", "first\u00a0day of\u00a0May 2019", "2019-05-01"},
		{"the twenty-first day of May, two\u00a0thousand\u00a0nineteen", "twenty-first day of May, two\u00a0thousand\u00a0nineteen", "2019-05-21"},
	} {
		got := date.Find(c.text, 10)
		if len(got) != 1 || c.text[got[0].Start:got[0].End] != c.written || got[0].Value() != c.value {
			t.Errorf("%q: got %+v, want %q as %q", c.text, got, c.written, c.value)
		}
	}
}

func TestFindNone(t *testing.T) {
	for _, text := range []string{
		"", "2019", "in the year 2019", "February 30, 2019", "30 February 2019", "30th day of February, 2019", "13/13/2019", "1/1/1",
		"May 5", "page 12/34/56/78", "2019-13-01", "Suite 2019", "June 31, 2020", "dismay 2019",
		"Section 10.11.12 says", "10.11.12 Notices", "\n10.11.12 Notices", "1.2.10", "call 10.11.12.13", "two thousand and twenty units",
		"call 555-10-11-12", "No. 10-11-12", "\n10-11-12 Notices", "10-11.12", "a10-11-12", "1999/13/01", "2019/05/012", "12/2019/05/01",
	} {
		for _, d := range date.Find(text, 10) {
			t.Errorf("%q: got %+v, want none", text, d)
		}
	}
}

func TestFindStopsAtLimit(t *testing.T) {
	if got := date.Find("May 5, 2019 May 6, 2019 May 7, 2019", 2); len(got) != 2 || got[1].Day != 6 {
		t.Errorf("got %+v", got)
	}
}

func TestAmbiguous(t *testing.T) {
	for text, want := range map[string]string{
		"5/1/2019": "2019-01-05", "5-1-2019": "2019-05-01", "5/1/19": "2019-01-05",
		"13/1/2019": "", "1/13/2019": "", "5/5/2019": "", "5.1.2019": "", "2019/05/01": "", "May 5, 2019": "",
	} {
		d := date.Find(text, 1)[0]
		if d.Ambiguous != (want != "") || want != "" && d.Swapped().Value() != want || want == "" && d.Swapped() != d {
			t.Errorf("%q: got %+v and %s swapped, want %q", text, d, d.Swapped().Value(), want)
		}
	}
}

func FuzzFind(f *testing.F) {
	for _, s := range []string{"May 5, 2019", "the 5th day of May, 2019", "5/1/19", "2019-05-01", "01.05.19", "1 May two thousand and nineteen 2019", "é\xff 1 May 2019"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		end := 0
		for _, d := range date.Find(text, 1000) {
			if d.Start < end || d.End <= d.Start || d.End > len(text) {
				t.Fatalf("%+v is empty, out of range or overlaps the date that ends at %d", d, end)
			}
			if utf8.ValidString(text) && !utf8.ValidString(text[d.Start:d.End]) {
				t.Fatalf("%+v splits a character", d)
			}
			end = d.End
		}
	})
}
