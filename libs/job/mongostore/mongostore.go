// Package mongostore keeps jobs in MongoDB, or in what speaks its protocol. It
// needs neither transactions nor locks: whatever has to happen at once is in one
// record.
package mongostore

import (
	"context"
	"errors"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/job"
	"github.com/rectohq/recto/libs/mongodb"
	"github.com/rectohq/recto/libs/telemetry"
)

// Store is a job.Store in a MongoDB database.
type Store struct {
	db   *mongodb.DB
	jobs *mongo.Collection
}

var _ job.Store = (*Store)(nil)

const collection = "jobs"

// The names of the indexes. Each query names the one that it takes: DocumentDB
// chooses by what it guesses, and often wrong.
const (
	byID       = "id"
	bySubject  = "subject"
	byTurn     = "turns"
	unfinished = "unfinished"
	byEnd      = "ended"
	byAge      = "created"
	byState    = "state_created"
	byDocument = "subject_created"
)

// indexes are those of the collection; those of what is left to do hold nothing
// else.
//
// A job that is queued or running has a turn, a number below the limit of its
// organization and lane. That no two can have the same one is what holds the
// limit, whoever promotes jobs at the same time and dies while doing so.
var indexes = mongodb.Indexes{collection: {
	{Keys: ascending("id"), Options: options.Index().SetName(byID)},
	{Keys: ascending("subject"), Options: options.Index().SetName(bySubject)},
	{
		Keys:    ascending("organization", "queued_lane", "turn"),
		Options: options.Index().SetName(byTurn).SetUnique(true).SetPartialFilterExpression(hasTurn),
	},
	{
		Keys:    ascending("organization", "lane", "queued_at", "created_at", "_id"),
		Options: options.Index().SetName(unfinished).SetPartialFilterExpression(bson.D{{Key: "ended_at", Value: never}}),
	},
	{Keys: ascending("dead", "ended_at"), Options: options.Index().SetName(byEnd)},
	{Keys: ascending("organization", "created_at", "id"), Options: options.Index().SetName(byAge)},
	{Keys: ascending("organization", "state", "created_at", "id"), Options: options.Index().SetName(byState)},
	{Keys: ascending("organization", "subject", "created_at", "id"), Options: options.Index().SetName(byDocument)},
}}

// ascending is an order by the fields.
func ascending(fields ...string) bson.D {
	var order bson.D
	for _, f := range fields {
		order = append(order, bson.E{Key: f, Value: 1})
	}
	return order
}

// never is the time of what has not happened.
const never = int64(0)

// hasTurn finds the jobs that are queued or running.
var hasTurn = bson.D{{Key: "turn", Value: bson.D{{Key: "$exists", Value: true}}}}

// Open returns a Store in the database that the URL names; see mongodb.Open. The
// caller closes it.
func Open(ctx context.Context, url string, t *telemetry.Telemetry) (*Store, error) {
	db, err := mongodb.Open(ctx, url, indexes, t)
	if err != nil {
		return nil, err
	}
	return &Store{db, db.Collection(collection)}, nil
}

// Close closes the database.
func (s *Store) Close() error { return s.db.Close() }

// Check returns nil if the database answers.
func (s *Store) Check(ctx context.Context) error { return s.db.Check(ctx) }

// document is a job as it is stored. What jobs are found by has a field each;
// the rest of a record is JSON.
type document struct {
	// Place is the organization and the key, so that the index of _id is the one
	// that keeps jobs apart. Where that is another unique one, DocumentDB lets
	// those who add the same job at a time wait for each other until it notices.
	Place        string       `bson:"_id"`
	ID           string       `bson:"id"`
	Organization string       `bson:"organization"`
	Key          string       `bson:"key"`
	Subject      string       `bson:"subject"`
	Lane         jobapi.Lane  `bson:"lane"`
	State        jobapi.State `bson:"state"`
	Dead         bool         `bson:"dead"`
	CreatedAt    int64        `bson:"created_at"`
	QueuedAt     int64        `bson:"queued_at"`
	LeaseEnds    int64        `bson:"lease_ends"`
	EndedAt      int64        `bson:"ended_at"`
	Revision     int64        `bson:"revision"`
	Record       string       `bson:"record"`
}

// place is where the job of a key is stored. Ids of organizations have no line
// breaks.
func place(organization, key string) string { return organization + "\n" + key }

