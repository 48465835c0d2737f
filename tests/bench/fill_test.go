package bench

import (
	"bytes"
	"fmt"
	"io"
	"syscall"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/formats/docx"
	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/fields/docxfields"
	"github.com/rectohq/recto/tests/harness"
)

// TestBenchFill prints the CPU time for filling 40 fields of a document, and how it grows
// with the number of pages. The baseline is ten pages.
func TestBenchFill(t *testing.T) {
	const fieldCount, rounds = 40, 20
	values := map[string]fields.Filling{}
	for i := range fieldCount {
		values[fmt.Sprintf("agreementinput-%d", i+1)] = fields.Filling{Type: fields.Text, Text: "a value of the field"}
	}
	var base time.Duration
	for _, pages := range []int{10, 30, 60, 120, 240} {
		file := harness.LongContract(pages, fieldCount)
		fill(t, file, values) // warm
		begin := processorTime(t)
		for range rounds {
			fill(t, file, values)
		}
		took := (processorTime(t) - begin) / rounds
		if base == 0 {
			base = took
		}
		t.Logf("%3d pages, %d fields, %4d KiB compressed: %s of CPU time, ×%.1f of 10 pages", pages, fieldCount, len(file)>>10, round(took), float64(took)/float64(base))
	}
}

// fill does everything the annotation service does with a file.
func fill(t *testing.T, file []byte, values map[string]fields.Filling) {
	t.Helper()
	p, err := docx.Open(bytes.NewReader(file), int64(len(file)), docx.DefaultLimits())
	if err == nil {
		err = p.Check(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	d, err := docxfields.Open(t.Context(), p)
	if err == nil {
		err = d.Fill(values)
	}
	if err == nil {
		_, err = d.WriteTo(io.Discard)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// processorTime returns the CPU time that this process has used.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		t.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
