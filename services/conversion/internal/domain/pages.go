package domain

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/go-json-experiment/json"
	"golang.org/x/sync/singleflight"

	"github.com/rectohq/recto/libs/blob"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/conversionapi"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/formats/pdf"
	"github.com/rectohq/recto/libs/job"
	"github.com/rectohq/recto/libs/problem"
)

// Pages answers requests about the pages of stored documents. It serves derived
// files, which are stored next to the converted file. Service.Derive creates each of them
// once, in a worker process. They expire like converted files.
type Pages struct {
	service *Service
	// derive has a worker call Service.Derive.
	derive  func(context.Context, contract.Principal, conversionapi.DeriveRequest) error
	shares  *job.Shares
	flights singleflight.Group
}

// NewPages returns a Pages for the documents of the service. It calls derive to make a
// file. For each organization, at most share calls run at once, and at most accepted
// requests wait for a new file; both are at least 1.
func NewPages(s *Service, derive func(context.Context, contract.Principal, conversionapi.DeriveRequest) error, share, accepted int) *Pages {
	return &Pages{service: s, derive: derive, shares: job.NewShares(share, accepted)}
}

// List returns one page of the list of a document's pages.
func (p *Pages) List(ctx context.Context, who contract.Principal, r conversionapi.PagesRequest) (conversionapi.PagesResponse, error) {
	if err := r.Validate(); err != nil {
		return conversionapi.PagesResponse{}, err
	}
	source, err := p.service.source(ctx, who, r.DocumentID, r.Version)
	if err != nil {
		return conversionapi.PagesResponse{}, err
	}
	var sizes []conversionapi.Page
	if err := p.read(ctx, who, source.view(conversionapi.SizesView, 0, 0), &sizes); err != nil {
		return conversionapi.PagesResponse{}, err
	}
	total := int64(len(sizes))
	first := min((r.Page-1)*int64(r.Size), total)
	return conversionapi.PagesResponse{
		Items: append([]conversionapi.Page{}, sizes[first:min(first+int64(r.Size), total)]...),
		Total: total, Page: r.Page, Size: r.Size, Pages: (total + int64(r.Size) - 1) / int64(r.Size),
	}, nil
}

// Words returns the text of a page and the position of each word.
func (p *Pages) Words(ctx context.Context, who contract.Principal, r conversionapi.PageWordsRequest) (conversionapi.PageWordsResponse, error) {
	source, err := p.service.source(ctx, who, r.DocumentID, r.Version)
	if err == nil && r.PageNumber < 1 {
		err = conversionapi.NoPage()
	}
	var words conversionapi.PageWordsResponse
	if err == nil {
		err = p.read(ctx, who, source.view(conversionapi.WordsView, r.PageNumber, 0), &words)
	}
	return words, err
}

// imageURLTTL is how long the URL of an image is valid. It is used at once.
const imageURLTTL = time.Minute

// Image returns the location of the image of a page.
func (p *Pages) Image(ctx context.Context, who contract.Principal, r conversionapi.PageImageRequest) (conversionapi.PageImageResponse, error) {
	if err := r.Validate(); err != nil {
		return conversionapi.PageImageResponse{}, err
	}
	source, err := p.service.source(ctx, who, r.DocumentID, r.Version)
	if err == nil && r.PageNumber < 1 {
		err = conversionapi.NoPage()
	}
	if err != nil {
		return conversionapi.PageImageResponse{}, err
	}
	view := source.view(conversionapi.ImageView, r.PageNumber, r.Width)
	answer := conversionapi.PageImageResponse{ETag: entityTag(view.Key)}
	for _, known := range r.Known {
		if known == answer.ETag {
			return answer, nil
		}
	}
	image, err := p.ensure(ctx, who, view)
	if err != nil {
		return conversionapi.PageImageResponse{}, err
	}
	u, err := p.service.objects.PresignInternalGet(ctx, view.Key, imageURLTTL)
	answer.URL, answer.Size = u.URL, image.Size
	return answer, err
}

