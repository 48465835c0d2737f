package e2e

import (
	"bytes"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/tests/harness"
)

// backUp makes a backup of a data folder, and returns its file. It logs what the command
// prints: the size, the time, and how long writers waited.
func backUp(t *testing.T, dir string) string {
	t.Helper()
	archive := filepath.Join(t.TempDir(), "recto.tar.zst")
	e := runCommand(t, "backup", archive, "--data", dir)
	if e.code != 0 || e.stdout != "" || !strings.Contains(e.stderr, archive) || !strings.Contains(e.stderr, "secrets") {
		t.Fatalf("recto backup: %+v\n%s", e.code, e.stderr)
	}
	t.Log(e.stderr)
	if left := fileNames(t, filepath.Dir(archive)); left != "recto.tar.zst" {
		t.Errorf("beside the backup there is %s", left)
	}
	if info, err := os.Stat(archive); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the mode of the backup is %v, %v", info.Mode(), err)
	}
	return archive
}

// restored restores a backup into a new folder, and returns the folder.
func restored(t *testing.T, archive string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "restored")
	if e := runCommand(t, "restore", archive, "--data", dir); e.code != 0 || e.stdout != "" || !strings.Contains(e.stderr, "recto up --data "+dir) {
		t.Fatalf("recto restore: %+v", e)
	}
	if left := fileNames(t, filepath.Dir(dir)); left != "restored" {
		t.Errorf("beside the restored folder there is %s", left)
	}
	return dir
}

// copied returns the promises so far.
func (p *promises) copied() *promises {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := &promises{
		documents: maps.Clone(p.documents), once: maps.Clone(p.once), jobs: maps.Clone(p.jobs), fillings: maps.Clone(p.fillings),
		insights: map[string]*reading{}, pages: slices.Clone(p.pages),
	}
	for request, r := range p.insights {
		own := *r
		own.streams = slices.Clone(r.streams)
		c.insights[request] = &own
	}
	return c
}

// unfinished returns the conversions in a data folder that have not finished. It waits until
// the leases of all jobs have ended, as they have before most restores. Otherwise these
// jobs continue a minute later.
func unfinished(t *testing.T, dir string) (jobs []string) {
	t.Helper()
	for _, name := range []string{"annotation-jobs.db", "insight-jobs.db", "conversion.db"} {
		db, err := sql.Open("sqlite", filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		patience.Until(t, "the leases of jobs in "+name+" have ended", func() bool {
			return len(query(t, db, fmt.Sprintf("SELECT id FROM jobs WHERE ended_at = 0 AND lease_ends >= %d", time.Now().UnixMilli()))) == 0
		})
		jobs = query(t, db, "SELECT id FROM jobs WHERE ended_at = 0")
	}
	for i := range jobs {
		jobs[i] = strings.TrimSpace(jobs[i])
	}
	return jobs
}

// checkJobs checks that all jobs succeed.
func checkJobs(t *testing.T, c *harness.Client, jobs []string) {
	t.Helper()
	for _, id := range jobs {
		if j := ended(t, c, id); j.State != "succeeded" {
			t.Errorf("job %s, which had not finished, ended as %+v", id, j)
		}
	}
}

// TestBackup makes a backup under load. The restored system stands by all responses that
// were sent before the backup began: documents, their bytes, fields, insights, and jobs,
// of which some had not begun. Every event that there should be is there, once.
func TestBackup(t *testing.T) {
	harness.StandaloneOnly(t)
	s := harness.Start(t, harness.Options{Rate: "unlimited", Env: impatient()})
	p := newPromises()
	stop := startLoad(s, p, []string{"a", "b", "c"})
	patience.Until(t, "there are promises of each kind", p.some)
	before := p.copied()
	archive := backUp(t, s.Dir)
	stop()
	for _, e := range p.errors {
		t.Error(e)
	}
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}

	dir := restored(t, archive)
	jobs := unfinished(t, dir)
	again := harness.Start(t, harness.Options{Dir: dir, Env: impatient()})
	c := again.Client(t)
	if again.APIKey != s.APIKey {
		t.Errorf("the API key was %s and is %s", s.APIKey, again.APIKey)
	}
	before.check(t, c)
	checkJobs(t, c, jobs)
	for key, id := range before.once {
		var d document
		if repeat(c, key, "/documents", named(key)).OK(&d); d.ID != id {
			t.Errorf("the key %s created document %s, then %s", key, id, d.ID)
		}
	}
	t.Logf("%d documents, %d conversions (%d had not finished), %d fillings and %d requests for insights",
		len(before.documents), len(before.jobs), len(jobs), len(before.fillings), len(before.insights))
	if err := again.Stop(); err != nil {
		t.Fatal(err)
	}
	checkEvents(t, again, before)
}

