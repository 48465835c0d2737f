package httpapi

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/rectohq/recto/gateway/internal/idempotency"
	"github.com/rectohq/recto/gateway/internal/identity"
	"github.com/rectohq/recto/gateway/internal/negotiate"
	"github.com/rectohq/recto/libs/blob"
	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/conversionapi"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/problem"
)

// listDocuments is GET /documents.
func (s *Server) listDocuments(r *request) error {
	list, err := documentapi.ParseList(r.rawQuery())
	if err != nil {
		return err
	}
	return r.answer(bus.Call(bus.WithTimeout(r.ctx, s.cfg.Budget), s.bus, documentapi.List, r.principal, list))
}

// getDocument is GET /documents/{document_id}.
func (s *Server) getDocument(r *request) error {
	version, err := r.version()
	if err != nil {
		return err
	}
	return r.answer(bus.Call(bus.WithTimeout(r.ctx, s.cfg.Budget), s.bus, documentapi.Get, r.principal,
		documentapi.GetRequest{DocumentID: r.documentID(), Version: version}))
}

// createDocument is POST /documents. A multipart/form-data body includes the files.
func (s *Server) createDocument(r *request) error {
	form, err := r.sendsForm()
	if err != nil {
		return err
	}
	if form {
		return s.uploadDocument(r)
	}
	body, err := r.readBody(s.cfg.MaxBody)
	if err != nil {
		return err
	}
	return r.answer(once(r, operation[documentapi.Document]{
		body: body, resign: r.signUploads,
		run: func(record idempotency.Record) (documentapi.Document, error) {
			create, err := documentapi.ParseCreate(body)
			if err == nil {
				err = s.resolve(r, &create.CreatedBy, &create.UpdatedBy)
			}
			if err != nil {
				return documentapi.Document{}, err
			}
			create.ID = record.DocumentID
			d, err := bus.Call(bus.WithTimeout(r.ctx, s.cfg.Budget), s.bus, documentapi.Create, r.principal, create)
			if create.ID != "" && problem.Is(err, problem.DocumentNotFound) {
				return d, errStale // it was created before and has been deleted since
			}
			return d, err
		},
	}))
}

// updateDocument is PATCH /documents/{document_id}.
func (s *Server) updateDocument(r *request) error {
	body, err := r.readBody(s.cfg.MaxBody)
	if err != nil {
		return err
	}
	update, err := documentapi.ParseUpdate(r.documentID(), body)
	if err == nil {
		err = s.resolve(r, &update.UpdatedBy)
	}
	if err != nil {
		return err
	}
	return r.answer(bus.Call(bus.WithTimeout(r.ctx, s.cfg.Budget), s.bus, documentapi.Update, r.principal, update))
}

// deleteDocument is DELETE /documents/{document_id}. A body is ignored.
func (s *Server) deleteDocument(r *request) error {
	return r.answer(bus.Call(bus.WithTimeout(r.ctx, s.cfg.Budget), s.bus, documentapi.Delete, r.principal,
		documentapi.DeleteRequest{DocumentID: r.documentID()}))
}

// signUploads returns a kept response of Create or CreateVersion with newly presigned
// upload URLs. If the document has been deleted since, it returns the response unchanged.
func (r *request) signUploads(d documentapi.Document) (documentapi.Document, error) {
	s := r.server
	version := documentapi.Version{Number: max(d.VersionNumber, 1), Given: true} // Create does not return the number of the first version
	signed, err := bus.Call(bus.WithTimeout(r.ctx, s.cfg.Budget), s.bus, documentapi.Uploads, r.principal,
		documentapi.GetRequest{DocumentID: d.ID, Version: version})
	if problem.Is(err, problem.DocumentNotFound) {
		return d, nil
	}
	if err != nil {
		return d, err
	}
	for _, f := range signed.Files {
		if i := slices.IndexFunc(d.Files, func(known documentapi.File) bool { return known.ID == f.ID }); i >= 0 {
			d.Files[i].UploadURL = f.UploadURL
		}
	}
	return d, nil
}

// resolve completes users that a request names by id.
func (s *Server) resolve(r *request, users ...*contract.User) error {
	for _, user := range users {
		if err := s.resolveUser(r, user); err != nil {
			return err
		}
	}
	return nil
}

// resolveUser completes one user. No user means the user of the API key. A user that the
// organization does not know stays as given.
func (s *Server) resolveUser(r *request, user *contract.User) error {
	if user.ID == "" || user.ID == r.principal.User.ID {
		*user = r.principal.User
		return nil
	}
	known, err := s.directory.FindUser(r.ctx, r.principal.Organization, user.ID)
	switch {
	case err == nil && known.ID == user.ID: // FindUser also finds e-mail addresses
		*user = known
	case err != nil && !errors.Is(err, identity.ErrNotFound):
		return problem.New(problem.Unavailable, "The user directory is unavailable. Retry later.").
			After(time.Second).Because(err)
	}
	return nil
}

// documentID returns the id of the document in the path.
func (r *request) documentID() string { return r.id("document_id") }

// id returns an id in the path. An id that cannot be decoded is returned as it is, and
// matches nothing.
func (r *request) id(name string) string {
	id, err := url.PathUnescape(r.Params(name))
	if err != nil {
		id = r.Params(name)
	}
	return strings.ToValidUTF8(id, "\uFFFD")
}

