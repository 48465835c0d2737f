// Package learn judges sentences by learned weights: a linear layer over hashed word
// n-grams of a sentence, its headings and its neighbours, its position, and the votes of
// the rules. For each kind of passage, it says whether a document has one, which sentences
// they are, and how probable that is.
//
// The weights are fitted by package training and embedded, with a manifest that says what
// they were fitted to. They hold hashes only, no text.
package learn

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"sync"

	"github.com/go-json-experiment/json"
)

// The names of the embedded files.
const (
	WeightsName  = "clauses.weights"
	ManifestName = "clauses.json"
)

//go:embed clauses.weights
var weightsFile []byte

//go:embed clauses.json
var manifestFile []byte

// Manifest describes weights: what they were fitted to, and how good they are. The figures
// are F1, by folds over companies: each document is judged by weights that were fitted to
// documents of other companies. They are somewhat too good for unknown contracts, because
// the rules, whose votes are features, were written with some of these documents in view.
type Manifest struct {
	Data          string  `json:"data"`
	License       string  `json:"license"`
	Attribution   string  `json:"attribution"`
	Changes       string  `json:"changes"`
	DataSHA256    string  `json:"data_sha256"`
	WeightsSHA256 string  `json:"weights_sha256"`
	Documents     int     `json:"documents"`
	Folds         int     `json:"folds"`
	Presence      float64 `json:"presence"`
	// PresenceOlder is Presence over the kinds that had rules first.
	PresenceOlder float64                `json:"presence_older"`
	Passages      float64                `json:"passages"`
	Kinds         map[string]KindFigures `json:"kinds"`
}

// KindFigures are the figures of one kind.
type KindFigures struct {
	// Documents is the number of documents that have it.
	Documents int     `json:"documents"`
	Presence  float64 `json:"presence"`
	Passages  float64 `json:"passages"`
	// ByRule is Decision.ByRule. It is true if RulePresence, the F1 of the rules alone, is
	// clearly higher than WeightsPresence, that of weights fitted to documents of other
	// companies. Presence may be lower than both: for each fold, the documents of the others
	// decide whether the rules do.
	ByRule          bool    `json:"by_rule"`
	RulePresence    float64 `json:"rule_presence"`
	WeightsPresence float64 `json:"weights_presence"`
}

// Clauses returns the embedded model of kinds of clauses.
var Clauses = sync.OnceValue(func() *Model {
	m, err := Decode(weightsFile)
	if err != nil {
		panic(err) // the binary is damaged: a test decodes the same bytes
	}
	return m
})

// Version returns the version of the embedded weights: a part of their hash. It is part of
// the version of every result that depends on them.
var Version = sync.OnceValue(func() string {
	sum := sha256.Sum256(weightsFile)
	return hex.EncodeToString(sum[:4])
})

// ClausesManifest returns the manifest of Clauses.
func ClausesManifest() (m Manifest, err error) {
	err = json.Unmarshal(manifestFile, &m)
	return m, err
}

// WeightsFile returns the file of the embedded weights. The caller must not change it.
func WeightsFile() []byte { return weightsFile }
