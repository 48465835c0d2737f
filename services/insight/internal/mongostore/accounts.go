package mongostore

import (
	"context"
	"errors"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/rectohq/recto/libs/mongodb"
	"github.com/rectohq/recto/services/insight/internal/llm/ledger"
)

// account is a ledger.Account as stored. Each property that is queried has its own field;
// the rest is JSON.
type account struct {
	Place        string `bson:"_id"`
	Organization string `bson:"organization"`
	Period       string `bson:"period"`
	ExpiresAt    int64  `bson:"expires_at"`
	Revision     int64  `bson:"revision"`
	Account      string `bson:"account"`
}

// account returns the record as a ledger.Account.
func (r account) account() (ledger.Account, error) {
	a := ledger.Account{Organization: r.Organization, Period: r.Period, ExpiresAt: r.ExpiresAt, Revision: r.Revision}
	return a, a.Decode([]byte(r.Account))
}

// Account implements ledger.Store.
func (s *Store) Account(ctx context.Context, organization, period string) (ledger.Account, error) {
	var r account
	err := s.db.Do(ctx, "read the account of "+period, func(ctx context.Context) error {
		return s.accounts.FindOne(ctx, at(place(organization, period))).Decode(&r)
	})
	if errors.Is(err, mongo.ErrNoDocuments) {
		return ledger.Account{Organization: organization, Period: period}, nil
	}
	if err != nil {
		return ledger.Account{}, err
	}
	return r.account()
}

// PutAccount implements ledger.Store.
func (s *Store) PutAccount(ctx context.Context, a ledger.Account) error {
	data, err := ledger.Encode(a)
	if err != nil {
		return err
	}
	r := account{place(a.Organization, a.Period), a.Organization, a.Period, a.ExpiresAt, a.Revision + 1, string(data)}
	changed := true
	err = s.db.Do(ctx, "store the account of "+a.Period, func(ctx context.Context) error {
		if a.Revision == 0 {
			_, err := s.accounts.InsertOne(ctx, r)
			return err
		}
		result, err := s.accounts.ReplaceOne(ctx, append(at(r.Place), bson.E{Key: "revision", Value: a.Revision}), r)
		changed = err == nil && result.MatchedCount == 1
		return err
	})
	if mongodb.IsDuplicate(err) || err == nil && !changed {
		return ledger.ErrConflict
	}
	return err
}

// Accounts implements ledger.Store.
func (s *Store) Accounts(ctx context.Context, f ledger.Filter, limit int) ([]ledger.Account, error) {
	var records []account
	how := options.Find().SetSort(bson.D{{Key: "period", Value: -1}, {Key: "organization", Value: 1}}).SetLimit(int64(limit))
	err := s.db.Do(ctx, "list accounts", func(ctx context.Context) error {
		cursor, err := s.accounts.Find(ctx, selected(f), how)
		if err != nil {
			return err
		}
		return cursor.All(ctx, &records)
	})
	if err != nil {
		return nil, err
	}
	var accounts []ledger.Account
	for _, r := range records {
		a, err := r.account()
		if err != nil {
			return nil, err
		}
		accounts = append(accounts, a)
	}
	return accounts, nil
}

// selected returns the query for the accounts that f selects.
func selected(f ledger.Filter) bson.D {
	organization := bson.D{{Key: "$gt", Value: ""}}
	if f.Organization != "" {
		organization = bson.D{{Key: "$eq", Value: f.Organization}}
	}
	period := bson.D{{Key: "$gte", Value: f.Since}}
	if f.Until != "" {
		period = append(period, bson.E{Key: "$lte", Value: f.Until})
	}
	return bson.D{{Key: "organization", Value: organization}, {Key: "period", Value: period}}
}
