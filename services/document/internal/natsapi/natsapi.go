// Package natsapi serves the endpoints of the document service on the bus.
package natsapi

import (
	"errors"

	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/services/document/internal/domain"
)

// Register serves every endpoint of documentapi with s.
func Register(server *bus.Server, s *domain.Service) error {
	return errors.Join(
		bus.Handle(server, documentapi.List, s.List),
		bus.Handle(server, documentapi.Get, s.Get),
		bus.Handle(server, documentapi.Create, s.Create),
		bus.Handle(server, documentapi.Stage, s.Stage),
		bus.Handle(server, documentapi.Discard, s.Discard),
		bus.Handle(server, documentapi.Update, s.Update),
		bus.Handle(server, documentapi.Delete, s.Delete),
		bus.Handle(server, documentapi.CreateVersion, s.CreateVersion),
		bus.Handle(server, documentapi.ListVersions, s.ListVersions),
		bus.Handle(server, documentapi.Uploads, s.Uploads),
		bus.Handle(server, documentapi.Contents, s.Contents),
		bus.Handle(server, documentapi.Status, s.Status),
	)
}
