package httpapi

import (
	"github.com/rectohq/recto/gateway/internal/idempotency"
	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/contract/documentapi"
)

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