// createVersion is POST /documents/{document_id}/versions.
func (s *Server) createVersion(r *request) error {
	body, err := r.readBody(s.cfg.MaxBody)
	if err != nil {
		return err
	}
	return r.answer(once(r, operation[documentapi.Document]{
		document: r.documentID(), body: body, resign: r.signUploads,
		run: func(record idempotency.Record) (documentapi.Document, error) {
			create, err := documentapi.ParseCreateVersion(r.documentID(), body)
			if err == nil {
				err = s.resolve(r, &create.UpdatedBy)
			}
			if err != nil {
				return documentapi.Document{}, err
			}
			create.Token = record.Token()
			return bus.Call(bus.WithTimeout(r.ctx, s.cfg.Budget), s.bus, documentapi.CreateVersion, r.principal, create)
		},
	}))
}

// listVersions is GET /documents/{document_id}/versions.
func (s *Server) listVersions(r *request) error {
	list, err := documentapi.ParseVersions(r.rawQuery())
	if err != nil {
		return err
	}
	list.DocumentID = r.documentID()
	return r.answer(bus.Call(bus.WithTimeout(r.ctx, s.cfg.Budget), s.bus, documentapi.ListVersions, r.principal, list))
}

// How clients may cache the image of a page. The content of a version never changes, but
// the latest version may be another one later. Even an image that does not change is only
// kept for a day: its document may be deleted.
const (
	cacheVersion = "private, max-age=86400"
	cacheLatest  = "private, no-cache"
)

// listPages is GET /documents/{document_id}/pages.
func (s *Server) listPages(r *request) error {
	list, err := conversionapi.ParsePages(r.rawQuery())
	if err != nil {
		return err
	}
	list.DocumentID = r.documentID()
	return r.answer(bus.Call(bus.WithTimeout(r.ctx, s.cfg.LongBudget), s.bus, conversionapi.Pages, r.principal, list))
}

// pageWords is GET /documents/{document_id}/pages/{page_number}/words.
func (s *Server) pageWords(r *request) error {
	var problems problem.List
	words := conversionapi.PageWordsRequest{DocumentID: r.documentID(), PageNumber: r.pageNumber(&problems)}
	words.Version = documentapi.ParseVersion(r.parameter(paramVersion), &problems)
	if err := problems.Err(); err != nil {
		return err
	}
	return r.answer(bus.Call(bus.WithTimeout(r.ctx, s.cfg.LongBudget), s.bus, conversionapi.PageWords, r.principal, words))
}

// pageNumber returns the number of the page in the path.
func (r *request) pageNumber(problems *problem.List) int {
	return conversionapi.ParsePageNumber(r.id(conversionapi.PageParameter), problems)
}

// pageImage is GET /documents/{document_id}/pages/{page_number}.png. It streams the image
// from the object store.
func (s *Server) pageImage(r *request) error {
	var problems problem.List
	image := conversionapi.PageImageRequest{DocumentID: r.documentID(), PageNumber: r.pageNumber(&problems)}
	image.Width = conversionapi.ParseWidth(r.parameter(conversionapi.WidthParameter), &problems)
	image.Version = documentapi.ParseVersion(r.parameter(paramVersion), &problems)
	if err := problems.Err(); err != nil {
		return err
	}
	known, every := negotiate.EntityTags(r.headerValues(fiber.HeaderIfNoneMatch))
	image.Known = known
	found, err := bus.Call(bus.WithTimeout(r.ctx, s.cfg.LongBudget), s.bus, conversionapi.PageImage, r.principal, image)
	if err != nil {
		return err
	}
	if found.URL == "" || every {
		r.describeImage(image.Version, found)
		r.Status(http.StatusNotModified)
		return nil
	}
	return s.sendImage(r, image.Version, found)
}

// describeImage sets the headers that a response with an image has in common with one that
// says that the client has it already.
func (r *request) describeImage(version documentapi.Version, image conversionapi.PageImageResponse) {
	cache := cacheLatest
	if version.Given {
		cache = cacheVersion
	}
	r.Set(fiber.HeaderCacheControl, cache)
	r.Set(fiber.HeaderETag, image.ETag)
	if r.exchange.console {
		r.Append(fiber.HeaderVary, fiber.HeaderCookie)
	} else {
		r.Append(fiber.HeaderVary, headerKey) // another key may not see the document
	}
}

// sendImage responds with the image. The answer to HEAD is the same without the image,
// which is then not read.
func (s *Server) sendImage(r *request, version documentapi.Version, image conversionapi.PageImageResponse) error {
	header := &r.Response().Header
	if r.Method() == http.MethodHead {
		r.describeImage(version, image)
		header.SetContentType(typePNG)
		r.Response().SkipBody = true
		header.SetContentLength(int(image.Size))
		return nil
	}
	body, err := s.download(r.ctx, image.URL)
	if err != nil {
		return blob.Unavailable(err)
	}
	r.describeImage(version, image)
	header.SetContentType(typePNG)
	r.Context().SetBodyStream(s.detach(r, contract.Stream{Body: body, Size: image.Size}), int(image.Size))
	return nil
}

const typePNG = "image/png"
