package formtest

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/libs/formats/pdf/form"
	"github.com/rectohq/recto/libs/formats/pdf/typeset"
	"github.com/rectohq/recto/libs/testkit/corpus"
	"github.com/rectohq/recto/libs/testkit/pdfforms"
)

// mutations returns how many damaged files TestDamaged fills.
func mutations(t *testing.T) int {
	value := os.Getenv("RECTO_MUTATIONS")
	if value == "" {
		return 100
	}
	n, err := strconv.Atoi(value)
	if err != nil {
		t.Fatal("RECTO_MUTATIONS: ", err)
	}
	return n
}

// outcomes counts what became of damaged files.
type outcomes struct {
	sync.Mutex
	counts map[string]int
}

func (o *outcomes) add(what, refusal string) {
	o.Lock()
	defer o.Unlock()
	result := "done"
	if refusal != "" {
		result = "refused"
	}
	o.counts[what+" "+result]++
}

// TestDamaged reads, fills and draws damaged and hostile files. Each is refused, or the
// result is a valid file. The kernel bounds the memory of the processes.
func TestDamaged(t *testing.T) {
	corpus.Program(t, "qpdf")
	r := newReader(t, 256<<20)
	files := targets(t)
	o := outcomes{counts: map[string]int{}}
	turns := make(chan struct{}, 2)
	var all sync.WaitGroup
	for seed := range mutations(t) {
		turns <- struct{}{}
		all.Go(func() {
			defer func() { <-turns }()
			n := files[seed%len(files)]
			survive(r.with(named{t, fmt.Sprintf("%s, seed %d", n.Name, seed)}), damaged(rand.New(rand.NewPCG(uint64(seed), 18)), n.File), &o)
		})
	}
	all.Wait()
	for _, what := range slices.Sorted(maps.Keys(o.counts)) {
		t.Logf("%s: %d", what, o.counts[what])
	}
	for _, what := range []string{"read done", "read refused", "fill done", "fill refused", "draw done"} {
		if o.counts[what] == 0 {
			t.Errorf("%s: 0; the damages are too small or too large", what)
		}
	}
	if pages := r.pages(pdfforms.Form(1)); len(pages) != 1 {
		t.Errorf("afterwards a valid file has %d pages", len(pages))
	}
}

// targets returns the files that are damaged.
func targets(t *testing.T) []pdfforms.Named {
	all := append(pdfforms.All(), pdfforms.Named{Name: "certified", File: pdfforms.Certified(t, 2), Text: "field_1"},
		pdfforms.Named{Name: "encrypted", File: pdfforms.EncryptWeakly(t, pdfforms.Form(2), "", "owner"), Text: "field_1"})
	return slices.DeleteFunc(all, func(n pdfforms.Named) bool { return n.Name == "scan" }) // nearly all of it is a picture
}

// TestDamagedObjects gives damaged files to package form itself, where no process hides a
// panic. Half of them are flattened too. Ten files take the time of one in TestDamaged.
func TestDamagedObjects(t *testing.T) {
	files, fonts := targets(t), typeset.NewFonts("/usr/share/fonts")
	filled, refused := 0, 0
	for seed := range 10 * mutations(t) {
		n := files[seed%len(files)]
		b := damaged(rand.New(rand.NewPCG(uint64(seed), 1818)), n.File)
		_, err := form.Describe(b)
		var refusal form.Refusal
		if err != nil && !errors.As(err, &refusal) {
			t.Errorf("%s, seed %d: Describe: %v", n.Name, seed, err)
		}
		o := order(first("Zoë")).Order
		o.Flatten = seed%2 == 1
		_, err = form.Fill(b, o, nil, fonts)
		switch {
		case err == nil:
			filled++
		case errors.As(err, &refusal):
			refused++
		default:
			t.Errorf("%s, seed %d: Fill: %v", n.Name, seed, err)
		}
	}
	t.Logf("%d filled, %d refused", filled, refused)
	if filled == 0 || refused == 0 {
		t.Error("the damages are too small or too large")
	}
}

// named is a test whose messages begin with a name. Unlike a subtest, it costs no line of
// output.
type named struct {
	testing.TB
	name string
}

func (n named) Errorf(format string, args ...any) {
	n.TB.Helper()
	n.TB.Errorf("%s: %s", n.name, fmt.Sprintf(format, args...))
}

// survive reads, fills and draws a file that may be damaged.
func survive(r reader, file []byte, o *outcomes) {
	ctx, size := r.t.Context(), int64(len(file))
	f, err := r.ReadForm(ctx, bytes.NewReader(file), size)
	o.add("read", refusal(r.t, "read", err))
	v := form.Value{Text: "Zoë שלום", Stamps: []form.Stamp{{Page: 1, Box: layout.Box{Left: 0.2, Top: 0.7, Right: 0.6, Bottom: 0.73}}}}
	if err == nil && len(f.Fields) > 0 {
		v.Stamps = nil
		for _, w := range f.Fields[:min(len(f.Fields), 5)] {
			v.Widgets = append(v.Widgets, form.Widget{Ref: ref(w), On: true})
		}
	}
	var filled, drawn bytes.Buffer
	filling := order(v)
	filling.Flatten = len(file)%2 == 1
	_, err = r.Fill(ctx, bytes.NewReader(file), size, filling, &filled)
	o.add("fill", refusal(r.t, "fill", err))
	if err == nil {
		_, before := r.CountPages(ctx, bytes.NewReader(file), size)
		if _, err := r.CountPages(ctx, bytes.NewReader(filled.Bytes()), int64(filled.Len())); err != nil && before == nil {
			r.t.Errorf("only the filled file cannot be opened: %v", err)
		}
		if clean(r.t, file) && !clean(r.t, filled.Bytes()) {
			r.t.Errorf("qpdf finds faults only in the filled file")
		}
	}
	err = r.Render(ctx, bytes.NewReader(file), size, 1, 200, &drawn)
	o.add("draw", refusal(r.t, "draw", err))
}

// clean reports whether qpdf finds no fault in a file.
func clean(t testing.TB, file []byte) bool {
	dir, err := os.MkdirTemp("", "recto-test-qpdf-")
	if err == nil {
		defer os.RemoveAll(dir)
		err = os.WriteFile(filepath.Join(dir, "file.pdf"), file, 0o600)
	}
	if err != nil {
		t.Errorf("%v", err)
		return false
	}
	return exec.Command(corpus.Program(t, "qpdf"), "--check", filepath.Join(dir, "file.pdf")).Run() == nil
}
