package source_test

import (
	"strings"
	"testing"

	"github.com/rectohq/recto/services/insight/internal/source/sourcetest"
)

// TestText shows that a text is read exactly as sent, since positions refer to its
// characters.
func TestText(t *testing.T) {
	s := sourcetest.New(t, "text")
	for name, text := range map[string]string{
		"Windows line ends": "One\r\nTwo\r\n", "a byte order mark": "\uFEFFOne", "NUL": "One\x00Two",
		"a megabyte": strings.Repeat("Zoë pays. ", 1<<17),
	} {
		m := s.Text(text)
		r := read(t, s, m)
		if r.Text.Text != text || len(r.Text.Pages)+len(r.Text.Words)+len(r.Text.Runs) != 0 || r.Title != "" {
			t.Errorf("%s: read %.40q, %q", name, r.Text.Text, r.Title)
		}
		if r.IDs.MD5 != m.Files[0].MD5 || r.IDs.MIMEType != "text/plain" || r.IDs.CreateDatetime != 1700000000.5 || r.Shown.Key != m.Files[0].Key {
			t.Errorf("%s: the ids are %+v, shown is %+v", name, r.IDs, r.Shown)
		}
		if fields, err := r.Fields(t.Context()); fields != nil || err != nil {
			t.Errorf("%s: the fields are %+v, %v; a text has none of its own", name, fields, err)
		}
		r.Close()
	}
	if n := open(t, s.Scratch); n > 0 {
		t.Errorf("%d files remain open", n)
	}
}
