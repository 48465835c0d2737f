package conversionapi

import (
	"fmt"
	"strconv"

	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/query"
)

// The endpoints about the pages of a stored document. A document that is not a PDF is
// converted first, as by Stored; then its pages are those of the PDF.
var (
	// Pages lists the pages of a document.
	Pages = contract.Endpoint[PagesRequest, PagesResponse]{Service: Service, Name: "pages"}
	// PageImage renders a page as PNG and returns where the image is. It fails with
	// PageNotFound if the document has no such page.
	PageImage = contract.Endpoint[PageImageRequest, PageImageResponse]{Service: Service, Name: "page_image"}
	// PageWords returns the text of a page and the position of each word. It fails with
	// PageNotFound if the document has no such page.
	PageWords = contract.Endpoint[PageWordsRequest, PageWordsResponse]{Service: Service, Name: "page_words"}
	// Derive makes a file about the pages of a PDF. The service calls it itself: the
	// request waits in a queue until a worker takes it.
	Derive = contract.Endpoint[DeriveRequest, DeriveResponse]{Service: Service, Name: "derive"}
)

// The width of a page image in pixels.
const (
	MinImageWidth     = 16
	MaxImageWidth     = 4000
	DefaultImageWidth = 1000
)

// WidthParameter is the name of the query parameter for the width of a page image.
const WidthParameter = "width"

// PageParameter is the name of the path parameter for the number of a page.
const PageParameter = "page_number"

// PagesRequest asks for one page of the list of a document's pages.
type PagesRequest struct {
	DocumentID string              `json:"document_id"`
	Version    documentapi.Version `json:"version,omitzero"`
	// Page counts from 1. It is a page of the list, not of the document.
	Page int64 `json:"page"`
	Size int   `json:"size"`
}

// PagesResponse is one page of the list of a document's pages. Total is the number of
// pages of the document.
type PagesResponse struct {
	Items []Page `json:"items"`
	Total int64  `json:"total"`
	Page  int64  `json:"page"`
	Size  int    `json:"size"`
	Pages int64  `json:"pages"`
}

// Page is a page of a document as the API represents it.
type Page struct {
	// PageNumber counts from 1.
	PageNumber int `json:"page_number"`
	// Width and Height are the size of the page as displayed, rotated and cropped, in
	// points.
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
	// Rotation is the clockwise rotation in degrees that the file asks for: 0, 90, 180 or
	// 270. Width and Height include it.
	Rotation int `json:"rotation"`
}

// PageImageRequest asks for the image of a page.
type PageImageRequest struct {
	DocumentID string              `json:"document_id"`
	Version    documentapi.Version `json:"version,omitzero"`
	// PageNumber counts from 1. It is 0 for a number that no page can have.
	PageNumber int `json:"page_number"`
	// Width is the width of the image in pixels.
	Width int `json:"width"`
	// Known are the entity tags of images that the client has. If the image is one of
	// them, it is not rendered.
	Known []string `json:"known,omitempty"`
}

// PageImageResponse says where the image of a page is.
type PageImageResponse struct {
	// ETag is the entity tag of the image, with its quotes.
	ETag string `json:"etag"`
	// Size is the number of bytes of the image.
	Size int64 `json:"size,omitzero"`
	// URL returns the image for a short time. It is presigned for processes that reach
	// the object store as this service does, and must not be shown to clients. It is ""
	// if ETag is among the Known tags of the request.
	URL string `json:"url,omitzero"`
}

// PageWordsRequest asks for the words of a page.
type PageWordsRequest struct {
	DocumentID string              `json:"document_id"`
	Version    documentapi.Version `json:"version,omitzero"`
	// PageNumber counts from 1. It is 0 for a number that no page can have.
	PageNumber int `json:"page_number"`
}

// PageWordsResponse is the text of a page.
type PageWordsResponse struct {
	Page
	Text string `json:"text"`
	// Words are in the order of Text. A page without text, such as a scan, has none.
	Words []Word `json:"words"`
}

// Word is a run of text without white space on a page.
type Word struct {
	Text        string      `json:"text"`
	BoundingBox BoundingBox `json:"bounding_box"`
}

