package ledger

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/rectohq/recto/libs/contract/insightapi"
)

// Account says how much of a language model was used in a period. There is one account
// for each organization and day, which the budget of the day limits, and one for each
// minute, which the pace of all organizations together limits.
//
// One account counts all models, because a budget does. It counts each model on its own,
// because usage is listed by model.
type Account struct {
	// Organization is the id of an organization, "" for the account of a minute.
	Organization string `json:"-"`
	// Period is the day or minute in UTC, as Day or minute returns it.
	Period string `json:"-"`
	// Models is what was used, by the name of the model, such as "openai/gpt-5".
	Models map[string]Use `json:"models,omitempty"`
	// Open holds the tokens that are reserved for requests which have not been settled
	// yet, by the id of the reservation. A reservation is settled at most once, because
	// it is removed from here in the same write that counts what was used.
	Open map[string]int64 `json:"open,omitempty"`
	// ExpiresAt is when the account may be removed, in Unix milliseconds.
	ExpiresAt int64 `json:"-"`
	// Revision is the number of writes of the account, 0 if it is not stored.
	Revision int64 `json:"-"`
}

// Use is how much of one model was used.
type Use struct {
	insightapi.Tokens
	// CostMicroUSD is the price of the tokens in millionths of a US dollar. It is 0 if no
	// prices are configured.
	CostMicroUSD int64 `json:"cost_micro_usd"`
}

// Plus returns the sum of u and v.
func (u Use) Plus(v Use) Use {
	return Use{Tokens: u.Tokens.Plus(v.Tokens), CostMicroUSD: u.CostMicroUSD + v.CostMicroUSD}
}

// CostUSD returns the price in US dollars, nil if no prices are configured.
func (u Use) CostUSD() *float64 {
	if u.CostMicroUSD == 0 {
		return nil
	}
	return new(float64(u.CostMicroUSD) / million)
}

// Used returns the number of tokens that were used, of all models.
func (a Account) Used() (n int64) {
	for _, u := range a.Models {
		n += u.Total()
	}
	return n
}

// Reserved returns the number of tokens that are reserved.
func (a Account) Reserved() (n int64) {
	for _, tokens := range a.Open {
		n += tokens
	}
	return n
}

// reserve returns the account with a reservation.
func (a Account) reserve(id string, tokens int64) Account {
	a.Open = maps.Clone(a.Open)
	if a.Open == nil {
		a.Open = map[string]int64{}
	}
	a.Open[id] = tokens
	return a
}

// settle returns the account with a reservation replaced by what was used, and whether
// it had the reservation.
func (a Account) settle(id, model string, used Use) (Account, bool) {
	if _, open := a.Open[id]; !open {
		return a, false
	}
	a.Open, a.Models = maps.Clone(a.Open), maps.Clone(a.Models)
	delete(a.Open, id)
	if used != (Use{}) {
		if a.Models == nil {
			a.Models = map[string]Use{}
		}
		a.Models[model] = a.Models[model].Plus(used)
	}
	return a, true
}

// Day returns the day of a time as the period of an account, such as "2026-11-01".
// Periods are ordered as the times are.
func Day(t time.Time) string { return t.UTC().Format(time.DateOnly) }

// minute returns the minute of a time as the period of an account.
func minute(t time.Time) string { return t.UTC().Format("2006-01-02T15:04Z") }

// Filter selects accounts of days.
type Filter struct {
	// Organization is the id of an organization, "" for all.
	Organization string
	// Since and Until are the first and last day, as Day returns it; "" means no limit.
	Since, Until string
}

// Store stores accounts. The stores of the insight service implement it, and their Expire
// removes expired accounts as well. Package storetest is its specification.
type Store interface {
	// Account returns an account. If it is not stored, it has only the organization and
	// the period.
	Account(ctx context.Context, organization, period string) (Account, error)
	// PutAccount stores an account, whose Revision must be that of the stored one, and
	// increments the stored Revision. Otherwise it changes nothing and returns
	// ErrConflict.
	PutAccount(ctx context.Context, a Account) error
	// Accounts returns up to limit accounts of organizations, the latest day first, and
	// those of a day by organization.
	Accounts(ctx context.Context, f Filter, limit int) ([]Account, error)
}

// ErrConflict is the error of a write to an account that was changed meanwhile.
var ErrConflict = errors.New("the account has changed since it was read")

// Encode returns what an account consists of, other than what a Store queries, as every
// Store stores it.
func Encode(a Account) ([]byte, error) {
	data, err := json.Marshal(a, json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("encode an account: %w", err)
	}
	return data, nil
}

// Decode sets what Encode returned.
func (a *Account) Decode(data []byte) error {
	if err := json.Unmarshal(data, a); err != nil {
		return fmt.Errorf("decode an account: %w", err)
	}
	return nil
}
