CREATE TABLE api_keys (
	id           TEXT NOT NULL PRIMARY KEY,
	digest       BLOB NOT NULL UNIQUE,
	pepper       TEXT NOT NULL,
	organization TEXT NOT NULL REFERENCES organizations (id),
	user         TEXT NOT NULL REFERENCES users (id),
	scopes       TEXT NOT NULL,
	rate         INTEGER NOT NULL,
	created_at   INTEGER NOT NULL,
	expires_at   INTEGER NOT NULL,
	revoked      INTEGER NOT NULL,
	last_used_at INTEGER NOT NULL
) STRICT;
INSERT INTO api_keys VALUES ('key_01kdvdna11e1j9h6pq6g8mm42p', X'5465C059EA4804D0F4BD709FCF2E6BFD64B89F66B190D73C4A50C954A2360FB1', '1', 'org_01kdvdna0gezxt32mgzryrycvf', 'user_01kdvdna0heemsvkas4t7dcyeb', '*', 1000, 1767225611167, 0, 0, 1767225611168);
CREATE TABLE organizations (
	id   TEXT NOT NULL PRIMARY KEY,
	name TEXT NOT NULL UNIQUE
) STRICT;
INSERT INTO organizations VALUES ('org_01kdvdna0gezxt32mgzryrycvf', 'Acme');
CREATE TABLE sessions (
	digest     BLOB NOT NULL PRIMARY KEY,
	kind       TEXT NOT NULL,
	api_key    TEXT NOT NULL REFERENCES api_keys (id),
	created_at INTEGER NOT NULL,
	expires_at INTEGER NOT NULL
) STRICT;
CREATE TABLE users (
	id           TEXT NOT NULL PRIMARY KEY,
	organization TEXT NOT NULL REFERENCES organizations (id),
	email        TEXT NOT NULL,
	email_folded TEXT NOT NULL,
	name         TEXT NOT NULL,
	UNIQUE (organization, email_folded)
) STRICT;
INSERT INTO users VALUES ('user_01kdvdna0heemsvkas4t7dcyeb', 'org_01kdvdna0gezxt32mgzryrycvf', 'zoe@acme.example', 'zoe@acme.example', 'Zoë Ünal');
CREATE INDEX api_keys_organization ON api_keys (organization, id);
CREATE INDEX sessions_api_key ON sessions (api_key, kind, created_at);
CREATE INDEX sessions_expires_at ON sessions (expires_at);
PRAGMA user_version = 2;
