package domain

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/rectohq/recto/libs/blob"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/problem"
)

// Objects stores the bytes of files and presigns URLs for them. The error for a missing
// object is blob.ErrNotFound.
type Objects interface {
	PresignPut(ctx context.Context, key string, d time.Duration) (blob.SignedURL, error)
	// PresignInternalPut is PresignPut for other parts of Recto, which reach the object
	// store at the same address as this service.
	PresignInternalPut(ctx context.Context, key string, d time.Duration) (blob.SignedURL, error)
	PresignGet(ctx context.Context, key string, d time.Duration, name, contentType string) (blob.SignedURL, error)
	Stat(ctx context.Context, key string) (blob.Object, error)
	Get(ctx context.Context, key string) (io.ReadCloser, blob.Object, error)
	// Put stores an object durably.
	Put(ctx context.Context, key string, r io.Reader, size int64, contentType string) error
	// PutOnce is Put for a new object. It returns blob.ErrExists if the object exists.
	PutOnce(ctx context.Context, key string, r io.Reader, size int64, contentType string) error
	Remove(ctx context.Context, key string) error
	// List calls each for the objects whose keys begin with prefix, and stops at its
	// first error.
	List(ctx context.Context, prefix string, each func(blob.Object) error) error
	// RemoveAll removes the objects whose keys begin with prefix.
	RemoveAll(ctx context.Context, prefix string) error
}

// Config is the operator's configuration.
type Config struct {
	MaxContent  int64         `env:"DOCUMENT_MAX_CONTENT" envDefault:"104857600" desc:"maximum size of a file in bytes. The embedded object server refuses larger uploads with 413; with another object store, using a larger file gives error 3001"`
	UploadTTL   time.Duration `env:"DOCUMENT_UPLOAD_URL_TTL" envDefault:"1h" desc:"how long an upload URL is valid, and the time limit of a multipart upload"`
	UploadGrace time.Duration `env:"DOCUMENT_UPLOAD_GRACE" envDefault:"15m" desc:"extra time for uploads in progress when DOCUMENT_UPLOAD_URL_TTL ends; parts of unfinished multipart uploads are removed after it"`
	DownloadTTL time.Duration `env:"DOCUMENT_DOWNLOAD_URL_TTL" envDefault:"15m" desc:"how long a download URL is valid"`
	PurgeAfter  time.Duration `env:"DOCUMENT_PURGE_AFTER" envDefault:"720h" desc:"how long a deleted document is kept before it is purged"`
	PurgeEvery  time.Duration `env:"DOCUMENT_PURGE_EVERY" envDefault:"1m" desc:"how often to look for deleted documents to purge"`
	ListTimeout time.Duration `env:"DOCUMENT_LIST_TIMEOUT" envDefault:"5s" desc:"timeout for reading a list; lists without a matching index may exceed it and get error 5003"`
	SealEvery   time.Duration `env:"DOCUMENT_SEAL_EVERY" envDefault:"5s" desc:"how often to look for uploads to seal"`
}

// Service implements the operations on documents. Its errors are *problem.Error, or
// internal errors.
type Service struct {
	cfg     Config
	store   Store
	objects Objects
	events  Events
	log     *slog.Logger
	now     func() time.Time
	sealing singleflight.Group
	changed chan struct{} // there may be events to publish

	incomingKept atomic.Bool
	useless      map[string]useless // by key; used only by SealUploads
}

// NewService returns a Service over the store and objects that publishes to events.
func NewService(cfg Config, store Store, objects Objects, events Events, log *slog.Logger) *Service {
	return &Service{
		cfg: cfg, store: store, objects: objects, events: events, log: log,
		now: time.Now, changed: make(chan struct{}, 1),
	}
}

// Create creates a document with one version. Its files are staged, or yet to be
// uploaded. The document is on disk when Create returns. If a document with the request's
// ID exists, the request is a repetition, and Create returns that document.
func (s *Service) Create(ctx context.Context, p contract.Principal, r documentapi.CreateRequest) (documentapi.Document, error) {
	if err := r.Validate(); err != nil {
		return documentapi.Document{}, err
	}
	now := s.now().UnixMilli()
	d := Document{
		ID: r.ID, Organization: p.Organization, Name: r.Name, State: r.State,
		CreatedAt: now, UpdatedAt: now, CreatedBy: r.CreatedBy, UpdatedBy: r.UpdatedBy,
		Access: Access{Organization: Edit}, Versions: []Version{newVersion(1, r.Files, now, r.CreatedBy, "")},
	}
	if d.ID == "" {
		d.ID = contract.NewID(contract.DocumentPrefix)
	}
	d.record(documentapi.EventCreated, now)
	if r.Staged != nil {
		return s.createStaged(ctx, p, d, *r.Staged)
	}
	err := s.store.Create(ctx, p.Organization, d)
	if errors.Is(err, ErrExists) && r.ID != "" {
		return s.Uploads(ctx, p, documentapi.GetRequest{DocumentID: r.ID, Version: documentapi.Version{Number: 1, Given: true}})
	}
	if err != nil {
		return documentapi.Document{}, err
	}
	s.notify()
	return s.uploads(ctx, d, d.Versions[0])
}

// newVersion returns a version whose files have new ids.
func newVersion(number int, files []documentapi.NewFile, at int64, by contract.User, token string) Version {
	v := Version{Number: number, CreatedAt: at, CreatedBy: by, Token: token}
	for _, f := range files {
		v.Files = append(v.Files, File{ID: contract.NewID(contract.FilePrefix), Name: f.Name, Type: f.Type})
	}
	return v
}

