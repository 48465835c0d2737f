package domain

import (
	"context"
	"errors"

	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/annotationapi"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/services/annotation/internal/registry"
)

// Fields returns the fields of a version: those of its file, as the registry defines
// them, and those that exist only in the registry. If no file can have fields, it returns
// only the registry.
func (s *Service) Fields(ctx context.Context, p contract.Principal, r annotationapi.FieldsRequest) (annotationapi.FieldsResponse, error) {
	if r.Registry {
		return s.registry(ctx, p, r)
	}
	found, err := s.found(ctx, p, documentapi.GetRequest{DocumentID: r.DocumentID, Version: r.Version})
	if err != nil {
		return annotationapi.FieldsResponse{}, err
	}
	registered, err := s.Store.Registry(ctx, p.Organization, r.DocumentID)
	if err != nil {
		return annotationapi.FieldsResponse{}, err
	}
	return show(found, registered), nil
}

// registry returns the registry of a document that the principal may see.
func (s *Service) registry(ctx context.Context, p contract.Principal, r annotationapi.FieldsRequest) (annotationapi.FieldsResponse, error) {
	if _, err := s.orderOf(ctx, p, documentapi.GetRequest{DocumentID: r.DocumentID, Version: r.Version}); err != nil {
		return annotationapi.FieldsResponse{}, err
	}
	registered, err := s.Store.Registry(ctx, p.Organization, r.DocumentID)
	return annotationapi.FieldsResponse{Items: []annotationapi.Field{}, Registry: registered.Definitions}, err
}

// PutFields replaces the registry of a document. If the fields of the document could not
// be listed afterwards, it fails and the old registry stays.
func (s *Service) PutFields(ctx context.Context, p contract.Principal, r annotationapi.PutFieldsRequest) (annotationapi.FieldsResponse, error) {
	if err := r.Validate(); err != nil {
		return annotationapi.FieldsResponse{}, err
	}
	found, err := s.found(ctx, p, documentapi.GetRequest{DocumentID: r.DocumentID, Version: r.Version})
	if err != nil {
		return annotationapi.FieldsResponse{}, err
	}
	if err := registry.Check(r, found); err != nil {
		return annotationapi.FieldsResponse{}, err
	}
	registered, err := s.Store.PutRegistry(ctx, p.Organization, r.DocumentID, r.Fields)
	if errors.Is(err, ErrTooLarge) {
		return annotationapi.FieldsResponse{}, problem.New(problem.InvalidRequest,
			"The fields exceed the limit of %d MiB for a document. Send fewer fields, or fewer and shorter options.", MaxSize>>20).Because(err)
	}
	if err != nil {
		return annotationapi.FieldsResponse{}, err
	}
	return show(found, registered), nil
}

// found returns what is known about the file of a version: nothing if no file can have
// fields.
func (s *Service) found(ctx context.Context, p contract.Principal, r documentapi.GetRequest) (registry.File, error) {
	o, err := s.orderOf(ctx, p, r)
	if err != nil {
		return registry.File{}, err
	}
	release, err := s.slots.Acquire(ctx)
	if err != nil {
		return registry.File{}, err
	}
	defer release()
	source, err := s.pick(ctx, p.Organization, o)
	var refused *refusal
	switch {
	case errors.As(err, &refused) && !refused.unreadable && !o.useless():
		return registry.File{Absent: o.absent()}, nil
	case errors.As(err, &refused):
		return registry.File{}, refused.answer
	case err != nil:
		return registry.File{}, err
	}
	source.close()
	return source.found, nil
}

// show returns fields in the form of the API.
func show(found registry.File, registered Registry) annotationapi.FieldsResponse {
	shown := annotationapi.Show
	if len(found.Pages) > 0 {
		shown = annotationapi.ShowPDF
	}
	r := annotationapi.FieldsResponse{Items: []annotationapi.Field{}}
	for _, f := range registry.Merge(found, registered.Definitions) {
		r.Items = append(r.Items, shown(f))
	}
	return r
}
