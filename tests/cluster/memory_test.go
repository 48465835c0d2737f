package cluster

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"strings"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/tests/harness"
)

// TestOutOfMemory converts a document that needs more memory than a pod has, next to
// others that need little. That one fails, although a pod with more memory converts it.
// The others are converted, by the same pod or by another one, even if they were in
// progress when the kernel killed a process there.
func TestOutOfMemory(t *testing.T) {
	soaking(t)
	c := system.NewClient(t)
	content := hungryContract(t)
	waitJobs(t, c, "conversion", []string{begun(t, c, "conversion", upload(t, c, "a.docx", content))})
	autoscaled(t, `patches:
  - target: {kind: Deployment, name: ^conversion$}
    patch: |
      - {op: replace, path: /spec/template/spec/containers/0/resources/limits/memory, value: 640Mi}
`)
	scale(t, replicas, "conversion")
	hungry := upload(t, c, "a.docx", content)
	var documents, others []string
	for range 12 {
		documents = append(documents, upload(t, c, "b.docx", harness.Contract()))
	}
	job := begun(t, c, "conversion", hungry)
	for _, d := range documents {
		others = append(others, begun(t, c, "conversion", d))
	}
	waitJobs(t, c, "conversion", others)
	var ended struct {
		State string
		Error *harness.Problem
	}
	for end := time.Now().Add(patience.Scale(10 * time.Minute)); ended.State != "failed"; time.Sleep(time.Second) {
		if c.Get("/jobs/" + job).OK(&ended); ended.State == "succeeded" || time.Now().After(end) {
			t.Fatalf("the job that needs too much memory is %s", ended.State)
		}
	}
	say("the job failed with %d: %s", ended.Error.Code, ended.Error.Detail)
	if ended.Error.Code != 3001 {
		t.Errorf("the job failed with %+v", ended.Error)
	}
	for _, p := range pods(t, "conversion") {
		say("%s has %d restarts", p.Metadata.Name, p.restarts())
	}
}

// hungryContract returns a small DOCX with a picture that takes a gigabyte to draw.
func hungryContract(t *testing.T) []byte {
	t.Helper()
	const side = 16_000
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewPaletted(image.Rect(0, 0, side, side), color.Palette{color.White, color.Gray{Y: 128}})); err != nil {
		t.Fatal(err)
	}
	entries, err := harness.Unzip(harness.Contract())
	if err != nil {
		t.Fatal(err)
	}
	for i, entry := range entries {
		if strings.HasSuffix(entry[0], ".png") {
			entries[i][1] = picture.String()
		}
	}
	return harness.Zip(entries...)
}