// volatile are the parts of responses that differ from one system to the next: URLs, and
// when they expire.
var volatile = regexp.MustCompile(`"[a-z_]*(url|expires_at)":("[^"]*"|\d+)`)

// waitingName is the name of documents that shown leaves out.
const waitingName = "waiting.txt"

// shown returns what the API says about documents, and the results of all that can be done
// with them.
func shown(t *testing.T, c *harness.Client) map[string]string {
	t.Helper()
	answers := map[string]string{}
	note := func(path string, body []byte) {
		answers[path] = volatile.ReplaceAllString(string(body), "")
	}
	var list struct{ Items []document }
	c.Get("/documents?size=100").OK(&list)
	note("/me", c.Get("/me").OK(nil).Body)
	for _, d := range list.Items {
		if d.Name == waitingName {
			continue
		}
		path := "/documents/" + d.ID
		var full document
		note(path, c.Get(path).OK(&full).Body)
		note(path+"/versions", c.Get(path+"/versions").OK(nil).Body)
		for _, f := range full.Files {
			if f.DownloadURL != "" {
				note(path+"/"+f.Name, fmt.Appendf(nil, "%x", sha256.Sum256(download(t, c, f.DownloadURL))))
			}
		}
		var fields struct {
			Items []struct {
				Field string `json:"field_id"`
			}
		}
		note(path+"/fields", c.Get(path+"/fields").OK(&fields).Body)
		var pdf struct {
			DownloadURL string `json:"download_url"`
		}
		c.Post(path+"/convert", nil).OK(&pdf)
		note(path+".pdf", fmt.Appendf(nil, "%x", sha256.Sum256(download(t, c, pdf.DownloadURL))))
		if len(fields.Items) > 0 {
			filling := object{"field_values": object{"agreementinput-company": object{"value": "Lindqvist & Söhne AB"}}}
			c.Post(path+"/annotate", filling).OK(&pdf)
			note(path+".filled", fmt.Appendf(nil, "%x", sha256.Sum256(download(t, c, pdf.DownloadURL))))
		}
		note(path+" insights", c.Post("/insights", object{"document_id": d.ID, "insights": []object{{"type": "document_title"}, {"type": "document_clauses"}}}).OK(nil).Body)
	}
	return answers
}

// TestRestoredTour makes a backup of a folder after the tour and a kill. On the restored
// folder, the documents of the tour are as before, and can be downloaded, converted, filled
// in and read with the same results; jobs that waited when Recto was killed finish; the tour
// can be taken again; and no file of the data folder is forgotten.
func TestRestoredTour(t *testing.T) {
	harness.StandaloneOnly(t)
	s := harness.Start(t, harness.Options{})
	tour(t, s)
	c := s.Client(t)
	was := shown(t, c)
	var waiting []string
	for range 10 { // more than can be converted before the kill
		waiting = append(waiting, upload(t, c, waitingName, []byte("waiting")).ID)
	}
	for _, id := range waiting {
		repeat(c, id, "/documents/"+id+"/convert", nil, "Prefer", "respond-async").Accepted(nil)
	}
	if err := s.Kill(); err != nil {
		t.Fatal(err)
	}
	dir := restored(t, backUp(t, s.Dir))
	jobs := unfinished(t, dir)
	if len(jobs) == 0 {
		t.Error("the backup has no job that had not finished")
	}
	again := harness.Start(t, harness.Options{Dir: dir, Env: impatient()})
	checkJobs(t, again.Client(t), jobs)
	is := shown(t, again.Client(t))
	if len(was) < 8 || len(is) != len(was) {
		t.Errorf("there are %d answers, then %d", len(was), len(is))
	}
	for path, text := range was {
		if is[path] != text {
			t.Errorf("%s: was\n%s\nis\n%s", path, text, is[path])
		}
	}
	tour(t, again)
	if err := again.Stop(); err != nil {
		t.Fatal(err)
	}
	announced := []string{"running.json", "control.sock"} // by the program that was killed
	for _, name := range strings.Fields(fileNames(t, s.Dir)) {
		if !exists(filepath.Join(dir, name)) && !slices.Contains(announced, name) {
			t.Errorf("%s of the data folder is not in the restored one, %s", name, fileNames(t, dir))
		}
	}
}

// paused is a command recto backup that has begun to send a backup to standard output,
// which nobody reads.
type paused struct {
	cmd      *exec.Cmd
	out      io.Reader
	problems bytes.Buffer
}

// pausedBackup starts a backup and returns once it has begun to send it.
func pausedBackup(t *testing.T, dir string) *paused {
	t.Helper()
	binary, err := harness.Binary()
	if err != nil {
		t.Fatal(err)
	}
	p := &paused{cmd: exec.CommandContext(t.Context(), binary, "backup", "-", "--data", dir)}
	p.cmd.Stderr = &p.problems
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	first := make([]byte, 1)
	if _, err := io.ReadFull(out, first); err != nil {
		t.Fatalf("the backup sends nothing: %v\n%s", err, p.problems.String())
	}
	p.out = io.MultiReader(bytes.NewReader(first), out)
	return p
}

