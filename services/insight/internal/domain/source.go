package domain

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/annotationapi"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/problem"
)

// order is the request of a job: a question about some material.
type order struct {
	Material Material `json:"material"`
	Question Question `json:"question"`
}

// stored resolves a source that is a stored document.
func (s *Service) stored(ctx context.Context, p contract.Principal, r insightapi.CreateRequest) (Material, error) {
	d, err := s.Document(ctx, p, documentapi.GetRequest{DocumentID: r.Value})
	if err != nil {
		return Material{}, err
	}
	var problems problem.List
	problems.Check(string(r.Source), r.Value, checkState(r.Source, d.State))
	if err := problems.Err(); err != nil {
		return Material{}, err
	}
	contents, err := s.Contents(ctx, p, documentapi.GetRequest{DocumentID: r.Value})
	if err != nil {
		return Material{}, err
	}
	m := Material{Principal: p, Kind: r.Source, DocumentID: contents.DocumentID, Name: d.Name, VersionNumber: contents.VersionNumber, Files: contents.Files}
	if err := m.refuse(); err != nil {
		return Material{}, err
	}
	m.Fields, err = s.fieldsOf(ctx, m, r.Insights)
	return m, err
}

// fieldsOf returns a hash of the field registry of a document if fields are asked for, since
// they change when the owner of the document edits it. The fields themselves are not asked
// for yet: to find them, the annotation service reads the whole document, and meanwhile a
// stream would have no event.
func (s *Service) fieldsOf(ctx context.Context, m Material, asked []insightapi.Request) (string, error) {
	if !slices.ContainsFunc(asked, func(r insightapi.Request) bool {
		return r.Type == insightapi.DocumentFields || r.Type == insightapi.DocumentFieldsPages
	}) {
		return "", nil
	}
	known, err := s.Fields(ctx, m.Principal, annotationapi.FieldsRequest{
		DocumentID: m.DocumentID, Version: documentapi.Version{Number: m.VersionNumber, Given: true}, Registry: true,
	})
	if problem.Is(err, problem.InvalidRequest) {
		return "", nil // an earlier version of the service reads the file; the engine may do without its fields
	}
	if err != nil {
		return "", err
	}
	data, err := json.Marshal(known, json.Deterministic(true))
	if err != nil {
		return "", fmt.Errorf("encode the fields: %w", err)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), nil
}

// checkState refuses a document that is not in the state that the source names.
func checkState(source insightapi.SourceKind, state documentapi.State) *problem.Fault {
	want := map[insightapi.SourceKind]documentapi.State{
		insightapi.DraftID: documentapi.Draft, insightapi.CompletedID: documentapi.Agreement, insightapi.DocumentID: state,
	}[source]
	if state == want {
		return nil
	}
	return &problem.Fault{
		Code: problem.CodeStateMismatch, Message: fmt.Sprintf("is a document in the state %s, not %s", state, want),
		Resolution: fmt.Sprintf("Send the id as document_id, which accepts any state, or send a document in the state %s.", want),
	}
}

// refuse returns an error if every file of the material has a fault.
func (m Material) refuse() error {
	var reasons []string
	for _, f := range m.Files {
		if f.Fault == "" {
			return nil
		}
		reasons = append(reasons, f.Name+" "+f.Fault)
	}
	return problem.New(problem.InvalidRequest, "Version %d of the document has no readable file: %s.", m.VersionNumber, strings.Join(reasons, "; "))
}

// key returns the key of the job for an order. It is the same for the same question to
// the same engine about the same files with the same names.
func (o order) key(engine string) (string, error) {
	question, err := json.Marshal(o.Question, json.Deterministic(true))
	if err != nil {
		return "", fmt.Errorf("encode the question: %w", err)
	}
	m, hash := o.Material, sha256.New()
	fmt.Fprintf(hash, "%q %q %q %q %d %q\n%s\n", engine, m.Kind, m.DocumentID, m.Name, m.VersionNumber, m.Fields, question)
	for _, f := range m.Files {
		fmt.Fprintf(hash, "%q %q %q %q %q\n", f.ID, f.Name, f.Type, f.SHA256, f.Fault)
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}
