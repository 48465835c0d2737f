package source_test

import (
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/services/insight/internal/source"
	"github.com/rectohq/recto/services/insight/internal/source/sourcetest"
)

// TestPlain shows that the text of a file is the same whether it is read alone or for a
// request, and that the PDF of a text file, which has page breaks, does not matter.
func TestPlain(t *testing.T) {
	s := sourcetest.New(t, "plain")
	page := sourcetest.PDF{Pages: [][]string{{"A letter.", "Page 1"}, {"Name:", "Page 2"}}}
	for name, c := range map[string]struct {
		content   []byte
		converted bool
		want      string
	}{
		"a.txt":  {[]byte("\uFEFFA letter.\r\nName: Zoë"), true, "A letter.\nName: Zoë"},
		"a.docx": {sourcetest.DOCX{Body: sourcetest.Paragraph("", "A letter.") + sourcetest.Paragraph("", "Name:")}.Bytes(), true, "A letter.\nName:\n"},
		"a.pdf":  {letter().Bytes(), false, "A letter.\nName:\n"},
	} {
		s.Converted = nil
		if c.converted {
			s.Converted = page.Bytes()
		}
		put := s.Put(name, "application/octet-stream", c.content)
		file, text, err := source.NewReader(s.Deps).ReadPlain(t.Context(), []documentapi.Content{{Name: "b.txt", Fault: "was not uploaded"}, s.Put("a.png", "image/png", png), put})
		if err != nil || text != c.want || file != put {
			t.Errorf("%s alone: %q of %s, %v", name, text, file.Name, err)
		}
		if file, text := read(t, s, s.Stored(put)).Plain(); text != c.want || file != put {
			t.Errorf("%s for a request: %q of %s", name, text, file.Name)
		}
	}
	if file, text := read(t, s, s.Text("A sent text.")).Plain(); text != "A sent text." || file.Name != "document.txt" {
		t.Errorf("a sent text is %q of %s", text, file.Name)
	}
}

// TestPlainPage shows that a stored web page is read, although it is not converted.
func TestPlainPage(t *testing.T) {
	s := sourcetest.New(t, "plain-page")
	page := s.Put("a.html", "text/html", []byte("<title>Its title</title><p>A <b>letter</b>.<script>no text</script>"))
	if _, text, err := source.NewReader(s.Deps).ReadPlain(t.Context(), []documentapi.Content{page}); err != nil || strings.Join(strings.Fields(text), " ") != "Its title A letter." {
		t.Errorf("got %q, %v", text, err)
	}
}

// TestPlainRefusals shows that files that need more than reading are refused, rather than
// passed over in favor of the next file.
func TestPlainRefusals(t *testing.T) {
	s := sourcetest.New(t, "plain-refusals")
	text := s.Put("z.txt", "text/plain", []byte("Another file."))
	large, gone := s.Put("large.txt", "text/plain", []byte("x")), s.Put("gone.txt", "text/plain", []byte("x"))
	large.Size = 33 << 20
	s.Remove(gone.Key)
	for want, files := range map[string][]documentapi.Content{
		"The file a.rtf must be converted":                  {s.Put("a.rtf", "application/rtf", []byte(`{\rtf1 A letter.}`)), text},
		"The file large.txt has 34603008 bytes":             {large, text},
		"The file gone.txt no longer exists.":               {gone, text},
		"The file a.docx ":                                  {s.Put("a.docx", "", []byte("PK\x03\x04 and nothing")), text},
		"The file scan.pdf has no text":                     {s.Put("scan.pdf", "", sourcetest.PDF{Pages: [][]string{nil}}.Bytes()), text},
		"The file empty.txt has no text":                    {s.Put("empty.txt", "", []byte(" \n")), text},
		"The document has no text, web page, Word document": {s.Put("a.png", "", png), s.Put("b.pdf", "", png)},
	} {
		_, got, err := source.NewReader(s.Deps).ReadPlain(t.Context(), files)
		if !problem.Is(err, problem.InvalidRequest) || !strings.HasPrefix(problem.Of(err).Detail, want) {
			t.Errorf("got %q, %v; want %s", got, err, want)
		}
	}
	if n := open(t, s.Scratch); n > 0 {
		t.Errorf("%d files remain open", n)
	}
}