// bulky uploads documents that are too large for the buffers between the programs, and
// returns their contents.
func bulky(t *testing.T, c *harness.Client, n int) map[string][]byte {
	t.Helper()
	contents := map[string][]byte{}
	random := rand.NewChaCha8([32]byte{})
	for i := range n {
		content := make([]byte, 4<<20)
		_, _ = random.Read(content)
		contents[upload(t, c, fmt.Sprintf("%d.bin", i), content).ID] = content
	}
	return contents
}

// TestBackupDuringPurge deletes all documents while a backup is being sent, and waits until
// their bytes are gone. The restored documents are whole.
func TestBackupDuringPurge(t *testing.T) {
	harness.StandaloneOnly(t)
	s := harness.Start(t, harness.Options{Env: []string{"DOCUMENT_PURGE_AFTER=1ms", "DOCUMENT_PURGE_EVERY=200ms"}})
	c := s.Client(t)
	contents := bulky(t, c, 2)
	for id, content := range contents {
		if !bytes.Equal(download(t, c, downloadURL(t, c, id)), content) {
			t.Fatalf("document %s is not stored", id)
		}
	}
	p := pausedBackup(t, s.Dir)
	for id := range contents {
		c.Do(harness.Request{Method: http.MethodDelete, Path: "/documents/" + id}).OK(nil)
	}
	patience.Until(t, "the documents are purged", func() bool {
		left, err := filepath.Glob(filepath.Join(s.Dir, "objects", "buckets", "recto", "*", "*", "doc_*"))
		return err == nil && len(left) == 0
	})
	archive := filepath.Join(t.TempDir(), "piped.tar.zst")
	f, err := os.Create(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := io.Copy(f, p.out); err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, p.problems.String())
	}
	if left := filepath.Join(s.Dir, "backup.tmp"); exists(left) {
		t.Errorf("%s is left", left)
	}
	again := harness.Start(t, harness.Options{Dir: restored(t, archive)})
	c = again.Client(t)
	for id, content := range contents {
		if got := download(t, c, downloadURL(t, c, id)); !bytes.Equal(got, content) {
			t.Errorf("document %s has %d bytes, or others", id, len(got))
		}
	}
}

// downloadURL returns the download URL of a document.
func downloadURL(t *testing.T, c *harness.Client, id string) string {
	t.Helper()
	var d document
	c.Get("/documents/" + id).OK(&d)
	return d.Files[0].DownloadURL
}

// exists reports whether a file or folder exists.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// TestBackupKilled kills the command, and then Recto, during a backup. No file looks
// complete, nothing is left in the data folder, and Recto starts and makes a backup.
func TestBackupKilled(t *testing.T) {
	harness.StandaloneOnly(t)
	dir := t.TempDir()
	s := harness.Start(t, harness.Options{Dir: dir})
	bulky(t, s.Client(t), 2)
	folder := filepath.Join(dir, "backup.tmp")

	p := pausedBackup(t, dir)
	if !exists(folder) {
		t.Error("the folder of the backup has another name than this test thinks")
	}
	if e := runCommand(t, "backup", filepath.Join(t.TempDir(), "second"), "--data", dir); e.code != 1 || !strings.Contains(e.stderr, "another backup of this folder is being made") {
		t.Errorf("a second backup at the same time: %+v", e)
	}
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
	patience.Until(t, "Recto has removed the folder of the backup", func() bool { return !exists(folder) })

	archive := filepath.Join(t.TempDir(), "recto.tar.zst")
	binary, err := harness.Binary()
	if err != nil {
		t.Fatal(err)
	}
	killed := exec.CommandContext(t.Context(), binary, "backup", archive, "--data", dir)
	if err := killed.Start(); err != nil {
		t.Fatal(err)
	}
	patience.Until(t, "the command has created a file", func() bool { return exists(archive+".partial") || exists(archive) })
	_ = killed.Process.Kill()
	_ = killed.Wait()
	if e := runCommand(t, "restore", "--check", archive); exists(archive) && e.code != 0 {
		t.Errorf("an incomplete backup has its name: %+v", e)
	}
	patience.Until(t, "Recto has removed the folder of the backup", func() bool { return !exists(folder) })

	p = pausedBackup(t, dir)
	if err := s.Kill(); err != nil {
		t.Fatal(err)
	}
	sent, _ := io.ReadAll(p.out)
	if err := p.cmd.Wait(); err == nil || !strings.Contains(p.problems.String(), "has ended") {
		t.Errorf("the command ends with %v\n%s", err, p.problems.String())
	}
	cut := filepath.Join(t.TempDir(), "cut")
	if err := os.WriteFile(cut, sent, 0o600); err != nil {
		t.Fatal(err)
	}
	if e := runCommand(t, "restore", "--check", cut); e.code != 1 || !strings.Contains(e.stderr, "damaged") {
		t.Errorf("what was sent: %+v", e)
	}
	harness.Start(t, harness.Options{Dir: dir})
	if exists(folder) {
		t.Errorf("%s is left", folder)
	}
	if e := runCommand(t, "backup", archive, "--force", "--data", dir); e.code != 0 || exists(archive+".partial") {
		t.Errorf("after all that: %+v", e)
	}
}