// BoundingBox is the position of a word on a page. Coordinates are fractions of the width
// and height of the page, from 0 to 1, measured from the top left.
type BoundingBox struct {
	Page   int     `json:"page"`
	Left   float64 `json:"left"`
	Top    float64 `json:"top"`
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

// View is what a derived file shows of a PDF.
type View string

// The views of a PDF.
const (
	// SizesView is a JSON array with the Page of each page.
	SizesView View = "sizes"
	// ImageView is a page as PNG.
	ImageView View = "image"
	// WordsView is a page as a PageWordsResponse in JSON.
	WordsView View = "words"
)

// DeriveRequest asks for a file about the pages of a PDF.
type DeriveRequest struct {
	DocumentID string `json:"document_id"`
	// PDF is the key of the PDF, and Key that of the file to make.
	PDF  string `json:"pdf"`
	Key  string `json:"key"`
	View View   `json:"view"`
	// PageNumber is set for an image and for words, Width for an image.
	PageNumber int `json:"page_number,omitzero"`
	Width      int `json:"width,omitzero"`
}

// DeriveResponse is the response to a DeriveRequest. It has no members.
type DeriveResponse struct{}

// ParsePages parses the raw query of List Pages. It does not set DocumentID. The error is
// a *problem.Error that lists every problem, in the order of the parameters.
func ParsePages(rawQuery string) (PagesRequest, error) {
	r := PagesRequest{Page: 1, Size: documentapi.DefaultPageSize}
	var problems problem.List
	query.Read(rawQuery, []string{"size", "page", documentapi.VersionParameter}, &problems, func(p query.Parameter) {
		switch p.Name {
		case "size", "page":
			documentapi.ReadPaging(p, &r.Page, &r.Size, &problems)
		default:
			r.Version = documentapi.ParseVersion(p, &problems)
		}
	})
	return r, problems.Err()
}

// Validate checks the limits again in the service.
func (r PagesRequest) Validate() error {
	var problems problem.List
	documentapi.CheckPaging(r.Page, r.Size, &problems)
	return problems.Err()
}

// ParseWidth parses the query parameter WidthParameter. Without a value, it returns the
// default.
func ParseWidth(p query.Parameter, problems *problem.List) int {
	if len(p.Values) == 0 {
		return DefaultImageWidth
	}
	text, ok := p.One()
	if !ok || !query.IsInteger(text) {
		problems.Add(problem.Unparsable(WidthParameter, problem.CodeInvalidType, p.Integer(), p.String()))
		return 0
	}
	width, err := strconv.Atoi(text)
	if err != nil {
		width = 0 // an integer of more than 64 bits
	}
	problems.Check(WidthParameter, text, checkWidth(width))
	return width
}

// Validate checks the limits again in the service.
func (r PageImageRequest) Validate() error {
	var problems problem.List
	problems.Check(WidthParameter, strconv.Itoa(r.Width), checkWidth(r.Width))
	return problems.Err()
}

// checkWidth checks the width of an image.
func checkWidth(width int) *problem.Fault {
	if width >= MinImageWidth && width <= MaxImageWidth {
		return nil
	}
	return &problem.Fault{
		Code: problem.CodeOutOfRange, Message: fmt.Sprintf("must be from %d to %d", MinImageWidth, MaxImageWidth),
		Resolution: fmt.Sprintf("Send a width of %d to %d pixels, or omit it.", MinImageWidth, MaxImageWidth),
	}
}

// ParsePageNumber parses the number of a page in a path. It accepts any integer, even if no
// page has that number.
func ParsePageNumber(text string, problems *problem.List) int {
	if !query.IsInteger(text) {
		problems.Add(problem.Unparsable(PageParameter, problem.CodeInvalidType, "an integer", text))
		return 0
	}
	number, err := strconv.Atoi(text)
	if err != nil || number < 0 {
		return 0
	}
	return number
}

// NoPage returns the error for a page that a document does not have.
func NoPage() *problem.Error {
	return problem.New(problem.PageNotFound, "The document has no such page. Pages are numbered from 1; GET /documents/{document_id}/pages lists them.")
}
