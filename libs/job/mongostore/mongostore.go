// Package mongostore stores jobs in MongoDB or in a database that speaks its protocol. It
// needs neither transactions nor locks: everything that must change atomically is in one
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

// The names of the indexes. Each query names its index, because DocumentDB's query
// planner guesses, and often wrongly.
const (
	byID       = "id"
	bySubject  = "subject"
	byTurn     = "turns"
	unfinished = "unfinished"
	byWait     = "unfinished_created"
	byEnd      = "ended"
	byAge      = "created"
	byState    = "state_created"
	byDocument = "subject_created"
)

// indexes are the indexes of the collection. Those for unfinished jobs are partial and
// hold nothing else.
//
// A job that is queued or running has a turn, a number below the limit of its
// organization and lane. The unique index on turns enforces the limit, no matter how many
// instances promote jobs concurrently or die while doing so.
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
	{
		Keys:    ascending("created_at"),
		Options: options.Index().SetName(byWait).SetPartialFilterExpression(bson.D{{Key: "ended_at", Value: never}}),
	},
	{Keys: ascending("dead", "ended_at"), Options: options.Index().SetName(byEnd)},
	{Keys: ascending("organization", "created_at", "id"), Options: options.Index().SetName(byAge)},
	{Keys: ascending("organization", "state", "created_at", "id"), Options: options.Index().SetName(byState)},
	{Keys: ascending("organization", "subject", "created_at", "id"), Options: options.Index().SetName(byDocument)},
}}

// ascending returns an ascending order by the fields.
func ascending(fields ...string) bson.D {
	var order bson.D
	for _, f := range fields {
		order = append(order, bson.E{Key: f, Value: 1})
	}
	return order
}

// never is the time of an event that has not happened.
const never = int64(0)

// hasTurn matches the jobs that are queued or running.
var hasTurn = bson.D{{Key: "turn", Value: bson.D{{Key: "$exists", Value: true}}}}

// Open returns a Store in the database of the URL; see mongodb.Open. The caller closes
// it.
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

// document is a job as it is stored. Fields used in queries are separate; the rest of the
// record is JSON.
type document struct {
	// Place combines the organization and the key, so that the _id index keeps jobs
	// unique. With any other unique index, DocumentDB lets concurrent inserts of the same
	// job deadlock until it detects that.
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

// place returns the _id of the job with the key. Organization IDs contain no line breaks.
func place(organization, key string) string { return organization + "\n" + key }

// newDocument converts a record to a document.
func newDocument(r job.Record) (document, error) {
	body, err := r.Body()
	return document{
		Place: place(r.Principal.Organization, r.Key), ID: r.ID, Organization: r.Principal.Organization, Key: r.Key, Subject: r.Subject, Lane: r.Lane, State: r.State,
		Dead: r.Dead, CreatedAt: r.CreatedAt, QueuedAt: r.QueuedAt, LeaseEnds: r.LeaseEnds, EndedAt: r.EndedAt, Revision: r.Revision,
		Record: string(body),
	}, err
}

// record converts the document back to a record.
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
		if !errors.Is(err, job.ErrNotFound) { // on ErrNotFound it was removed in between
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

// find returns the job that matches the filter, or job.ErrNotFound.
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

// Replace implements job.Store. The update that finishes a job or resets it also frees
// its turn.
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
	for isDeadlock(err) { // nothing was changed, and the other update has ended
		changed, err = s.change(ctx, r, change)
	}
	switch {
	case err != nil:
		return r, err
	case !changed:
		return r, job.ErrConflict
	}
	r.Revision++
	return r, nil
}

// change updates a job if it has the revision of r, increments the revision, and reports
// whether it did.
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