// entityTag returns the entity tag of an image (RFC 9110, section 8.8.3). The key of the
// image names everything that it depends on, but is internal.
func entityTag(key string) string {
	sum := sha256.Sum256([]byte(key))
	return `"` + hex.EncodeToString(sum[:16]) + `"`
}

// maxViewJSON bounds a file in JSON, in bytes. A worker makes none that is larger.
const maxViewJSON = 64 << 20

// read ensures that a file in JSON exists, and decodes it into v.
func (p *Pages) read(ctx context.Context, who contract.Principal, view conversionapi.DeriveRequest, v any) error {
	if _, err := p.ensure(ctx, who, view); err != nil {
		return err
	}
	body, _, err := p.service.objects.Get(ctx, view.Key)
	if err != nil {
		return blob.Unavailable(err) // it expired or was purged just now, or the store is down
	}
	defer body.Close()
	if err := json.UnmarshalRead(io.LimitReader(body, maxViewJSON), v); err != nil {
		return fmt.Errorf("decode %s: %w", view.Key, err)
	}
	return nil
}

// deriveBudget bounds the waiting for a worker and its work. It leaves the reader of PDFs
// the time to find out that a page takes too long, so that this is remembered.
const deriveBudget = 2 * time.Minute

// shareRetry is the retry delay for callers whose organization requests too many pages.
const shareRetry = 2 * time.Second

// acquire waits for room in the share of an organization, and reports whether it had to. Its
// error is for clients.
func (p *Pages) acquire(ctx context.Context, organization string) (waited bool, release func(), err error) {
	waited, release, err = p.shares.Acquire(ctx, organization)
	switch {
	case errors.Is(err, job.ErrShareFull):
		err = problem.New(problem.Unavailable, "Too many new pages are requested at once. Request fewer at a time, or retry later.").
			After(shareRetry)
	case err != nil:
		err = problem.New(problem.Unavailable, "Other pages are being made. Request fewer at a time, or retry later.").
			After(shareRetry).Because(err)
	}
	return waited, release, err
}

// ensure returns the object of a view. If there is none, it has a worker make it, when the
// share of the organization has room.
func (p *Pages) ensure(ctx context.Context, who contract.Principal, view conversionapi.DeriveRequest) (blob.Object, error) {
	object, err := p.service.keptView(ctx, view)
	if !errors.Is(err, blob.ErrNotFound) {
		return object, err
	}
	waited, release, err := p.acquire(ctx, who.Organization)
	if err != nil {
		return blob.Object{}, err
	}
	if waited { // another request may have had it made
		if object, err = p.service.keptView(ctx, view); !errors.Is(err, blob.ErrNotFound) {
			release()
			return object, err
		}
	}
	return p.make(ctx, who, view, release)
}

// make has a worker make the file of a view; callers in this process that want the same one
// wait together. It calls release when the worker has answered, even if the caller does not
// wait for that.
func (p *Pages) make(ctx context.Context, who contract.Principal, view conversionapi.DeriveRequest, release func()) (blob.Object, error) {
	made := p.flights.DoChan(view.Key, func() (any, error) {
		// The work does not end when the first caller leaves: others may wait.
		own, cancel := context.WithTimeout(context.WithoutCancel(ctx), deriveBudget)
		defer cancel()
		if err := p.derive(own, who, view); err != nil {
			return nil, err
		}
		return p.service.objects.Stat(own, view.Key)
	})
	select {
	case <-ctx.Done():
		go func() { <-made; release() }()
		return blob.Object{}, ctx.Err()
	case result := <-made:
		release()
		object, _ := result.Val.(blob.Object)
		return object, viewError(result.Err)
	}
}

// viewError returns the error for clients when a file was made but is not there.
func viewError(err error) error {
	if errors.Is(err, blob.ErrNotFound) {
		return blob.Unavailable(err)
	}
	return err
}

