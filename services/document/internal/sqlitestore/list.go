package sqlitestore

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/sqlite"
	"github.com/rectohq/recto/services/document/internal/domain"
)

// columns maps the fields of a list request to the columns of the table. Text from a
// request never becomes SQL: an unknown field is an error.
var columns = map[documentapi.Field]string{
	documentapi.FieldOrganization: "organization", documentapi.FieldName: "name", documentapi.FieldState: "state",
	documentapi.FieldCreatedBy: "created_by", documentapi.FieldUpdatedBy: "updated_by",
	documentapi.FieldCreatedAt: "created_at", documentapi.FieldUpdatedAt: "updated_at",
}

var operators = map[documentapi.Op]string{
	documentapi.GreaterOrEqual: ">=", documentapi.Greater: ">", documentapi.LessOrEqual: "<=", documentapi.Less: "<",
}

// indexes maps the first field of an order to its index.
var indexes = map[documentapi.Field]string{
	documentapi.FieldCreatedAt: "documents_created_at", documentapi.FieldUpdatedAt: "documents_updated_at",
	documentapi.FieldName: "documents_name", documentapi.FieldState: "documents_state",
}

// List implements domain.Store. It reads the page and the count concurrently.
func (s *Store) List(ctx context.Context, organization string, r documentapi.ListRequest) ([]domain.Document, int64, error) {
	where, args, err := whereClause(organization, r.Where)
	if err != nil {
		return nil, 0, err
	}
	order, err := orderClause(r.Order)
	if err != nil {
		return nil, 0, err
	}
	var documents []domain.Document
	var total int64
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		query := "SELECT count(*) FROM documents WHERE deleted_at = 0 AND " + where
		if isCounted(r.Where) {
			query = "SELECT coalesce(sum(n), 0) FROM document_counts WHERE " + where
		}
		return s.db.Read.QueryRowContext(ctx, query, args...).Scan(&total)
	})
	group.Go(func() error {
		// The inner query scans only the index of the order, so that skipping to the page
		// reads no records.
		query := "SELECT " + summaryColumns + " FROM (SELECT rowid AS r FROM documents INDEXED BY " + indexes[r.Order[0].Field] +
			" WHERE deleted_at = 0 AND " + where + " ORDER BY " + order + " LIMIT ? OFFSET ?) CROSS JOIN documents ON documents.rowid = r ORDER BY " + order
		var err error
		documents, err = s.summaries(ctx, query, append(slices.Clone(args), r.Size, (r.Page-1)*int64(r.Size)))
		return err
	})
	if err := group.Wait(); err != nil {
		return nil, 0, fmt.Errorf("read documents: %w", sqlite.Unavailable(err))
	}
	return documents, total, nil
}

// isCounted reports whether the conditions are only on fields by which documents are
// counted.
func isCounted(conditions []documentapi.Condition) bool {
	return !slices.ContainsFunc(conditions, func(c documentapi.Condition) bool {
		return c.Field != documentapi.FieldOrganization && c.Field != documentapi.FieldState
	})
}

// summaries reads the rows of a query for summaryColumns.
func (s *Store) summaries(ctx context.Context, query string, args []any) ([]domain.Document, error) {
	rows, err := s.db.Read.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var documents []domain.Document
	for rows.Next() {
		var d domain.Document
		if err := rows.Scan(summaryTargets(&d)...); err != nil {
			return nil, err
		}
		documents = append(documents, d)
	}
	return documents, rows.Err()
}

// whereClause returns the condition of a list with its arguments. Names of columns come
// only from the table above; values are always arguments.
func whereClause(organization string, conditions []documentapi.Condition) (string, []any, error) {
	terms := []string{"organization = ?"}
	args := []any{organization}
	for _, c := range conditions {
		column, ok := columns[c.Field]
		if !ok {
			return "", nil, fmt.Errorf("no column for the field %q", c.Field)
		}
		var values []any
		for _, v := range c.Values {
			values = append(values, v)
		}
		for _, t := range c.Times {
			values = append(values, t)
		}
		operator, isBound := operators[c.Op]
		switch {
		case isBound && len(values) == 1:
			terms = append(terms, column+" "+operator+" ?")
		case c.Op == documentapi.In && len(values) > 0:
			terms = append(terms, column+" IN (?"+strings.Repeat(", ?", len(values)-1)+")")
		case c.Op == documentapi.In:
			terms = append(terms, "FALSE")
		default:
			return "", nil, fmt.Errorf("the condition %q on %q has %d values", c.Op, c.Field, len(values))
		}
		args = append(args, values...)
	}
	return strings.Join(terms, " AND "), args, nil
}

// orderClause returns the sort order of a list. The id comes last, in the direction of
// the first field, so that pages do not overlap and one index serves both directions.
func orderClause(order []documentapi.Order) (string, error) {
	var terms []string
	for _, o := range order {
		column, ok := columns[o.Field]
		if !ok {
			return "", fmt.Errorf("no column for the field %q", o.Field)
		}
		terms = append(terms, column+direction(o))
	}
	return strings.Join(append(terms, "id"+direction(order[0])), ", "), nil
}

// direction returns the sort direction of one field in SQL.
func direction(o documentapi.Order) string {
	if o.Descending {
		return " DESC"
	}
	return " ASC"
}
