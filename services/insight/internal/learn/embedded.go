// Package learn judges sentences by learned weights: a linear layer over hashed word
// n-grams of a sentence, its headings and its neighbours, its position, and the votes of
// the rules. For each kind of passage, it says whether a document has one, which sentences
// they are, and how probable that is.
//
// A second model judges which sentences require a payment, and a third one finds the passages of
// confidentiality agreements that reviewers look for. A fourth one, of package pairs, finds the sentence
// that answers a question, and the value in it. A fifth one, of package names, recognizes the names of parties.
//
// The weights are fitted by package training and embedded, with manifests that say what they
// were fitted to. They hold hashes only, no text.
package learn

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"slices"
	"sync"

	"github.com/go-json-experiment/json"

	"github.com/rectohq/recto/services/insight/internal/learn/names"
	"github.com/rectohq/recto/services/insight/internal/learn/pairs"
)

// The names of the embedded files.
const (
	WeightsName  = "clauses.weights"
	ManifestName = "clauses.json"

	PaymentsWeightsName  = "payments.weights"
	PaymentsManifestName = "payments.json"

	SecrecyWeightsName  = "secrecy.weights"
	SecrecyManifestName = "secrecy.json"

	QuestionsWeightsName  = "questions.weights"
	QuestionsManifestName = "questions.json"

	PartiesWeightsName  = "parties.weights"
	PartiesManifestName = "parties.json"
)

//go:embed clauses.weights
var weightsFile []byte

//go:embed clauses.json
var manifestFile []byte

//go:embed payments.weights
var paymentsFile []byte

//go:embed payments.json
var paymentsManifestFile []byte

//go:embed secrecy.weights
var secrecyFile []byte

//go:embed secrecy.json
var secrecyManifestFile []byte

//go:embed questions.weights
var questionsFile []byte

//go:embed questions.json
var questionsManifestFile []byte

//go:embed parties.weights
var partiesFile []byte

//go:embed parties.json
var partiesManifestFile []byte

