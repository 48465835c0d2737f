package faults

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/minio/minio-go/v7"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/rectohq/recto/tests/harness"
)

// databases are the parts with a database, in the order of their dumps: Idempotency-Keys
// before the documents that they name, and documents before what other services store
// about them.
var databases = []string{"idempotency", "document", "annotation", "conversion", "insight", "gateway"}

// backup is a copy of the databases and the bucket of a cluster, as mongodump and
// aws s3 sync make it.
type backup struct {
	databases map[string][]collection // by part
	objects   map[string]object       // by key
}

// collection is the dump of one collection.
type collection struct {
	name      string
	documents []bson.Raw
	indexes   []bson.Raw
}

// object is the copy of one object.
type object struct {
	etag, contentType string
	content           []byte
}

// copyBucket copies the objects that the backup lacks or has in another version. It
// removes none, so a second copy adds to the first one.
func (b *backup) copyBucket(ctx context.Context, s *harness.Stored) error {
	for info := range s.Objects.ListObjectsIter(ctx, s.Bucket, minio.ListObjectsOptions{Recursive: true}) {
		if info.Err != nil {
			return info.Err
		}
		if b.objects[info.Key].etag == info.ETag {
			continue
		}
		copied, err := getObject(ctx, s, info.Key)
		if minio.ToErrorResponse(err).Code == minio.NoSuchKey {
			continue // removed since it was listed
		}
		if err != nil {
			return fmt.Errorf("copy %s: %w", info.Key, err)
		}
		b.objects[info.Key] = copied
	}
	return nil
}

// getObject reads an object.
func getObject(ctx context.Context, s *harness.Stored, key string) (o object, err error) {
	body, err := s.Objects.GetObject(ctx, s.Bucket, key, minio.GetObjectOptions{})
	if err != nil {
		return o, err
	}
	defer body.Close()
	if o.content, err = io.ReadAll(body); err != nil {
		return o, err
	}
	info, err := body.Stat()
	o.etag, o.contentType = info.ETag, info.ContentType
	return o, err
}

// dumpDatabases dumps the databases one after the other, while the services write to
// them.
func (b *backup) dumpDatabases(ctx context.Context, s *harness.Stored) error {
	for _, part := range databases {
		db := s.Database(part)
		names, err := db.ListCollectionNames(ctx, bson.D{})
		if err != nil {
			return fmt.Errorf("dump %s: %w", db.Name(), err)
		}
		for _, name := range names {
			dumped, err := dump(ctx, db.Collection(name))
			if err != nil {
				return fmt.Errorf("dump %s.%s: %w", db.Name(), name, err)
			}
			b.databases[part] = append(b.databases[part], dumped)
		}
	}
	return nil
}

// dump reads a collection and its indexes.
func dump(ctx context.Context, c *mongo.Collection) (dumped collection, err error) {
	dumped.name = c.Name()
	found, err := c.Find(ctx, bson.D{})
	if err == nil {
		err = found.All(ctx, &dumped.documents)
	}
	if err != nil {
		return dumped, err
	}
	listed, err := c.Indexes().List(ctx)
	if err == nil {
		err = listed.All(ctx, &dumped.indexes)
	}
	dumped.indexes = slices.DeleteFunc(dumped.indexes, func(index bson.Raw) bool {
		return index.Lookup("name").StringValue() == "_id_" // every collection has it
	})
	return dumped, err
}

// restore stores the backup in the empty bucket and databases of a cluster: first the
// objects, then the records that refer to them.
func (b *backup) restore(ctx context.Context, s *harness.Stored) error {
	if err := s.Objects.MakeBucket(ctx, s.Bucket, minio.MakeBucketOptions{}); err != nil {
		return fmt.Errorf("create the bucket: %w", err)
	}
	for key, o := range b.objects {
		_, err := s.Objects.PutObject(ctx, s.Bucket, key, bytes.NewReader(o.content), int64(len(o.content)), minio.PutObjectOptions{ContentType: o.contentType})
		if err != nil {
			return fmt.Errorf("restore %s: %w", key, err)
		}
	}
	for part, collections := range b.databases {
		for _, c := range collections {
			if err := fill(ctx, s.Database(part), c); err != nil {
				return fmt.Errorf("restore %s.%s: %w", part, c.name, err)
			}
		}
	}
	return nil
}

// fill stores a collection in a database.
func fill(ctx context.Context, db *mongo.Database, c collection) error {
	if err := db.CreateCollection(ctx, c.name); err != nil {
		return err
	}
	if len(c.indexes) > 0 {
		if err := db.RunCommand(ctx, bson.D{{Key: "createIndexes", Value: c.name}, {Key: "indexes", Value: c.indexes}}).Err(); err != nil {
			return err
		}
	}
	if len(c.documents) == 0 {
		return nil
	}
	_, err := db.Collection(c.name).InsertMany(ctx, c.documents)
	return err
}

// unfinished returns how many jobs of a service the dump has that have not ended.
func (b *backup) unfinished(service string) (n int) {
	for _, c := range b.databases[service] {
		for _, record := range c.documents {
			state, _ := record.Lookup("state").StringValueOK()
			if state == "queued" || state == "running" {
				n++
			}
		}
	}
	return n
}
