package domain

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/rectohq/recto/libs/blob"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/problem"
)

// Objects signs URLs for the bytes of files.
type Objects interface {
	PresignPut(ctx context.Context, key string, d time.Duration) (blob.SignedURL, error)
	PresignGet(ctx context.Context, key string, d time.Duration, name, contentType string) (blob.SignedURL, error)
}

// Config is what the operator decides.
type Config struct {
	UploadTTL   time.Duration `env:"DOCUMENT_UPLOAD_URL_TTL" envDefault:"1h" desc:"how long an upload URL is valid"`
	DownloadTTL time.Duration `env:"DOCUMENT_DOWNLOAD_URL_TTL" envDefault:"15m" desc:"how long a download URL is valid"`
	ListTimeout time.Duration `env:"DOCUMENT_LIST_TIMEOUT" envDefault:"5s" desc:"time after which a list that no index serves is given up with 5003"`
}

// Service does what can be done with documents. Its errors are
// *problem.Error, or internal.
type Service struct {
	cfg     Config
	store   Store
	objects Objects
	now     func() time.Time
}

// NewService returns a Service over the store and objects.
func NewService(cfg Config, store Store, objects Objects) *Service {
	return &Service{cfg: cfg, store: store, objects: objects, now: time.Now}
}

// Create makes a document with one version, whose files are yet to be uploaded.
// It is on the disk when Create returns.
func (s *Service) Create(ctx context.Context, p contract.Principal, r documentapi.CreateRequest) (documentapi.Document, error) {
	if err := r.Validate(); err != nil {
		return documentapi.Document{}, err
	}
	now := s.now().UnixMilli()
	version := Version{Number: 1, CreatedAt: now}
	for _, f := range r.Files {
		version.Files = append(version.Files, File{ID: contract.NewID(contract.FilePrefix), Name: f.Name, Type: f.Type})
	}
	d := Document{
		ID: contract.NewID(contract.DocumentPrefix), Organization: p.Organization, Name: r.Name, State: r.State,
		CreatedAt: now, UpdatedAt: now, CreatedBy: r.CreatedBy, UpdatedBy: r.UpdatedBy,
		Access: Access{Organization: Edit}, Versions: []Version{version},
	}
	answer := d.Summary()
	for _, f := range version.Files {
		u, err := s.objects.PresignPut(ctx, f.ObjectKey(p.Organization), s.cfg.UploadTTL)
		if err != nil {
			return documentapi.Document{}, err
		}
		answer.Files = append(answer.Files, documentapi.File{ID: f.ID, Name: f.Name, Type: f.Type, UploadURL: u.URL})
	}
	return answer, s.store.Create(ctx, p.Organization, d)
}

// Get returns a version of a document with URLs to download its files.
func (s *Service) Get(ctx context.Context, p contract.Principal, r documentapi.GetRequest) (documentapi.Document, error) {
	d, v, err := s.view(ctx, p, r)
	if err != nil {
		return documentapi.Document{}, err
	}
	answer := d.Summary()
	answer.VersionNumber = v.Number
	for _, f := range v.Files {
		u, err := s.objects.PresignGet(ctx, f.ObjectKey(d.Organization), s.cfg.DownloadTTL, f.Name, f.Type)
		if err != nil {
			return documentapi.Document{}, err
		}
		answer.Files = append(answer.Files, documentapi.File{ID: f.ID, Name: f.Name, Type: f.Type, DownloadURL: u.URL})
	}
	return answer, nil
}

// Contents returns where the bytes of a version are, for another service that
// acts for p.
func (s *Service) Contents(ctx context.Context, p contract.Principal, r documentapi.GetRequest) (documentapi.ContentsResponse, error) {
	d, v, err := s.view(ctx, p, r)
	if err != nil {
		return documentapi.ContentsResponse{}, err
	}
	answer := documentapi.ContentsResponse{DocumentID: d.ID, VersionNumber: v.Number}
	for _, f := range v.Files {
		answer.Files = append(answer.Files, documentapi.Content{ID: f.ID, Name: f.Name, Type: f.Type, Key: f.ObjectKey(d.Organization)})
	}
	return answer, nil
}

// view returns a version of a document that p may see.
func (s *Service) view(ctx context.Context, p contract.Principal, r documentapi.GetRequest) (Document, Version, error) {
	d, err := s.store.Get(ctx, p.Organization, r.DocumentID)
	if errors.Is(err, ErrNotFound) || err == nil && (d.DeletedAt != 0 || !d.Permits(p, View)) {
		return d, Version{}, problem.New(problem.DocumentNotFound,
			"There is no document %.64q in the organization of this key. Check the id, and that the key is of the right organization.", r.DocumentID)
	}
	if err != nil {
		return d, Version{}, err
	}
	v, ok := d.Version(r.Version)
	if !ok {
		return d, v, problem.New(problem.VersionNotFound,
			"Document %s has no such version. Its versions go from 1 to %d; leave version_number out for the latest.", d.ID, len(d.Versions))
	}
	return d, v, nil
}

// List returns a page of the organization's documents.
func (s *Service) List(ctx context.Context, p contract.Principal, r documentapi.ListRequest) (documentapi.ListResponse, error) {
	if err := r.Validate(); err != nil {
		return documentapi.ListResponse{}, err
	}
	bounded, cancel := context.WithTimeout(ctx, s.cfg.ListTimeout)
	defer cancel()
	documents, total, err := s.store.List(bounded, p.Organization, r)
	if err != nil {
		if bounded.Err() != nil && ctx.Err() == nil {
			return documentapi.ListResponse{}, problem.New(problem.Unavailable,
				"The list took longer than %s. Use fewer filters, or order by created_at.", s.cfg.ListTimeout).After(time.Second).Because(err)
		}
		return documentapi.ListResponse{}, fmt.Errorf("list documents: %w", err)
	}
	answer := documentapi.ListResponse{
		Items: make([]documentapi.Document, 0, len(documents)), Total: total,
		Page: r.Page, Size: r.Size, Pages: (total + int64(r.Size) - 1) / int64(r.Size),
	}
	for _, d := range documents {
		answer.Items = append(answer.Items, d.Summary())
	}
	return answer, nil
}