// TestBackupErrors provokes every error of recto backup and recto restore that a user can
// get without a damaged file. None of them changes anything.
func TestBackupErrors(t *testing.T) {
	harness.StandaloneOnly(t)
	dir := t.TempDir()
	archive := filepath.Join(dir, "recto.tar.zst")
	if e := runCommand(t, "backup", archive, "--data", shared.Dir); e.code != 0 {
		t.Fatalf("%+v", e)
	}
	text := filepath.Join(dir, "text")
	full := filepath.Join(dir, "full")
	for _, path := range []string{text, filepath.Join(full, "file")} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("kept"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "left.restoring"), 0o700); err != nil {
		t.Fatal(err)
	}
	before := fileNames(t, dir)
	for _, tc := range []struct {
		code int
		want string
		args []string
	}{
		{2, "recto.tar.zst exists: name another file, or replace it with --force", []string{"backup", archive, "--data", shared.Dir}},
		{2, "is a folder: name a file in it", []string{"backup", dir, "--force", "--data", shared.Dir}},
		{2, "/dev/null is not a file: name a file, or - for standard output", []string{"backup", "/dev/null", "--force", "--data", shared.Dir}},
		{2, "is in the data folder: name a file elsewhere", []string{"backup", filepath.Join(shared.Dir, "b"), "--data", shared.Dir}},
		{2, "FILE is missing", []string{"backup", "--data", shared.Dir}},
		{2, "the folder " + filepath.Join(dir, "none") + " does not exist: create it, or name a file in another folder", []string{"backup", filepath.Join(dir, "none", "b"), "--data", shared.Dir}},
		{1, "is not a data folder of Recto", []string{"backup", filepath.Join(dir, "b"), "--data", dir}},
		{1, "full is not empty: name a folder that does not exist with --data, or move this one away", []string{"restore", archive, "--data", full}},
		{1, "is not empty", []string{"restore", archive, "--data", shared.Dir}},
		{1, "left.restoring exists: a restore is running, or was interrupted", []string{"restore", archive, "--data", filepath.Join(dir, "left")}},
		{1, "this is not a backup of Recto", []string{"restore", text, "--data", filepath.Join(dir, "new")}},
		{1, "this is not a backup of Recto", []string{"restore", "--check", text}},
		{1, "no such file or directory", []string{"restore", filepath.Join(dir, "none"), "--data", filepath.Join(dir, "new")}},
		{2, "is not a file: a restore reads its backup twice", []string{"restore", "/dev/null", "--data", filepath.Join(dir, "new")}},
		{2, "FILE is missing", []string{"restore"}},
	} {
		if e := runCommand(t, tc.args...); e.code != tc.code || !strings.Contains(e.stderr, tc.want) || e.stdout != "" {
			t.Errorf("recto %s: %+v, want %d and %q", strings.Join(tc.args, " "), e, tc.code, tc.want)
		}
	}
	if after := fileNames(t, dir); after != before {
		t.Errorf("there was %s, there is %s", before, after)
	}
	binary, err := harness.Binary()
	if err != nil {
		t.Fatal(err)
	}
	script := exec.CommandContext(t.Context(), "sh", "-c", `exec "$0" backup - --data "$1" > /dev/full`, binary, shared.Dir)
	if out, err := script.CombinedOutput(); err == nil || !strings.Contains(string(out), "no space left on device") {
		t.Errorf("to a full disk: %v %s", err, out)
	}
	if e := runCommand(t, "restore", "--check", archive); e.code != 0 || !strings.Contains(e.stderr, "is complete and undamaged") {
		t.Errorf("%+v", e)
	}
}

// TestControlSocketIsPrivate checks that only the owner of the data folder can connect to
// the socket, whatever the permissions of the folder.
func TestControlSocketIsPrivate(t *testing.T) {
	harness.StandaloneOnly(t)
	info, err := os.Stat(filepath.Join(shared.Dir, "control.sock"))
	if err != nil || info.Mode()&os.ModeSocket == 0 || info.Mode().Perm() != 0o600 {
		t.Errorf("the socket is %v, %v", info, err)
	}
}