// Uploads returns new upload URLs for the files of a version, in the same form as Create
// and CreateVersion.
func (s *Service) Uploads(ctx context.Context, p contract.Principal, r documentapi.GetRequest) (documentapi.Document, error) {
	d, v, err := s.version(ctx, p, r, Edit)
	if err != nil {
		return documentapi.Document{}, err
	}
	return s.uploads(ctx, d, v)
}

// uploads returns a version with upload URLs.
func (s *Service) uploads(ctx context.Context, d Document, v Version) (documentapi.Document, error) {
	answer := d.Summary()
	for _, f := range v.Files {
		u, err := s.objects.PresignPut(ctx, d.incomingKey(f), s.cfg.UploadTTL)
		if err != nil {
			return documentapi.Document{}, err
		}
		answer.Files = append(answer.Files, documentapi.File{ID: f.ID, Name: f.Name, Type: f.Type, UploadURL: u.URL})
	}
	return answer, nil
}

// Get returns a version of a document with download URLs for its files. It seals uploads
// first, so that no URL points to bytes that may change.
func (s *Service) Get(ctx context.Context, p contract.Principal, r documentapi.GetRequest) (documentapi.Document, error) {
	d, v, err := s.version(ctx, p, r, View)
	if err != nil {
		return documentapi.Document{}, err
	}
	if s.mayBeUploaded(v) {
		if sealed, _, err := s.sealVersion(ctx, d, v); err == nil {
			v = sealed
		} else { // answer as if the files were not uploaded yet
			s.log.WarnContext(ctx, "uploads were not checked", "document", d.ID, "error", err)
		}
	}
	answer := d.Summary()
	answer.VersionNumber = v.Number
	for _, f := range v.Files {
		u, err := s.objects.PresignGet(ctx, d.contentKey(f), s.cfg.DownloadTTL, f.Name, f.Type)
		if err != nil {
			return documentapi.Document{}, err
		}
		answer.Files = append(answer.Files, documentapi.File{ID: f.ID, Name: f.Name, Type: f.Type, DownloadURL: u.URL})
	}
	return answer, nil
}

// Contents returns where the sealed bytes of a version are stored, for another service
// that acts for p.
func (s *Service) Contents(ctx context.Context, p contract.Principal, r documentapi.GetRequest) (documentapi.ContentsResponse, error) {
	d, v, err := s.version(ctx, p, r, View)
	if err != nil {
		return documentapi.ContentsResponse{}, err
	}
	v, faults, err := s.sealVersion(ctx, d, v)
	switch {
	case problem.Is(err, problem.Unavailable): // the database
		return documentapi.ContentsResponse{}, err
	case err != nil:
		return documentapi.ContentsResponse{}, blob.Unavailable(err)
	}
	answer := documentapi.ContentsResponse{DocumentID: d.ID, VersionNumber: v.Number}
	for i, f := range v.Files {
		c := documentapi.Content{ID: f.ID, Name: f.Name, Type: f.Type, Fault: faults[i]}
		if c.Fault == "" {
			c.Key, c.Size, c.SHA256, c.MD5, c.CRC32C, c.SealedAt = d.contentKey(f), f.Size, f.SHA256, f.MD5, f.CRC32C, f.SealedAt
		}
		answer.Files = append(answer.Files, c)
	}
	return answer, nil
}

// Status reports whether a document that p may see was deleted.
func (s *Service) Status(ctx context.Context, p contract.Principal, r documentapi.StatusRequest) (documentapi.StatusResponse, error) {
	d, err := s.visible(ctx, p, r.DocumentID)
	return documentapi.StatusResponse{Deleted: d.DeletedAt != 0}, err
}

// visible returns a document that p may see, even if it is deleted. For any other
// document it returns a not-found error.
func (s *Service) visible(ctx context.Context, p contract.Principal, id string) (Document, error) {
	d, err := s.store.Get(ctx, p.Organization, id)
	if errors.Is(err, ErrNotFound) || err == nil && !d.Permits(p, View) {
		return Document{}, documentapi.NotFound(id)
	}
	return d, err
}

// find returns a document for which p has the permission what. If p may not see the
// document, or the document is deleted, it returns a not-found error.
func (s *Service) find(ctx context.Context, p contract.Principal, id string, what Permission) (Document, error) {
	d, err := s.visible(ctx, p, id)
	switch {
	case err != nil:
		return d, err
	case d.DeletedAt != 0:
		return d, documentapi.NotFound(id)
	case !d.Permits(p, what):
		return d, problem.New(problem.PermissionDenied, "The user of this key may not %s document %s. Ask its owner.", what, d.ID)
	}
	return d, nil
}

// version returns a version of a document for which p has the permission what.
func (s *Service) version(ctx context.Context, p contract.Principal, r documentapi.GetRequest, what Permission) (Document, Version, error) {
	d, err := s.find(ctx, p, r.DocumentID, what)
	if err != nil {
		return d, Version{}, err
	}
	v, ok := d.Version(r.Version)
	if !ok {
		return d, v, problem.New(problem.VersionNotFound,
			"Document %s has no such version. Its latest version is %d. Omit version_number for the latest version.", d.ID, len(d.Versions))
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
		Page: r.Page, Size: r.Size, Pages: pages(total, r.Size),
	}
	for _, d := range documents {
		answer.Items = append(answer.Items, d.Summary())
	}
	return answer, nil
}

// pages returns the number of pages that total items need.
func pages(total int64, size int) int64 { return (total + int64(size) - 1) / int64(size) }
