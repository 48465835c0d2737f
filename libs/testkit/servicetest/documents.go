package servicetest

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/bus/bustest"
	"github.com/rectohq/recto/libs/checksum"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/problem"
)

// Documents is a fake document service. It answers documentapi.Get, Contents and Status,
// and passes TestDocuments as the real one does.
type Documents struct {
	world      *World
	mu         sync.Mutex
	documents  map[string]*document // by id
	onContents func(id string)
}

// document is one document with one version.
type document struct {
	organization string
	deleted      bool
	shown        documentapi.Document
	contents     documentapi.ContentsResponse
}

// File is a file of a document. One with a Fault has no content.
type File struct{ Name, Type, Content, Fault string }

// Documents starts a fake document service without documents.
func (w *World) Documents() *Documents {
	w.T.Helper()
	d := &Documents{world: w, documents: map[string]*document{}}
	server, err := bustest.Connect(w.T, w.NATS, documentapi.Service).Serve(documentapi.Service, "1.0.0", 16)
	if err == nil {
		err = bus.Handle(server, documentapi.Contents, d.answerContents)
	}
	if err == nil {
		err = bus.Handle(server, documentapi.Get, d.answerGet)
	}
	if err == nil {
		err = bus.Handle(server, documentapi.Status, d.answerStatus)
	}
	if err != nil {
		w.T.Fatal(err)
	}
	w.T.Cleanup(func() { _ = server.Shutdown(context.Background()) })
	return d
}

// Add stores a document whose only version has the files, and returns its id.
func (d *Documents) Add(organization string, state documentapi.State, files ...File) string {
	t := d.world.T
	t.Helper()
	id := contract.NewID(contract.DocumentPrefix)
	added := &document{
		organization: organization,
		shown:        documentapi.Document{ID: id, Name: "The name", State: state, OrganizationID: organization, VersionNumber: 1},
		contents:     documentapi.ContentsResponse{DocumentID: id, VersionNumber: 1},
	}
	for i, f := range files {
		content := documentapi.Content{ID: fmt.Sprintf("file_%d", i+1), Name: f.Name, Type: f.Type, Fault: f.Fault}
		if f.Fault == "" {
			sums := checksum.New()
			_, _ = sums.Write([]byte(f.Content))
			s := sums.Sums()
			content.SHA256, content.MD5, content.CRC32C = s.SHA256, s.MD5, s.CRC32C
			content.Size, content.SealedAt = int64(len(f.Content)), time.Now().UnixMilli()
			content.Key = documentapi.ContentKey(organization, id, content.ID)
			if err := d.world.Blobs.Put(t.Context(), content.Key, strings.NewReader(f.Content), content.Size, f.Type); err != nil {
				t.Fatal(err)
			}
		}
		added.contents.Files = append(added.contents.Files, content)
		added.shown.Files = append(added.shown.Files, documentapi.File{ID: content.ID, Name: f.Name, Type: f.Type})
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.documents[id] = added
	return id
}

// Delete marks a document as deleted.
func (d *Documents) Delete(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.documents[id].deleted = true
}

// Purge removes a document: nothing knows of it any longer.
func (d *Documents) Purge(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.documents, id)
}

// AfterContents has f called after each answer to documentapi.Contents.
func (d *Documents) AfterContents(f func(id string)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.onContents = f
}

// find returns a document that the principal may see.
func (d *Documents) find(p contract.Principal, id string, deleted bool) (document, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	found, ok := d.documents[id]
	if !ok || found.organization != p.Organization || found.deleted && !deleted {
		return document{}, documentapi.NotFound(id)
	}
	return *found, nil
}

// version is find for one version of a document.
func (d *Documents) version(p contract.Principal, r documentapi.GetRequest) (document, error) {
	found, err := d.find(p, r.DocumentID, false)
	if err == nil && r.Version.Given && r.Version.Number != found.contents.VersionNumber {
		err = problem.New(problem.VersionNotFound, "There is no version %d.", r.Version.Number)
	}
	return found, err
}

func (d *Documents) answerContents(_ context.Context, p contract.Principal, r documentapi.GetRequest) (documentapi.ContentsResponse, error) {
	found, err := d.version(p, r)
	d.mu.Lock()
	after := d.onContents
	d.mu.Unlock()
	if after != nil {
		after(r.DocumentID)
	}
	return found.contents, err
}

func (d *Documents) answerGet(_ context.Context, p contract.Principal, r documentapi.GetRequest) (documentapi.Document, error) {
	found, err := d.version(p, r)
	return found.shown, err
}

func (d *Documents) answerStatus(_ context.Context, p contract.Principal, r documentapi.StatusRequest) (documentapi.StatusResponse, error) {
	found, err := d.find(p, r.DocumentID, true)
	return documentapi.StatusResponse{Deleted: found.deleted}, err
}
