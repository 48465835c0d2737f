package faults

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/tests/harness"
)

// deployment is a cluster that is backed up while clients use it.
type deployment struct {
	t       *testing.T
	cluster *harness.Cluster
	stored  *harness.Stored
	client  *harness.Client
	load    *load
	backup  *backup

	kept    string            // a document with fields and two versions
	shown   map[string]string // what the API shows of it, by path
	deleted map[string]string // one document for each time of its deletion
	filling []string          // jobs that fill the document
	late    string            // a document sealed between the first copy and the dump
}

// hasty returns settings that make documents disappear while the backup runs, as no
// deployment does, keep uploads unsealed until they are used, and let the leases of jobs
// end before the restored services start.
func hasty() []string {
	wait := patience.Scale(5 * time.Second).String()
	return []string{
		"DOCUMENT_PURGE_AFTER=0s", "DOCUMENT_PURGE_EVERY=500ms", "DOCUMENT_SEAL_EVERY=1h", "ANNOTATION_WORKERS=1", "CONVERSION_WORKERS=1",
		"CONVERSION_ACK_WAIT=" + wait, "ANNOTATION_ACK_WAIT=" + wait, "INSIGHT_ACK_WAIT=" + wait,
	}
}

// TestBackup takes a backup of a deployment, in the order of docs/deployment.md, while
// clients create, upload, convert, fill and delete documents. It restores the backup into
// empty databases, an empty bucket, an empty NATS and an empty Redis. Everything that was
// accepted before the backup began must be there, and nothing may be half there.
func TestBackup(t *testing.T) {
	containers(t)
	s, cluster := harness.StartCluster(t, harness.Options{Rate: "unlimited", Env: hasty()})
	d := &deployment{
		t: t, cluster: cluster, stored: open(t, cluster), client: s.Client(t), load: newLoad(s),
		backup: &backup{map[string][]collection{}, map[string]object{}}, shown: map[string]string{}, deleted: map[string]string{},
	}
	limited := s.NewClient(t, "--rate", "100000/min")
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { d.load.run(ctx) })
	d.prepare()
	accepted := d.accepted()
	d.take()
	cancel()
	running.Wait()
	d.must(s.Stop())
	d.must(cluster.Redis.Kill()) // it has no time to write its memory to disk
	d.must(cluster.Redis.Start())

	restored, second := harness.StartCluster(t, harness.Options{
		Rate: "unlimited", Env: append(hasty(), "DOCUMENT_PURGE_AFTER=720h", cluster.Pepper()),
		Fill: func(c *harness.Cluster) error { return d.backup.restore(t.Context(), open(t, c)) },
	})
	restored.APIKey = s.APIKey
	d.client, d.stored = restored.Client(t), open(t, second)
	accepted.system, accepted.http = restored, newLoad(restored).http
	if a := d.client.WithKey(limited.Key).Get("/me"); a.Status != http.StatusOK {
		t.Fatalf("with a key of the backup: %d %s", a.Status, a.Body)
	}
	d.checkAccepted(accepted)
	d.checkKept()
	second.Configure("DOCUMENT_PURGE_AFTER=0s") // now that NATS knows all services
	d.must(second.Scale("document", 2))
	d.must(second.WaitReady())
	d.checkDeleted()
	d.checkLater(accepted)
}

// open connects to what a cluster stores, until the test ends.
func open(t *testing.T, c *harness.Cluster) *harness.Stored {
	t.Helper()
	s, err := c.OpenStored()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func (d *deployment) must(err error) {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(err)
	}
}

// await waits for a condition.
func (d *deployment) await(what string, holds func() bool) {
	d.t.Helper()
	ctx, cancel := context.WithTimeout(d.t.Context(), patience.Limit())
	defer cancel()
	if !until(ctx, holds) {
		d.t.Fatalf("%s: not within %v", what, patience.Limit())
	}
}

// uploaded creates a document with a content that is not sealed yet.
func (d *deployment) uploaded(name, mediaType string, content []byte) string {
	d.t.Helper()
	var made document
	d.client.Post("/documents", map[string]any{"name": name, "files": []map[string]string{{"name": name, "type": mediaType}}}).OK(&made)
	d.client.Raw(http.MethodPut, made.Files[0].UploadURL, content, nil).OK(nil)
	return made.ID
}

// sealed creates a document with a sealed text.
func (d *deployment) sealed(text string) string {
	d.t.Helper()
	id := d.uploaded("a.txt", "text/plain", []byte(text))
	d.client.Get("/documents/" + id).OK(nil) // seals the content
	return id
}

