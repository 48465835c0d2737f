package cluster

import (
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/testkit/patience"
)

// TestSandbox checks that conversion, annotation and insight report which parts of their
// sandboxes are in force in a pod: in /readyz and in the log.
func TestSandbox(t *testing.T) {
	inCluster(t)
	ready := map[string]string{"conversion": "LibreOffice is ready", "annotation": "the PDF filler is ready", "insight": "the PDF reader is ready"}
	for service, what := range ready {
		for _, p := range pods(t, service) {
			note := ""
			patience.Until(t, "/readyz of "+p.Metadata.Name+" describes the sandbox", func() bool {
				note = sandboxNote(t, service, p.Status.PodIP)
				return note != ""
			})
			say("%s: %s", p.Metadata.Name, note)
			if !strings.Contains(note, "system calls are allowed") || !strings.Contains(note, "amespaces") {
				t.Errorf("/readyz of %s describes the sandbox as %q", p.Metadata.Name, note)
			}
			_, after, _ := strings.Cut(must(t, "logs", p.Metadata.Name), what)
			if line, _, _ := strings.Cut(after, "\n"); !strings.Contains(line, "system calls are allowed") {
				t.Errorf("the log line %q of %s does not describe the sandbox: %s", what, p.Metadata.Name, line)
			}
		}
	}
}

// sandboxNote returns what /readyz of a pod says about the sandbox of its service.
func sandboxNote(t *testing.T, service, ip string) string {
	t.Helper()
	client := http.Client{Timeout: patience.Scale(3 * time.Second)}
	response, err := client.Get("http://" + ip + ":9464/readyz")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var body struct {
		Notes map[string]map[string]string
	}
	if err := json.NewDecoder(response.Body).Decode(&body); err != nil {
		t.Fatal(err)
	}
	return body.Notes[service]["sandbox"]
}

// TestWarmConversions shows that a pod permits copies of a warm LibreOffice: once they are
// ready, they convert.
func TestWarmConversions(t *testing.T) {
	inCluster(t)
	instances := pods(t, "conversion")
	some := func(metric string) bool {
		return slices.ContainsFunc(instances, func(p pod) bool {
			return regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(metric) + ` [1-9]`).MatchString(metricsOf(p))
		})
	}
	patience.Until(t, "LibreOffice is warm", func() bool { return some("recto_conversion_zygotes_ready") })
	endToEnd(t, "TestConvertInline")
	if !some(`recto_conversion_attempts_total{engine="warm"}`) {
		t.Error("no copy of a warm LibreOffice has converted a document")
	}
}

// TestHostileDocuments sends documents that attack what reads them: ZIP bombs, external
// entities, damaged and endless PDFs. Each is answered or refused as documented, and no
// container is restarted.
func TestHostileDocuments(t *testing.T) {
	inCluster(t)
	before := lives(t)
	endToEnd(t, "TestConvertRefusals", "TestConvertDamagedPDF", "TestInsightsOfDamagedDocuments")
	if after := lives(t); !slices.Equal(after, before) {
		t.Errorf("the pods were %v and are now %v", before, after)
	}
}

// life is one run of the containers of a pod.
type life struct {
	name, uid string
	restarts  int
}

// lives returns those of all services, in order.
func lives(t *testing.T) []life {
	t.Helper()
	var all []life
	for _, service := range services {
		for _, p := range pods(t, service) {
			all = append(all, life{p.Metadata.Name, p.Metadata.UID, p.restarts()})
		}
	}
	slices.SortFunc(all, func(a, b life) int { return strings.Compare(a.uid, b.uid) })
	return all
}
