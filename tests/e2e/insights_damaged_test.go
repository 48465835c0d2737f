package e2e

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/testkit/corpus"
	"github.com/rectohq/recto/libs/testkit/pdfforms"
	"github.com/rectohq/recto/tests/harness"
)

// TestInsightsOfDamagedDocuments requests insights about damaged documents. Each request
// succeeds or is refused with a reason, and the memory of the programs stays bounded.
func TestInsightsOfDamagedDocuments(t *testing.T) {
	c := shared.NewClient(t)
	watch := func() (int, map[string]int) { return 0, nil } // the limits of pods bound it in a cluster
	if harness.ModeOfRun() != harness.Kubernetes {
		watch = watchMemory(t, shared.PID(t))
	}
	counts := map[string]int{}
	damaged := hostilePDFs()
	damaged["empty.pdf"], damaged["empty.docx"], damaged["noise.pdf"] = nil, nil, noise(20_000)
	if dir, ok := corpus.Path("contracts/pdf"); ok {
		pdfs, err := filepath.Glob(filepath.Join(dir, "*.pdf"))
		if err != nil {
			t.Fatal(err)
		}
		for i, file := range harness.Sample(t, pdfs[:min(60, len(pdfs))]) {
			damage(damaged, filepath.Base(file), readForeign(t, file), i)
		}
	} else {
		t.Log("NOT TESTED with real PDFs: the benchmark documents are missing")
	}
	var slowest time.Duration
	var slow string
	for name, content := range damaged {
		begin := time.Now()
		d := upload(t, c, strings.ReplaceAll(name, "/", "-"), content)
		a := c.Post("/insights", object{"document_id": d.ID, "insights": everyInsight()})
		if took := time.Since(begin); took > slowest {
			slowest, slow = took, name
		}
		switch a.Status {
		case 200:
			counts["answered"]++
		case 400:
			p := a.Fails(400, 3001)
			counts[strings.ReplaceAll(p.Detail, name, "…")]++
			if p.Errors != nil || len(p.Detail) < 20 {
				t.Errorf("%s: the error does not explain the reason: %+v", name, p)
			}
		default:
			t.Errorf("%s: %d %s", name, a.Status, a.Body)
		}
	}
	for what, n := range counts {
		t.Logf("%5d × %s", n, what)
	}
	t.Logf("the slowest was %s, %s", slow, slowest.Round(10*time.Millisecond))
	const mostMiB = 1280
	total, each := watch()
	t.Logf("at most %d MiB at once: %v", total, each)
	if total > mostMiB {
		t.Errorf("the programs used %d MiB of memory, the limit is %d MiB", total, mostMiB)
	}
}

// damage adds damaged copies of a PDF: one truncated, one with random bytes changed, and
// one with a part overwritten by noise. Each file is damaged in different places.
func damage(to map[string][]byte, name string, content []byte, seed int) {
	random := rand.New(rand.NewPCG(uint64(seed), 1)) //nolint:gosec // must be reproducible
	cut := len(content) * (seed%10 + 1) / 11
	to[fmt.Sprintf("cut-%d-%s", cut, name)] = content[:cut]
	flipped := bytes.Clone(content)
	for range 200 {
		flipped[random.IntN(len(flipped))] ^= byte(1 + random.IntN(255))
	}
	to["flipped-"+name] = flipped
	holed := bytes.Clone(content)
	copy(holed[random.IntN(len(holed)/2):], noise(2000))
	to["holed-"+name] = holed
}

func noise(n int) []byte {
	random := rand.New(rand.NewPCG(7, 7)) //nolint:gosec // must be reproducible
	content := make([]byte, n)
	for i := range content {
		content[i] = byte(random.IntN(256))
	}
	return content
}

