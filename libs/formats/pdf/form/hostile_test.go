package form

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// allocated returns how many bytes a function allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestSharedString checks that a long string that is the name, the value and the options of
// many fields is not copied for each of them.
func TestSharedString(t *testing.T) {
	const size, fields = 2 << 20, 200
	file := func(shared string) []byte {
		var ws []string
		for range fields {
			ws = append(ws, fmt.Sprintf("<</Subtype/Widget/Rect[0 0 9 9]/FT/Ch/Ff 131072/T %[1]d 0 R/V %[1]d 0 R/Opt[%[1]d 0 R]/DA %[1]d 0 R>>", fields+5))
		}
		return widgets("/NeedAppearances true", append(ws, shared)...)
	}
	for name, shared := range map[string]string{
		"literal": "(" + strings.Repeat("x", size) + ")", "hexadecimal": "<" + strings.Repeat("78", size/2) + ">",
	} {
		large, small := file(shared), file("(x)")
		read := func(file []byte) func() {
			return func() {
				if _, err := Describe(file); err != nil {
					t.Fatal(err)
				}
			}
		}
		if n, least := allocated(read(large)), allocated(read(small)); n > least+size*fields {
			t.Errorf("%s: %d MiB were allocated for a string of %d MiB, and %d MiB without it", name, n>>20, size>>20, least>>20)
		}
	}
}

// TestSharedKids checks that many nodes of the page tree that share a long list of nothing do
// not make it long many times.
func TestSharedKids(t *testing.T) {
	const nodes, kids = 50, 20_000
	objects := []string{"<</Pages 2 0 R>>", "<</Kids[" + strings.Repeat("4 0 R ", nodes) + "]>>", "[" + strings.Repeat("0 ", kids) + "]", "<</Kids 3 0 R>>"}
	f, err := open(build(objects...))
	if err != nil {
		t.Fatal(err)
	}
	if got := len(f.pages()); got != maxPages {
		t.Errorf("%d pages", got)
	}
}

// TestSharedAnnotations checks that pages that share a long list of annotations read only so
// many of them.
func TestSharedAnnotations(t *testing.T) {
	const pages = maxAllAnnotations/maxAnnotations + 10
	objects := []string{"<</Pages 2 0 R>>", "<</Kids[" + strings.Repeat("3 0 R ", pages) + "]>>", "<</Annots 4 0 R>>",
		"[" + strings.Repeat("null ", maxAnnotations) + "]"}
	f, err := open(build(objects...))
	if err != nil {
		t.Fatal(err)
	}
	if m := f.readForm(); len(m.pages) != pages || m.annotations < maxAllAnnotations || m.annotations > maxAllAnnotations+pages {
		t.Errorf("%d annotations of %d pages", m.annotations, len(m.pages))
	}
}

// TestAliases checks that a stream to which many objects refer is written once.
func TestAliases(t *testing.T) {
	const aliases = 50
	content := strings.Repeat("% comment\n", 10_000)
	var list strings.Builder
	objects := []string{textWidget + ">>", streamObject("", content)}
	for i := range aliases {
		fmt.Fprintf(&list, "%d 0 R ", 7+i)
		objects = append(objects, "6 0 R")
	}
	file := append([]byte("junk\n"), widgets("/Unknown["+list.String()+"]", objects...)...)
	r, err := Fill(file, Order{Values: []Value{text(0, "Jane")}}, nil, fonts())
	if err != nil || !r.Whole {
		t.Fatalf("got %+v, %v", r, err)
	}
	if n := strings.Count(string(r.Update), content); n != 1 {
		t.Errorf("the stream is written %d times", n)
	}
	reopen(t, r.Update).want(0, "V", "Jane")
}

// TestDeepSignature checks that a signature counts that is deeper in the tree of fields than
// it is read.
func TestDeepSignature(t *testing.T) {
	for _, depth := range []int{maxDepth - 2, maxDepth + 2} {
		ws := []string{textWidget + ">>"}
		for i := range depth {
			ws = append(ws, fmt.Sprintf("<</T(x)/Kids[%d 0 R]>>", 7+i))
		}
		ws = append(ws, "<</FT/Sig/T(s)/V<</Contents<00>/ByteRange[0 1 2 3]/Reference[<</TransformMethod/DocMDP/TransformParams<</P 1>>>>]>>>>")
		if _, err := Fill(widgets("", ws...), Order{Values: []Value{text(0, "x")}}, nil, fonts()); !errors.Is(err, Certified) {
			t.Errorf("depth %d: got %v", depth, err)
		}
	}
}