// lateText is the text of the document that is sealed late.
const lateText = "sealed between the first copy of the bucket and the dump"

// The times of deletion.
const (
	beforeBackup = "before the backup"
	beforeDump   = "between the first copy of the bucket and the dump"
	afterDump    = "between the dump and the second copy of the bucket"
)

const docx = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"

// prepare stores what the backup must contain, and queues jobs that it interrupts.
func (d *deployment) prepare() {
	d.t.Helper()
	for _, when := range []string{beforeBackup, beforeDump, afterDump} {
		d.deleted[when] = d.sealed(when)
		d.setField(d.deleted[when])
	}
	d.kept = d.uploaded("a.docx", docx, harness.DOCX(harness.Paragraph{Text: "Signed by {{agreementinput-name}}."}))
	path := "/documents/" + d.kept
	d.setField(d.kept)
	var version document
	d.client.Post(path+"/versions", map[string]any{"files": []map[string]string{{"name": "b.txt", "type": "text/plain"}}}).OK(&version)
	d.client.Raw(http.MethodPut, version.Files[0].UploadURL, []byte("the second version"), nil).OK(nil)
	d.client.Get(path).OK(nil)
	for _, part := range shownOf {
		d.shown[part] = d.show(part)
	}
	d.remove(beforeBackup)
	d.await("the load has done something of everything", func() bool {
		d.load.mu.Lock()
		defer d.load.mu.Unlock()
		return len(d.load.documents) > 5 && len(d.load.jobs) > 0 && len(d.load.readings) > 0
	})
	for range 6 {
		var job struct{ ID string }
		d.client.Do(harness.Request{
			Method: http.MethodPost, Path: path + "/annotate?format=pdf&version_number=1", Header: map[string]string{"Prefer": "respond-async"},
			Body: map[string]any{"field_values": map[string]any{"agreementinput-name": map[string]string{"value": "Ann"}}},
		}).Accepted(&job)
		d.filling = append(d.filling, job.ID)
	}
	d.must(d.cluster.Services["annotation"][0].Pause()) // so that the dump has jobs that the second copy finds finished
}

// setField sets the definition of a field of a document.
func (d *deployment) setField(id string) {
	d.t.Helper()
	d.client.Do(harness.Request{Method: http.MethodPut, Path: "/documents/" + id + "/fields", Body: map[string]any{
		"fields": []map[string]any{{"field_id": "agreementinput-name", "type": "text", "required": true}},
	}}).OK(nil)
}

// definitions returns how many definitions of fields are stored for a document.
func (d *deployment) definitions(id string) int64 {
	d.t.Helper()
	n, err := d.stored.Database("annotation").Collection("field_registries").CountDocuments(d.t.Context(), bson.D{{Key: "_id", Value: bson.Regex{Pattern: id}}})
	d.must(err)
	return n
}

// shownOf are the paths below the document whose responses the backup must preserve.
var shownOf = []string{"?version_number=1", "?version_number=2", "/versions", "/fields?version_number=1"}

var urls = regexp.MustCompile(`"(download_url)":"[^"]+"`)

// show returns what the API shows of the document: the response without URLs, and the
// content that they lead to.
func (d *deployment) show(path string) string {
	d.t.Helper()
	var shown document
	a := d.client.Get("/documents/" + d.kept + path).OK(&shown)
	text := urls.ReplaceAllString(string(a.Body), `"$1":""`)
	for _, f := range shown.Files {
		text += fmt.Sprintf("\n%x", d.client.Raw(http.MethodGet, f.DownloadURL, nil, nil).OK(nil).Body)
	}
	return text
}

// accepted returns a load that expects what the clients know to be accepted at this time.
func (d *deployment) accepted() *load {
	d.load.mu.Lock()
	defer d.load.mu.Unlock()
	l := newLoad(d.load.system)
	l.documents, l.once, l.jobs, l.readings = maps.Clone(d.load.documents), maps.Clone(d.load.once), maps.Clone(d.load.jobs), maps.Clone(d.load.readings)
	return l
}

// take takes the backup: a copy of the bucket, a dump of the databases, and a second copy
// of the bucket, which adds to the first.
func (d *deployment) take() {
	d.t.Helper()
	d.must(d.backup.copyBucket(d.t.Context(), d.stored))
	d.remove(beforeDump)
	d.late = d.sealed(lateText)
	d.must(d.backup.dumpDatabases(d.t.Context(), d.stored))
	if d.backup.unfinished("annotation") == 0 {
		d.t.Fatal("all jobs had ended before the dump, which then shows nothing")
	}
	d.remove(afterDump)
	d.must(d.cluster.Services["annotation"][0].Unpause())
	for _, id := range d.filling {
		d.await("job "+id+" ends", func() bool {
			a := d.client.Get("/jobs/" + id)
			if a.State() == "failed" {
				d.t.Fatalf("job %s fails before the backup is restored: %s", id, a.Body)
			}
			return a.State() == "succeeded"
		})
	}
	d.must(d.backup.copyBucket(d.t.Context(), d.stored))
}