// keptView returns the object of a view. The error is blob.ErrNotFound if there is none or
// if it has expired, and a *problem.Error if the PDF is known to be at fault.
func (s *Service) keptView(ctx context.Context, view conversionapi.DeriveRequest) (blob.Object, error) {
	object, err := s.keptObject(ctx, view.Key)
	if !errors.Is(err, blob.ErrNotFound) {
		return object, err
	}
	if _, err := s.keptObject(ctx, view.Key+faultSuffix); err != nil {
		return blob.Object{}, err
	}
	fault, err := s.readFault(ctx, view.Key+faultSuffix)
	if err != nil {
		return blob.Object{}, err
	}
	return blob.Object{}, fault
}

// keptObject returns a derived object, or blob.ErrNotFound if there is none that is still
// used for responses.
func (s *Service) keptObject(ctx context.Context, key string) (blob.Object, error) {
	object, err := s.objects.Stat(ctx, key)
	switch {
	case err == nil && s.now().Sub(object.Modified) >= s.cfg.KeepDerived:
		return blob.Object{}, blob.ErrNotFound
	case err != nil && !errors.Is(err, blob.ErrNotFound):
		err = blob.Unavailable(err)
	}
	return object, err
}

// source is the PDF of a version of a document.
type source struct {
	documentID, pdf string
	// prefix begins the keys of the files that are derived from the PDF.
	prefix string
}

// viewVersion must be increased when the same PDF would be shown differently for a reason
// other than a new version of the PDF reader.
const viewVersion = 1

// source returns the PDF of a version, which it converts unless that was done before. Its
// errors are those of Stored.
func (s *Service) source(ctx context.Context, who contract.Principal, documentID string, version documentapi.Version) (source, error) {
	request, err := s.request(ctx, who, conversionapi.StoredRequest{
		DocumentID: documentID, Version: version, Format: conversionapi.DefaultFormat,
	}, jobapi.Interactive)
	if err != nil {
		return source{}, err
	}
	_, result, err := s.Do(ctx, request)
	if err != nil {
		return source{}, err
	}
	object, err := s.objects.Stat(ctx, result.Key)
	if err != nil {
		return source{}, blob.Unavailable(err)
	}
	// A document that is converted again gets another PDF under the same key.
	identity := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%d\n%s\n%d", result.Key, object.ETag, object.Size, pdf.Version, viewVersion))
	return source{
		documentID: request.Order.DocumentID, pdf: result.Key,
		prefix: s.converted.Of(who.Organization, request.Order.DocumentID) + "pages/" + hex.EncodeToString(identity[:16]) + "/",
	}, nil
}

// view returns the request for a file that is derived from the PDF.
func (f source) view(view conversionapi.View, page, width int) conversionapi.DeriveRequest {
	r := conversionapi.DeriveRequest{DocumentID: f.documentID, PDF: f.pdf, View: view, PageNumber: page, Width: width}
	switch view {
	case conversionapi.ImageView:
		r.Key = fmt.Sprintf("%s%d-%d.png", f.prefix, page, width)
	case conversionapi.WordsView:
		r.Key = fmt.Sprintf("%s%d-words.json", f.prefix, page)
	default:
		r.Key = f.prefix + "sizes.json"
	}
	return r
}

// readFault returns the error that an earlier attempt to make a file ended with.
func (s *Service) readFault(ctx context.Context, key string) (*problem.Error, error) {
	body, _, err := s.objects.Get(ctx, key)
	if err != nil {
		return nil, blob.Unavailable(err)
	}
	defer body.Close()
	var fault problem.Error
	if err := json.UnmarshalRead(io.LimitReader(body, maxViewJSON), &fault); err != nil {
		return nil, fmt.Errorf("decode %s: %w", key, err)
	}
	return &fault, nil
}