// pdfOf returns a PDF with one page for each content stream. The font /F is Helvetica.
// Trailer holds further entries of the trailer.
func pdfOf(trailer string, contents ...string) []byte {
	var kids strings.Builder
	objects := []string{"<</Type/Catalog/Pages 2 0 R>>", "", "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"}
	for i, content := range contents {
		fmt.Fprintf(&kids, "%d 0 R ", 4+2*i)
		objects = append(objects,
			fmt.Sprintf("<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<</Font<</F 3 0 R>>>>/Contents %d 0 R>>", 5+2*i),
			fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", len(content), content))
	}
	objects[1] = fmt.Sprintf("<</Type/Pages/Count %d/Kids[%s]>>", len(contents), kids.String())
	return pdfforms.Assemble("/Root 1 0 R"+trailer, objects...)
}

// textPage returns the content stream of a page of forty lines. Each line contains the
// numbers of its page and line.
func textPage(page int) string {
	var s strings.Builder
	s.WriteString("BT /F 10 Tf 14 TL 72 740 Td\n")
	for line := range 40 {
		fmt.Fprintf(&s, "(Section %d.%d The Supplier shall pay USD %d within %d days of January %d, 2026.) Tj T*\n", page, line, page*line, line, line%28+1)
	}
	return s.String() + "ET"
}

// hostilePDFs returns files, by name, that are unusual without being damaged further.
func hostilePDFs() map[string][]byte {
	var long []string
	for page := range 300 {
		long = append(long, textPage(page+1))
	}
	encrypted := "/Encrypt<</Filter/Standard/V 1/R 2/P -44/O<" + strings.Repeat("a1", 32) + ">/U<" + strings.Repeat("b2", 32) + ">>>/ID[<00><00>]"
	return map[string][]byte{
		"300 pages.pdf": pdfOf("", long...), "scan.pdf": pdfOf("", "q 612 0 0 792 0 0 cm BI /W 1 /H 1 /CS /G /BPC 8 ID \xff EI Q", "0 0 m 9 9 l S"),
		"one scanned page.pdf": pdfOf("", textPage(1), "0 0 m 9 9 l S"), "encrypted.pdf": pdfOf(encrypted, textPage(1)), "no pages.pdf": pdfOf(""),
		"deep.pdf": pdfOf("", strings.Repeat("q ", 100_000)+textPage(1)), "text as docx.docx": []byte(strings.Repeat("This is not a Word document. ", 100)),
		"one word a thousand times.pdf": pdfOf("", strings.Repeat("BT /F 10 Tf 72 700 Td (word) Tj ET\n", 20_000)), "pdf as docx.docx": pdfOf("", textPage(1)),
	}
}

// watchMemory measures the memory of a process and all its descendants until the returned
// function is called. That function returns the peak of their sum and, by name, the peak
// of each process, in MiB.
func watchMemory(t *testing.T, pid int) func() (total int, each map[string]int) {
	t.Helper()
	stop, done := make(chan struct{}), make(chan struct{})
	most, each := 0, map[string]int{}
	go func() {
		defer close(done)
		for {
			sum := 0
			for name, mib := range memoryBelow(pid) {
				sum += mib
				short, _, _ := strings.Cut(name, " ")
				each[short] = max(each[short], mib)
			}
			most = max(most, sum)
			select {
			case <-stop:
				return
			case <-time.After(50 * time.Millisecond):
			}
		}
	}()
	end := sync.OnceFunc(func() { close(stop); <-done })
	t.Cleanup(end)
	return func() (int, map[string]int) {
		if end(); most == 0 {
			t.Error("the system does not tell how much memory the programs use")
		}
		return most, each
	}
}

// memoryBelow returns the resident memory of a process and its descendants, in MiB, by
// name and process id. It excludes mapped files, such as the program: processes share their
// memory, so a sum would count it several times.
func memoryBelow(root int) map[string]int {
	parents, sizes, names := map[int]int{}, map[int]int{}, map[int]string{}
	files, _ := filepath.Glob("/proc/[0-9]*/status")
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			continue // the process has ended
		}
		pid, _ := strconv.Atoi(strings.Split(file, "/")[2])
		for line := range strings.Lines(string(content)) {
			key, value, _ := strings.Cut(line, ":")
			number, _ := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(value), " kB"))
			switch key {
			case "Name":
				names[pid] = strings.ReplaceAll(strings.TrimSpace(value), " ", "-")
			case "PPid":
				parents[pid] = number
			case "RssAnon", "RssShmem":
				sizes[pid] += number >> 10
			}
		}
	}
	found := map[string]int{}
	for pid := range parents {
		for at, depth := pid, 0; at > 0 && depth < 20; at, depth = parents[at], depth+1 {
			if at == root {
				found[fmt.Sprintf("%s %d", names[pid], pid)] = sizes[pid]
				break
			}
		}
	}
	return found
}