// Manifest describes weights: what they were fitted to, and how good they are. The figures
// are F1, by folds over companies: each document is judged by weights that were fitted to
// documents of other companies. They are somewhat too good for unknown contracts, because
// the rules, whose votes are features, were written with some of these documents in view.
type Manifest struct {
	Data          string  `json:"data"`
	License       string  `json:"license"`
	Attribution   string  `json:"attribution"`
	Changes       string  `json:"changes"`
	Labels        string  `json:"labels"`
	DataSHA256    string  `json:"data_sha256"`
	LabelsSHA256  string  `json:"labels_sha256"`
	WeightsSHA256 string  `json:"weights_sha256"`
	Documents     int     `json:"documents"`
	Folds         int     `json:"folds"`
	Presence      float64 `json:"presence"`
	// PresenceOlder is Presence over the kinds that had rules first.
	PresenceOlder float64 `json:"presence_older"`
	Passages      float64 `json:"passages"`
	// The figures so far are about the annotated contracts alone, and these about contracts
	// that were written to learn from, by folds over their writers.
	WrittenDocuments int     `json:"written_documents"`
	WrittenPresence  float64 `json:"written_presence"`
	WrittenPassages  float64 `json:"written_passages"`
	// Kinds are about both.
	Kinds map[string]KindFigures `json:"kinds"`
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

// PaymentsManifest describes the weights of payments. The figures are about whole contracts,
// by folds over companies, as in Manifest. Rules are those of the rules alone, which were
// written with some of these contracts in view.
type PaymentsManifest struct {
	Data          string `json:"data"`
	Labels        string `json:"labels"`
	License       string `json:"license"`
	Attribution   string `json:"attribution"`
	Changes       string `json:"changes"`
	LabelsSHA256  string `json:"labels_sha256"`
	WeightsSHA256 string `json:"weights_sha256"`
	Documents     int    `json:"documents"`
	Payments      int    `json:"payments"`
	Folds         int    `json:"folds"`
	// Weights and Rules are about the annotated contracts, the others about written ones.
	Weights        PassageFigures `json:"weights"`
	Rules          PassageFigures `json:"rules"`
	WrittenWeights PassageFigures `json:"written_weights"`
	WrittenRules   PassageFigures `json:"written_rules"`
}

// PassageFigures say how many of the found passages are right, and how many of the labelled
// ones are found, from 0 to 1.
type PassageFigures struct {
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	F1        float64 `json:"f1"`
}

// SecrecyManifest describes the weights for confidentiality agreements. The figures are by folds
// over agreements: each is judged by weights that were fitted to others.
type SecrecyManifest struct {
	Data          string         `json:"data"`
	License       string         `json:"license"`
	Attribution   string         `json:"attribution"`
	Changes       string         `json:"changes"`
	DataSHA256    string         `json:"data_sha256"`
	WeightsSHA256 string         `json:"weights_sha256"`
	Documents     int            `json:"documents"`
	Folds         int            `json:"folds"`
	Passages      PassageFigures `json:"passages"`
}

// QuestionsManifest describes the weights of questions. The figures are about the first answers to
// questions about contracts of writers to whose contracts the weights were not fitted.
type QuestionsManifest struct {
	Data          string `json:"data"`
	Changes       string `json:"changes"`
	LabelsSHA256  string `json:"labels_sha256"`
	WeightsSHA256 string `json:"weights_sha256"`
	Documents     int    `json:"documents"`
	Questions     int    `json:"questions"`
	// Pairs is the number of pairs of words that have a weight.
	Pairs int `json:"pairs"`
	Folds int `json:"folds"`
	// Answers are about the questions that the contracts answer, and Silent is the fraction of the
	// others that get no answer.
	Answers PassageFigures `json:"answers"`
	Silent  float64        `json:"silent"`
	// YesOrNo is about the values of answers to yes-or-no questions.
	YesOrNo PassageFigures `json:"yes_or_no"`
	// Values is about the values of other answers.
	Values PassageFigures `json:"values"`
}

// PartiesManifest describes the weights of names. The figures are about the parties of contracts of writers
// to whose contracts the weights were not fitted, found by the rules and the weights together. Rules are
// those of the rules alone.
type PartiesManifest struct {
	Data          string `json:"data"`
	Changes       string `json:"changes"`
	LabelsSHA256  string `json:"labels_sha256"`
	WeightsSHA256 string `json:"weights_sha256"`
	Documents     int    `json:"documents"`
	Parties       int    `json:"parties"`
	// Features is the number of features that have a weight.
	Features int            `json:"features"`
	Folds    int            `json:"folds"`
	Weights  PassageFigures `json:"weights"`
	Rules    PassageFigures `json:"rules"`
	// Kinds is the fraction of the names of parties that are known as what they are, people or
	// organizations.
	Kinds float64 `json:"kinds"`
}

// Clauses returns the embedded model of kinds of clauses.
var Clauses = sync.OnceValue(func() *Model { return embedded(weightsFile) })

// Payments returns the embedded model of payments. It has one kind.
var Payments = sync.OnceValue(func() *Model { return embedded(paymentsFile) })

// Secrecy returns the embedded model of the passages of confidentiality agreements that people
// compare statements with, such as "No reverse engineering". Use it with Likeliest.
var Secrecy = sync.OnceValue(func() *Model { return embedded(secrecyFile) })

func embedded(file []byte) *Model {
	m, err := Decode(file)
	if err != nil {
		panic(err) // the binary is damaged: a test decodes the same bytes
	}
	return m
}

// Questions returns the embedded model that finds the sentence that answers a question.
var Questions = sync.OnceValue(func() *pairs.Model {
	m, err := pairs.Decode(questionsFile)
	if err != nil {
		panic(err) // as in embedded
	}
	return m
})

// Parties returns the embedded model that says which names are those of parties.
var Parties = sync.OnceValue(func() *names.Model {
	m, err := names.Decode(partiesFile)
	if err != nil {
		panic(err) // as in embedded
	}
	return m
})

// Version returns the version of the embedded weights: a part of their hash. It is part of
// the version of every result that depends on them.
var Version = sync.OnceValue(func() string {
	sum := sha256.Sum256(slices.Concat(weightsFile, paymentsFile, secrecyFile, questionsFile, partiesFile))
	return hex.EncodeToString(sum[:4])
})

// ClausesManifest returns the manifest of Clauses.
func ClausesManifest() (m Manifest, err error) {
	err = json.Unmarshal(manifestFile, &m)
	return m, err
}

// ManifestOfPayments returns the manifest of Payments.
func ManifestOfPayments() (m PaymentsManifest, err error) {
	err = json.Unmarshal(paymentsManifestFile, &m)
	return m, err
}

// ManifestOfSecrecy returns the manifest of Secrecy.
func ManifestOfSecrecy() (m SecrecyManifest, err error) {
	err = json.Unmarshal(secrecyManifestFile, &m)
	return m, err
}

// ManifestOfQuestions returns the manifest of Questions.
func ManifestOfQuestions() (m QuestionsManifest, err error) {
	err = json.Unmarshal(questionsManifestFile, &m)
	return m, err
}

// ManifestOfParties returns the manifest of Parties.
func ManifestOfParties() (m PartiesManifest, err error) {
	err = json.Unmarshal(partiesManifestFile, &m)
	return m, err
}

// WeightsFile returns the file of the embedded weights of Clauses. The caller must not change
// it.
func WeightsFile() []byte { return weightsFile }

// PaymentsFile is WeightsFile for Payments.
func PaymentsFile() []byte { return paymentsFile }

// SecrecyFile is WeightsFile for Secrecy.
func SecrecyFile() []byte { return secrecyFile }

// QuestionsFile is WeightsFile for Questions.
func QuestionsFile() []byte { return questionsFile }

// PartiesFile is WeightsFile for Parties.
func PartiesFile() []byte { return partiesFile }
