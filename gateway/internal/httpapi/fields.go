package httpapi

import (
	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/contract/annotationapi"
)

// getFields is GET /documents/{document_id}/fields.
func (s *Server) getFields(r *request) error {
	version, err := r.version()
	if err != nil {
		return err
	}
	return r.answer(bus.Call(bus.WithTimeout(r.ctx, s.cfg.LongBudget), s.bus, annotationapi.Fields, r.principal,
		annotationapi.FieldsRequest{DocumentID: r.documentID(), Version: version}))
}

// putFields is PUT /documents/{document_id}/fields.
func (s *Server) putFields(r *request) error {
	version, err := r.version()
	if err != nil {
		return err
	}
	body, err := r.readBody(s.cfg.MaxBody)
	if err != nil {
		return err
	}
	put, err := annotationapi.ParsePutFields(r.documentID(), body)
	if err != nil {
		return err
	}
	put.Version = version
	return r.answer(bus.Call(bus.WithTimeout(r.ctx, s.cfg.LongBudget), s.bus, annotationapi.PutFields, r.principal, put))
}
