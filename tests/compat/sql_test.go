package compat

import (
	"database/sql"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// openSQL opens a SQLite database as it is, without migrations.
func openSQL(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// dump returns the SQL that creates a database again: its tables, their rows, then its
// indexes and triggers, and its version.
func dump(t *testing.T, path string) string {
	t.Helper()
	db := openSQL(t, path)
	var out, after strings.Builder
	for _, o := range query(t, db, "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY type, name") {
		kind, name, script := o[0], o[1], o[2]
		if kind != "table" {
			fmt.Fprintf(&after, "%s;\n", script)
			continue
		}
		fmt.Fprintf(&out, "%s;\n", script)
		for _, row := range query(t, db, "SELECT "+literals(t, db, name)+" FROM "+name+" ORDER BY 1") {
			fmt.Fprintf(&out, "INSERT INTO %s VALUES (%s);\n", name, strings.Join(row, ", "))
		}
	}
	return out.String() + after.String() + "PRAGMA user_version = " + query(t, db, "PRAGMA user_version")[0][0] + ";\n"
}

// literals returns the expressions that select the columns of a table as SQL literals.
// JSON is text to read.
func literals(t *testing.T, db *sql.DB, table string) string {
	var all []string
	for _, c := range columns(t, db, table) {
		expression := fmt.Sprintf("quote(%s)", c.name)
		if c.kind == "BLOB" {
			expression = fmt.Sprintf("CASE WHEN substr(%[1]s, 1, 1) IN (CAST('{' AS BLOB), CAST('[' AS BLOB)) AND json_valid(CAST(%[1]s AS TEXT)) THEN 'CAST(' || quote(CAST(%[1]s AS TEXT)) || ' AS BLOB)' ELSE quote(%[1]s) END", c.name)
		}
		all = append(all, expression)
	}
	return strings.Join(all, ", ")
}

// query returns the rows of a query as text.
func query(t *testing.T, db *sql.DB, statement string) (all [][]string) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), statement)
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		row := make([]string, len(names))
		targets := make([]any, len(names))
		for i := range row {
			targets[i] = &row[i]
		}
		if err := rows.Scan(targets...); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
		all = append(all, row)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// restore creates the database of a recording at path.
func restore(t *testing.T, script, path string) {
	t.Helper()
	if _, err := openSQL(t, path).ExecContext(t.Context(), script); err != nil {
		t.Fatalf("restore %s: %v", filepath.Base(path), err)
	}
}

// column is a column of a table.
type column struct {
	name, kind string
	required   bool // an INSERT without it fails
}

// columns returns the columns of a table.
func columns(t *testing.T, db *sql.DB, table string) (all []column) {
	t.Helper()
	for _, row := range query(t, db, `SELECT name, type, "notnull" = 1 AND dflt_value IS NULL FROM pragma_table_info('`+table+`')`) {
		all = append(all, column{row[0], row[1], row[2] == "1"})
	}
	return all
}

// schema returns the columns of every table of a database.
func schema(t *testing.T, db *sql.DB) map[string][]column {
	t.Helper()
	tables := map[string][]column{}
	for _, row := range query(t, db, "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name") {
		tables[row[0]] = columns(t, db, row[0])
	}
	return tables
}

// schemaBreaks returns what keeps a program that knows the old schema from using a database
// with the new one.
func schemaBreaks(was, is map[string][]column) (breaks []string) {
	for _, table := range slices.Sorted(maps.Keys(was)) {
		now, ok := is[table]
		if !ok {
			breaks = append(breaks, fmt.Sprintf("the table %s is gone: keep it until no supported version reads it", table))
			continue
		}
		for _, c := range was[table] {
			i := slices.IndexFunc(now, func(n column) bool { return n.name == c.name })
			switch {
			case i < 0:
				breaks = append(breaks, fmt.Sprintf("the column %s.%s is gone: keep it until no supported version reads it", table, c.name))
			case now[i].kind != c.kind:
				breaks = append(breaks, fmt.Sprintf("the column %s.%s was %s and is %s: add a column instead", table, c.name, c.kind, now[i].kind))
			}
		}
		for _, n := range now {
			if n.required && !slices.ContainsFunc(was[table], func(c column) bool { return c.name == n.name }) {
				breaks = append(breaks, fmt.Sprintf("the column %s.%s is new and has no default: give it one, because the recorded version does not set it", table, n.name))
			}
		}
	}
	return breaks
}

// dumps returns the recorded databases by their names.
func dumps(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob(recorded("sqlite", "*.sql"))
	if err != nil || len(files) < 6 {
		t.Fatalf("found %d recorded databases, want 6 or more; %v", len(files), err)
	}
	all := map[string]string{}
	for _, file := range files {
		script, err := os.ReadFile(file)
		if err != nil || !utf8.Valid(script) {
			t.Fatalf("%s is not readable: %v", file, err)
		}
		all[strings.TrimSuffix(filepath.Base(file), ".sql")] = string(script)
	}
	return all
}