// remove deletes a document and waits until its content is purged.
func (d *deployment) remove(when string) {
	d.t.Helper()
	id := d.deleted[when]
	d.client.Do(harness.Request{Method: http.MethodDelete, Path: "/documents/" + id}).OK(nil)
	d.await("the content of the document deleted "+when+" is purged", func() bool { return d.contents(id) == 0 })
}

// contents returns how many objects a document has.
func (d *deployment) contents(id string) (n int) {
	d.t.Helper()
	for info := range d.stored.Objects.ListObjectsIter(d.t.Context(), d.stored.Bucket, minio.ListObjectsOptions{Prefix: "content/" + d.client.OrganizationID + "/" + id + "/", Recursive: true}) {
		d.must(info.Err)
		n++
	}
	return n
}

// checkAccepted checks that the restored system keeps what was accepted.
func (d *deployment) checkAccepted(l *load) {
	d.t.Helper()
	ctx, cancel := context.WithTimeout(d.t.Context(), patience.Scale(2*time.Minute))
	defer cancel()
	for key := range maps.Clone(l.once) {
		if _, ok := l.create(ctx, key); !ok { // it checks that this is the same document
			d.t.Errorf("the request with %q cannot be repeated", key)
		}
	}
	for id, s := range l.documents {
		if s.text != "" {
			l.checkContent(ctx, d.t, id)
		}
	}
	for id := range l.jobs {
		l.checkJob(ctx, d.t, id)
	}
	for job, id := range l.readings {
		l.checkReading(ctx, d.t, job, id)
	}
	for _, id := range d.filling {
		l.checkJob(ctx, d.t, id)
	}
	for _, w := range l.wrong {
		d.t.Error(w)
	}
	d.t.Logf("%d documents, %d conversions, %d readings; %d fillings were unfinished", len(l.documents), len(l.jobs), len(l.readings), d.backup.unfinished("annotation"))
}

// checkKept checks that the restored document looks as before.
func (d *deployment) checkKept() {
	d.t.Helper()
	if d.definitions(d.kept) == 0 {
		d.t.Error("the definitions of its fields are not found")
	}
	for path, before := range d.shown {
		if now := d.show(path); now != before {
			d.t.Errorf("%s is\n%s\nand was\n%s", path, now, before)
		}
	}
}

// checkDeleted checks that a document deleted during the backup is whole if the dump has
// it, and gone otherwise.
func (d *deployment) checkDeleted() {
	d.t.Helper()
	for _, when := range []string{beforeBackup, beforeDump} {
		d.client.Get("/documents/"+d.deleted[when]).Fails(http.StatusNotFound, 4001)
	}
	id := d.deleted[beforeDump]
	d.await("the restored system purges what was deleted", func() bool { return d.contents(id) == 0 && d.definitions(id) == 0 })
	d.checkWhole(d.deleted[afterDump], afterDump)
}

// checkWhole checks that a document has its text and can be converted.
func (d *deployment) checkWhole(id, text string) {
	d.t.Helper()
	var shown document
	d.client.Get("/documents/" + id).OK(&shown)
	if a := d.client.Raw(http.MethodGet, shown.Files[0].DownloadURL, nil, nil); string(a.Body) != text {
		d.t.Errorf("document %s contains %d %q, want %q", id, a.Status, a.Body, text)
	}
	if a := d.client.Post("/documents/"+id+"/convert", nil); a.Status != http.StatusOK {
		d.t.Errorf("the conversion of document %s, %q, gets %d %s", id, text, a.Status, a.Body)
	}
}

// checkLater checks that each document accepted after the backup began is unknown, or not
// uploaded, or whole.
func (d *deployment) checkLater(accepted *load) {
	d.t.Helper()
	d.checkWhole(d.late, lateText)
	for id, s := range d.load.documents {
		if accepted.documents[id].text != "" {
			continue
		}
		a := d.client.Post("/documents/"+id+"/convert", nil)
		missing := a.Status == http.StatusNotFound || a.Status == http.StatusBadRequest && strings.Contains(string(a.Body), "was not uploaded")
		if !missing {
			d.checkWhole(id, s.text)
		}
	}
}
