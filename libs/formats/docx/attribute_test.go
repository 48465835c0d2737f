package docx

import (
	"encoding/xml"
	"strings"
	"testing"

	"github.com/beevik/etree"
)

func TestPlainAttributes(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"breaks and tabs", "<a b=\"x\ny\tz\rv\"/>", `<a b="x y z v"/>`},
		{"CRLF is one break", "<a b='x\r\ny' c=\"\r\n\r\n\">t</a>", `<a b='x y' c="  "   >t</a>`},
		{"at the end of an empty element", "<a b='x\r\ny'/>", `<a b='x y' />`},
		{"several tags", "<a b='\r\n'><c d='\n'/></a>\n", "<a b=' ' ><c d=' '/></a>\n"},
		{"references", "<a b='x&#10;y\nz'/>", "<a b='x&#10;y z'/>"},
		{"markup characters", "<a b='>\n\"' c=\"/>'\n\"/>", "<a b='> \"' c=\"/>' \"/>"},
		{"outside of values", "<?xml version='1.0'\r\n?>\r\n<!-- 'a\n' --><a\n\tb = 'c'>'\n'<![CDATA[<a b='\n'>]]></a>", ""},
		{"not closed", "<a b='\n", "<a b=' "},
		{"no markup", "\n\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := []byte(c.in)
			plainAttributes(text)
			if c.want == "" {
				c.want = c.in
			}
			if string(text) != c.want {
				t.Errorf("got %q, want %q", text, c.want)
			}
		})
	}
}

// TestWriteAttributes parses a text and writes it back: literal breaks in values become
// spaces, and breaks written as character references stay breaks.
func TestWriteAttributes(t *testing.T) {
	tree, err := parseTree(&Part{pkg: &Package{limits: DefaultLimits()}}, []byte("<a b=\"x\ny&#xA;z\"/>"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := WriteTree(tree)
	if want := `<a b="x y&#xA;z"/>`; err != nil || string(text) != want {
		t.Errorf("got %s %v, want %s", text, err, want)
	}
}

// FuzzPlainAttributes checks that only white space in values and tags changes.
func FuzzPlainAttributes(f *testing.F) {
	for _, s := range []string{"<a b='x\r\ny'/>", "<a><!-- '\n --><b c=\"\t\"/></a>", "<![CDATA[\n", "<a b='\n", "<?x '\n?><a/>"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		text := []byte(s)
		plainAttributes(text)
		if len(text) != len(s) {
			t.Fatalf("%d bytes became %d", len(s), len(text))
		}
		before, after := etree.NewDocument(), etree.NewDocument()
		if xml.Unmarshal([]byte(s), new(any)) != nil || before.ReadFromString(s) != nil || after.ReadFromBytes(text) != nil {
			return
		}
		if a, b := flat(t, before), flat(t, after); a != b {
			t.Errorf("%q became %q", a, b)
		}
	})
}

// flat returns a tree as text without white space.
func flat(t *testing.T, tree *etree.Document) string {
	t.Helper()
	text, err := tree.WriteToString()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(strings.Fields(strings.NewReplacer("&#xA;", " ", "&#x9;", " ", "&#xD;", " ").Replace(text)), "")
}