// newDocument returns a record as it is stored.
func newDocument(r job.Record) (document, error) {
	body, err := r.Body()
	return document{
		Place: place(r.Principal.Organization, r.Key), ID: r.ID, Organization: r.Principal.Organization, Key: r.Key, Subject: r.Subject, Lane: r.Lane, State: r.State,
		Dead: r.Dead, CreatedAt: r.CreatedAt, QueuedAt: r.QueuedAt, LeaseEnds: r.LeaseEnds, EndedAt: r.EndedAt, Revision: r.Revision,
		Record: string(body),
	}, err
}

// record is the opposite of newDocument.
func (d document) record() (job.Record, error) {
	r := job.Record{
		ID: d.ID, Key: d.Key, Subject: d.Subject, Lane: d.Lane, State: d.State, Dead: d.Dead, CreatedAt: d.CreatedAt,
		QueuedAt: d.QueuedAt, LeaseEnds: d.LeaseEnds, EndedAt: d.EndedAt, Revision: d.Revision,
	}
	return r, r.SetBody(d.Organization, []byte(d.Record))
}

// Add implements job.Store.
func (s *Store) Add(ctx context.Context, r job.Record) (job.Record, bool, error) {
	r.Revision = 1
	d, err := newDocument(r)
	if err != nil {
		return r, false, err
	}
	for {
		err := s.db.Do(ctx, "insert job "+r.ID, func(ctx context.Context) error {
			_, err := s.jobs.InsertOne(ctx, d)
			return err
		})
		if !mongodb.IsDuplicate(err) {
			return r, err == nil, err
		}
		there, err := s.Lookup(ctx, r.Principal.Organization, r.Key)
		if !errors.Is(err, job.ErrNotFound) { // it was removed in between
			return there, false, err
		}
	}
}

// Lookup implements job.Store.
func (s *Store) Lookup(ctx context.Context, organization, key string) (job.Record, error) {
	return s.find(ctx, bson.D{{Key: "_id", Value: place(organization, key)}}, options.FindOne())
}

// Get implements job.Store.
func (s *Store) Get(ctx context.Context, organization, id string) (job.Record, error) {
	return s.find(ctx, bson.D{{Key: "id", Value: id}, {Key: "organization", Value: organization}}, options.FindOne().SetHint(byID))
}

// find returns the job that the filter finds, or job.ErrNotFound.
func (s *Store) find(ctx context.Context, filter bson.D, o *options.FindOneOptionsBuilder) (job.Record, error) {
	var d document
	err := s.db.Do(ctx, "find a job", func(ctx context.Context) error { return s.jobs.FindOne(ctx, filter, o).Decode(&d) })
	if errors.Is(err, mongo.ErrNoDocuments) {
		return job.Record{}, job.ErrNotFound
	}
	if err != nil {
		return job.Record{}, err
	}
	return d.record()
}

// Replace implements job.Store. The turn of a job is given back in the same
// update that ends the job or begins it anew.
func (s *Store) Replace(ctx context.Context, r job.Record) (job.Record, error) {
	d, err := newDocument(r)
	if err != nil {
		return r, err
	}
	change := bson.D{{Key: "$set", Value: bson.D{
		{Key: "lane", Value: d.Lane}, {Key: "state", Value: d.State}, {Key: "dead", Value: d.Dead}, {Key: "created_at", Value: d.CreatedAt},
		{Key: "queued_at", Value: d.QueuedAt}, {Key: "lease_ends", Value: d.LeaseEnds}, {Key: "ended_at", Value: d.EndedAt}, {Key: "record", Value: d.Record},
	}}}
	if d.QueuedAt == never || d.EndedAt != never {
		change = append(change, bson.E{Key: "$unset", Value: bson.D{{Key: "turn", Value: ""}, {Key: "queued_lane", Value: ""}}})
	}
	changed, err := s.change(ctx, r, change)
	switch {
	case err != nil:
		return r, err
	case !changed:
		return r, job.ErrConflict
	}
	r.Revision++
	return r, nil
}

// change changes a job if it has the revision of r, and raises that by one. It
// reports whether it did.
func (s *Store) change(ctx context.Context, r job.Record, change bson.D) (changed bool, err error) {
	filter := bson.D{{Key: "_id", Value: place(r.Principal.Organization, r.Key)}, {Key: "id", Value: r.ID}, {Key: "revision", Value: r.Revision}}
	change = append(change, bson.E{Key: "$inc", Value: bson.D{{Key: "revision", Value: 1}}})
	err = s.db.Do(ctx, "update job "+r.ID, func(ctx context.Context) error {
		result, err := s.jobs.UpdateOne(ctx, filter, change)
		if err == nil {
			changed = result.MatchedCount == 1
		}
		return err
	})
	return changed, err
}
