// Package sourcetest writes documents for tests, and provides the dependencies of a
// source.Reader that reads them. The object store and the PDF reader are real; the
// neighbouring services are fakes that answer as the test says.
package sourcetest

import (
	"bytes"
	"context"
	"crypto/md5"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/rectohq/recto/libs/blob/blobtest"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/annotationapi"
	"github.com/rectohq/recto/libs/contract/conversionapi"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/testkit/pdftest"
	"github.com/rectohq/recto/services/insight/internal/domain"
	"github.com/rectohq/recto/services/insight/internal/source"
)

// Main runs the tests of a package, and returns the exit code. TestMain must call it
// first, since the test program also serves as the process that reads PDFs.
func Main(m *testing.M) int {
	return pdftest.Run(func() int { return blobtest.Main(m) })
}

// Principal is the caller.
var Principal = contract.Principal{Organization: "org_1", User: contract.User{ID: "user_1"}}

// System holds the dependencies of a Reader.
type System struct {
	source.Deps
	// Converted is the PDF that the conversion service returns for a file, and Refused
	// its error. Picked is the index of the file that it chooses of a version.
	Converted []byte
	Refused   error
	Picked    int
	// Lifetime is the lifetime of the PDF, according to the conversion service.
	Lifetime conversionapi.Lifetime
	// Sent and SentName are the last file it was sent to convert inline.
	Sent     []byte
	SentName string
	// Known holds the fields that the annotation service returns, and Unknown its error.
	// Asked holds its requests.
	Known   []annotationapi.Field
	Unknown error
	Asked   []annotationapi.FieldsRequest

	t     testing.TB
	files []documentapi.Content
}

// New returns a System with a bucket of the given name.
func New(t testing.TB, bucket string) *System {
	t.Helper()
	cfg := pdftest.Config()
	cfg.Pages = 100
	s := &System{t: t}
	s.Deps = source.Deps{
		Neighbours: source.Neighbours{Stored: s.stored, Inline: s.inline, Fields: s.fields},
		Objects:    blobtest.Dial(t, bucket), PDF: pdftest.NewReader(t, cfg), Scratch: t.TempDir(),
	}
	return s
}

// stored answers conversionapi.Stored.
func (s *System) stored(ctx context.Context, p contract.Principal, r conversionapi.StoredRequest) (conversionapi.StoredResponse, error) {
	if p.Organization != Principal.Organization || r.DocumentID != "doc_1" || r.Version.Number != 2 {
		return conversionapi.StoredResponse{}, fmt.Errorf("%v asks for %+v", p, r)
	}
	if s.Refused != nil {
		return conversionapi.StoredResponse{}, s.Refused
	}
	f := s.files[s.Picked]
	result := conversionapi.Result{Key: f.Key, Name: "shown.pdf", DocumentID: r.DocumentID, FileID: f.ID}
	if s.Converted != nil {
		result.Key += ".pdf"
		if err := s.Objects.Put(ctx, result.Key, bytes.NewReader(s.Converted), int64(len(s.Converted)), ""); err != nil {
			return conversionapi.StoredResponse{}, err
		}
	}
	return conversionapi.StoredResponse{Result: result, File: s.Lifetime}, nil
}

// inline answers conversionapi.Inline. It refuses before the whole body is read.
func (s *System) inline(_ context.Context, p contract.Principal, body contract.Stream) (contract.Stream, error) {
	if s.Refused != nil {
		_, _ = body.Body.Read(make([]byte, 1))
		return contract.Stream{}, s.Refused
	}
	var sent struct {
		File []byte `json:"file_base64"`
		Name string `json:"filename"`
	}
	if err := json.UnmarshalRead(body.Body, &sent); err != nil || p.Organization != Principal.Organization {
		return contract.Stream{}, fmt.Errorf("%v asks: %w", p, err)
	}
	s.Sent, s.SentName = sent.File, sent.Name
	answer := fmt.Sprintf(`{"file_base64":%q,"filename":"x.pdf"}`, base64.StdEncoding.EncodeToString(s.Converted))
	return contract.Stream{Body: strings.NewReader(answer), Size: -1}, nil
}

// fields answers annotationapi.Fields.
func (s *System) fields(_ context.Context, _ contract.Principal, r annotationapi.FieldsRequest) (annotationapi.FieldsResponse, error) {
	s.Asked = append(s.Asked, r)
	return annotationapi.FieldsResponse{Items: s.Known}, s.Unknown
}

// sealed is the time at which all files were stored, in Unix milliseconds.
const sealed = 1_700_000_000_500

// Put stores a file and returns its content.
func (s *System) Put(name, mime string, data []byte) documentapi.Content {
	s.t.Helper()
	sum := md5.Sum(data)
	f := documentapi.Content{
		ID: "file_" + name, Name: name, Type: mime, Key: "sent/" + hex.EncodeToString(sum[:]) + "/" + name, Size: int64(len(data)), SealedAt: sealed,
		MD5: hex.EncodeToString(sum[:]), CRC32C: fmt.Sprintf("%08x", crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli))),
	}
	if err := s.Objects.Put(s.t.Context(), f.Key, bytes.NewReader(data), f.Size, mime); err != nil {
		s.t.Fatal(err)
	}
	return f
}

// Text returns the material of a sent text.
func (s *System) Text(text string) domain.Material {
	s.t.Helper()
	return domain.Material{Principal: Principal, Kind: insightapi.DocText, Files: []documentapi.Content{s.Put("document.txt", "text/plain; charset=utf-8", []byte(text))}}
}

// Fetched returns the material of a file fetched from a URL.
func (s *System) Fetched(name, mime string, data []byte) domain.Material {
	s.t.Helper()
	return domain.Material{Principal: Principal, Kind: insightapi.URL, Files: []documentapi.Content{s.Put(name, mime, data)}}
}

// Stored returns the material of version 2 of a stored document with the files.
func (s *System) Stored(files ...documentapi.Content) domain.Material {
	s.files = files
	return domain.Material{Principal: Principal, Kind: insightapi.DocumentID, DocumentID: "doc_1", Name: "The name", VersionNumber: 2, Files: files}
}

// Object returns the bytes of an object.
func (s *System) Object(key string) []byte {
	s.t.Helper()
	body, _, err := s.Objects.Get(s.t.Context(), key)
	if err != nil {
		s.t.Fatal(err)
	}
	defer body.Close()
	var out bytes.Buffer
	if _, err := out.ReadFrom(body); err != nil {
		s.t.Fatal(err)
	}
	return out.Bytes()
}

// Remove removes an object.
func (s *System) Remove(key string) {
	s.t.Helper()
	if err := s.Objects.Remove(s.t.Context(), key); err != nil {
		s.t.Fatal(err)
	}
}
