package evaluation

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Sets are the names of the sets of labels: one to improve rules with, one whose signers and
// payments alone are labelled, to improve rules with and to fit weights to, and one that is
// only measured.
var Sets = []string{"tune", "fit", "report"}

// Labels says what a contract contains, in the form of the files in tests/bench/gold, whose
// README defines every label. A list is nil if its kind of label was not looked for.
type Labels struct {
	// File is the name of the text, and SHA256 the digest of its bytes in lower-case hex.
	File     string         `json:"file"`
	SHA256   string         `json:"sha256"`
	Signers  []SignerLabel  `json:"signers"`
	Parties  []PartyLabel   `json:"parties"`
	Values   []ValueLabel   `json:"contract_values"`
	Payments []PaymentLabel `json:"payments"`
	Clauses  []ClauseLabel  `json:"clauses"`
}

// Range is the start and the end of a passage, in characters (Unicode code points).
type Range [2]int

// SignerLabel is a person in a signature block. Party and Title are nil if it has none.
type SignerLabel struct {
	Name  string  `json:"name"`
	Party *string `json:"party"`
	Title *string `json:"title"`
	Span  Range   `json:"span"`
}

// PartyLabel is a party. Reference is the name that the contract defines for it, nil for
// none. Kind is organization or person.
type PartyLabel struct {
	Name      string  `json:"name"`
	Reference *string `json:"reference"`
	Kind      string  `json:"kind"`
	Span      Range   `json:"span"`
}

// ValueLabel is an amount of money.
type ValueLabel struct {
	Amount   float64 `json:"amount"`
	Currency string  `json:"currency"`
	Type     string  `json:"type"`
	Span     Range   `json:"span"`
}

// PaymentLabel is a sentence that requires a payment. Members that it does not state are nil.
type PaymentLabel struct {
	Amount     *float64 `json:"amount"`
	Percentage *float64 `json:"percentage"`
	Currency   *string  `json:"currency"`
	Due        *string  `json:"due"`
	Span       Range    `json:"span"`
}

// ClauseLabel is a passage that states a clause.
type ClauseLabel struct {
	Kind string `json:"kind"`
	Span Range  `json:"span"`
}

// LabelledKinds are the kinds of clauses that are labelled.
var LabelledKinds = []string{
	"Amendment", "Arbitration", "Assignment Permitted", "Confidentiality", "Counterparts", "Data Protection", "Dispute Resolution",
	"Entire Agreement", "Force Majeure", "Indemnification", "Jurisdiction And Venue", "Notices", "Severability", "Survival", "Term",
	"Termination For Cause", "Waiver",
}

var (
	partyKinds = []string{"organization", "person"}
	valueTypes = []string{"fee", "price", "royalty", "cap", "deposit", "salary", "rent", "penalty", "insurance", "other"}
)

// ReadLabels returns the labels of a set in a folder. It fails if any of them is not valid.
func ReadLabels(dir, set string) ([]Labels, error) { return readLabels[Labels](dir, set) }

// checker is what one line of a file of labels holds.
type checker interface{ check() error }

// readLabels reads the file of a set.
func readLabels[T checker](dir, set string) (all []T, err error) {
	f, err := os.Open(filepath.Join(dir, set+".jsonl"))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return parseLabels[T](f)
}

// parseLabels reads one JSON object for each contract.
func parseLabels[T checker](r io.Reader) ([]T, error) {
	var all []T
	for lines := jsontext.NewDecoder(r); ; {
		var l T
		err := json.UnmarshalDecode(lines, &l, json.RejectUnknownMembers(true))
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err == nil {
			err = l.check()
		}
		if err != nil {
			return nil, fmt.Errorf("contract %d: %w", len(all)+1, err)
		}
		all = append(all, l)
	}
}

// check returns an error that says what is wrong with the labels of a contract.
func (l Labels) check() error {
	if l.File == "" || len(l.SHA256) != 64 {
		return errors.New("there is no file, or no digest of it")
	}
	return errors.Join(
		checkList(l, "signers", l.Signers, func(s SignerLabel) (Range, bool) { return s.Span, s.Name != "" }),
		checkList(l, "parties", l.Parties, func(p PartyLabel) (Range, bool) {
			return p.Span, p.Name != "" && slices.Contains(partyKinds, p.Kind)
		}),
		checkList(l, "contract_values", l.Values, func(v ValueLabel) (Range, bool) {
			return v.Span, v.Amount > 0 && len(v.Currency) == 3 && slices.Contains(valueTypes, v.Type)
		}),
		checkList(l, "payments", l.Payments, func(p PaymentLabel) (Range, bool) {
			return p.Span, p.Amount == nil || p.Percentage == nil
		}),
		checkList(l, "clauses", l.Clauses, func(c ClauseLabel) (Range, bool) {
			return c.Span, slices.Contains(LabelledKinds, c.Kind)
		}),
	)
}

// checkList checks a list of labels. look returns the span of a label, and whether its
// values are allowed.
func checkList[T any](l Labels, name string, list []T, look func(T) (Range, bool)) error {
	last := Range{}
	for i, label := range list {
		span, ok := look(label)
		switch {
		case !ok:
			return fmt.Errorf("%s: %s[%d] has a value that is not allowed: %+v", l.File, name, i, label)
		case span[0] < 0 || span[0] >= span[1]:
			return fmt.Errorf("%s: %s[%d] has the span %v, which is empty", l.File, name, i, span)
		case slices.Compare(span[:], last[:]) < 0:
			return fmt.Errorf("%s: %s[%d] is not in the order of spans", l.File, name, i)
		}
		last = span
	}
	return nil
}
