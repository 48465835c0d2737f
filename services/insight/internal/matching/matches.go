package matching

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/services/insight/internal/domain"
	"github.com/rectohq/recto/services/insight/internal/ground"
	"github.com/rectohq/recto/services/insight/internal/similar"
)

const (
	// threshold is the least similarity of a match. Of the 32,385 pairs among 255 contracts of
	// many companies, 4 reach it, such as two amendments of one contract and two filled copies
	// of a form; all but 13 are below 0.25.
	threshold = 0.5
	// maxMatches is the maximum number of matches of one document.
	maxMatches = 100
	// maxAsked is the maximum number of documents that the document service is asked about.
	maxAsked = 200
	// perKey is the maximum number of fingerprints to compare that share one key.
	perKey = 100
	// maxConfidence is the confidence in a match whose words are the same.
	maxConfidence = 0.99
)

// Matches returns the documents whose texts are similar to the text of the material, the most
// similar first. They are documents of the same organization that the caller may see, other
// than the material itself.
//
// Further tries of a job get the matches of its first try, so that clients that follow the
// job see the same items.
func (x *Index) Matches(ctx context.Context, m domain.Material, text string) ([]insightapi.MatchingDocument, error) {
	organization := m.Principal.Organization
	data, err := x.Store.Completion(ctx, organization, m.Job.ID, completion)
	if err == nil {
		var found []insightapi.MatchingDocument
		err = json.Unmarshal(data, &found)
		return found, err
	}
	if !errors.Is(err, domain.ErrNotFound) {
		return nil, err
	}
	found, err := x.matches(ctx, m, text)
	if err != nil {
		return nil, err
	}
	if data, err = json.Marshal(found); err != nil {
		return nil, fmt.Errorf("encode matches: %w", err)
	}
	return found, x.Store.KeepCompletion(ctx, organization, domain.Completion{
		JobID: m.Job.ID, DocumentID: m.DocumentID, Key: completion, Data: data, ExpiresAt: time.Now().Add(keepMatches).UnixMilli(),
	})
}

const (
	// completion is the key of the matches among the completions of a job. Those of prompts
	// are hashes.
	completion = "matches"
	// keepMatches is how long the matches of a job are kept if the job has no result.
	keepMatches = time.Hour
)

// matches is Matches for the first try of a job.
func (x *Index) matches(ctx context.Context, m domain.Material, text string) ([]insightapi.MatchingDocument, error) {
	found := []insightapi.MatchingDocument{}
	candidates, err := x.candidates(ctx, m, text)
	if err != nil {
		return nil, err
	}
	for _, c := range candidates[:min(len(candidates), maxAsked)] {
		if len(found) == maxMatches {
			break
		}
		// This finds the current name, and whether the caller may see the document.
		d, err := x.Document(ctx, m.Principal, documentapi.GetRequest{DocumentID: c.DocumentID})
		if problem.Is(err, problem.DocumentNotFound) || err == nil && d.VersionNumber != c.Version {
			continue // a new version is recorded once it is read
		}
		if err != nil {
			return nil, err
		}
		reasoning := explain(c.Comparison)
		found = append(found, insightapi.MatchingDocument{
			DocumentID: c.DocumentID, Name: d.Name, Similarity: ground.Confidence(c.Similarity), Reasoning: &reasoning,
			ConfidenceScore: ground.Confidence(min(maxConfidence, c.Reaches(threshold))),
		})
	}
	return found, nil
}

// candidate is a document that is similar.
type candidate struct {
	similar.Comparison
	DocumentID string
	Version    int
}

// candidates returns the documents of the organization that are similar to a text, the most
// similar first, and otherwise by id.
func (x *Index) candidates(ctx context.Context, m domain.Material, text string) (found []candidate, err error) {
	asked, ok := similar.Of(text)
	if !ok {
		return nil, nil
	}
	organization := m.Principal.Organization
	fingerprints, err := x.Store.Candidates(ctx, organization, asked.Keys(organization), perKey)
	if err != nil {
		return nil, err
	}
	for _, f := range fingerprints {
		signature, err := similar.Decode(f.Signature)
		if err != nil {
			return nil, fmt.Errorf("decode the fingerprint of %s: %w", f.DocumentID, err)
		}
		c := candidate{similar.Compare(&asked, &signature), f.DocumentID, f.Version}
		if c.Similarity >= threshold && f.DocumentID != m.DocumentID {
			found = append(found, c)
		}
	}
	slices.SortFunc(found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.Similarity, a.Similarity), cmp.Compare(a.DocumentID, b.DocumentID))
	})
	return found, nil
}

// containedShare is the least share of a text that is most of it.
const containedShare = 0.9

// explain says why a document matches.
func explain(c similar.Comparison) string {
	percent := func(share float64) int { return int(math.Round(share * 100)) }
	switch {
	case c.Relation == similar.Same:
		return "The text is the same: the same words in the same order."
	case c.Relation == similar.Template:
		return fmt.Sprintf("Same template with other values: about %d %% of the wording without names and numbers is the same.", percent(c.Fixed))
	case c.Contained >= containedShare && c.Whole < containedShare:
		return fmt.Sprintf("Similar text: about %d %% of the shorter text is in the longer one.", percent(c.Contained))
	}
	return fmt.Sprintf("Similar text: about %d %% of all passages of five words are in both.", percent(c.Whole))
}
