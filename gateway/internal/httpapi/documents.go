package httpapi

import (
	"errors"
	"fmt"
	"net/url"

	"github.com/rectohq/recto/gateway/internal/identity"
	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/problem"
)

// listDocuments is GET /documents.
func (s *Server) listDocuments(r *request) error {
	list, err := documentapi.ParseList(string(r.Request().URI().QueryString()))
	if err != nil {
		return err
	}
	return r.answer(bus.Call(bus.WithTimeout(r.ctx, s.cfg.Budget), s.bus, documentapi.List, r.principal, list))
}

// getDocument is GET /documents/{document_id}.
func (s *Server) getDocument(r *request) error {
	var problems problem.List
	version := documentapi.ParseVersion(r.query()["version_number"], &problems)
	if err := problems.Err(); err != nil {
		return err
	}
	return r.answer(bus.Call(bus.WithTimeout(r.ctx, s.cfg.Budget), s.bus, documentapi.Get, r.principal,
		documentapi.GetRequest{DocumentID: r.documentID(), Version: version}))
}

// createDocument is POST /documents.
func (s *Server) createDocument(r *request) error {
	body, err := r.readBody(s.cfg.MaxBody)
	if err != nil {
		return err
	}
	create, err := documentapi.ParseCreate(body)
	if err != nil {
		return err
	}
	for _, user := range []*contract.User{&create.CreatedBy, &create.UpdatedBy} {
		if err := s.resolve(r, user); err != nil {
			return err
		}
	}
	return r.answer(bus.Call(bus.WithTimeout(r.ctx, s.cfg.Budget), s.bus, documentapi.Create, r.principal, create))
}

// resolve completes a user of whom a request gave an id: none is the key's
// user, one that is not known in the organization stays as given.
func (s *Server) resolve(r *request, user *contract.User) error {
	if user.ID == "" || user.ID == r.principal.User.ID {
		*user = r.principal.User
		return nil
	}
	known, err := s.directory.FindUser(r.ctx, r.principal.Organization, user.ID)
	switch {
	case err == nil && known.ID == user.ID: // it finds e-mail addresses too
		*user = known
	case err != nil && !errors.Is(err, identity.ErrNotFound):
		return fmt.Errorf("resolve the user %s: %w", user.ID, err)
	}
	return nil
}

// query returns the parameters of the query. What cannot be decoded is left
// out: only lists refuse unknown parameters.
func (r *request) query() url.Values {
	values, _ := url.ParseQuery(string(r.Request().URI().QueryString()))
	return values
}

// documentID returns the id in the path. One that cannot be decoded names no
// document.
func (r *request) documentID() string {
	id, err := url.PathUnescape(r.Params("document_id"))
	if err != nil {
		return r.Params("document_id")
	}
	return id
}
