CREATE TABLE document_counts (
	organization TEXT NOT NULL,
	state        TEXT NOT NULL,
	n            INTEGER NOT NULL,
	PRIMARY KEY (organization, state)
) STRICT, WITHOUT ROWID;
INSERT INTO document_counts VALUES ('org_01kdvdna01f22rqvn4pwdmvnjd', 'agreement', 1);
INSERT INTO document_counts VALUES ('org_01kdvdna01f22rqvn4pwdmvnjd', 'draft', 1);
INSERT INTO document_counts VALUES ('org_01kdvdna0gezxt32mgzryrycvf', 'draft', 1);
CREATE TABLE documents (
	id               TEXT NOT NULL PRIMARY KEY,
	organization     TEXT NOT NULL,
	name             TEXT NOT NULL,
	state            TEXT NOT NULL,
	created_at       INTEGER NOT NULL,
	updated_at       INTEGER NOT NULL,
	created_by       TEXT NOT NULL,
	created_by_email TEXT NOT NULL,
	created_by_name  TEXT NOT NULL,
	updated_by       TEXT NOT NULL,
	updated_by_email TEXT NOT NULL,
	updated_by_name  TEXT NOT NULL,
	revision         INTEGER NOT NULL,
	deleted_at       INTEGER NOT NULL,
	unpublished      INTEGER NOT NULL,
	record           BLOB NOT NULL
) STRICT;
INSERT INTO documents VALUES ('doc_01kdvdna00ey0t981vrv424d38', 'org_01kdvdna01f22rqvn4pwdmvnjd', 'Renamed form', 'agreement', 1767225601549, 1767225602105, 'user_01kdvdna0nfjf97y7an50tf32x', 'zoe@acme.example', 'Zoë Ünal', 'user_01kdvdna0nfjf97y7an50tf32x', 'zoe@acme.example', 'Zoë Ünal', 5, 0, 0, CAST('{"access":{"organization":"edit"},"versions":[{"number":1,"files":[{"id":"file_01kdvdna0se2xtdyjtxwhfcv5e","name":"form.pdf","type":"application/pdf","size":1669,"sha256":"e0f812de4a6b15234012c001f820ee05e71acdd996aa616f9ac1c9aa87af1ec5","md5":"921bcf0348e08e3d0191dbd68bf08c95","crc32c":"8a3db6b8","sealed_at":1767225602098}],"created_at":1767225601549,"created_by":{"id":"user_01kdvdna0nfjf97y7an50tf32x","email":"zoe@acme.example","name":"Zoë Ünal"}}],"outbox":[]}' AS BLOB));
INSERT INTO documents VALUES ('doc_01kdvdna05eev8bhe9hhcjgens', 'org_01kdvdna01f22rqvn4pwdmvnjd', 'Form again', 'draft', 1767225601587, 1767225601587, 'user_01kdvdna0nfjf97y7an50tf32x', 'zoe@acme.example', 'Zoë Ünal', 'user_01kdvdna0nfjf97y7an50tf32x', 'zoe@acme.example', 'Zoë Ünal', 4, 0, 0, CAST('{"access":{"organization":"edit"},"versions":[{"number":1,"files":[{"id":"file_01kdvdna0wfs588whnxdcgze8d","name":"form.pdf","type":"application/pdf","size":1275,"sha256":"73aaf01ae45320903e10322bf88ac2a868f0605ccfff7dc8ac8fc67c28296e47","md5":"ad1a9d628143bc996f31aee6465179a4","crc32c":"7f79a16d","sealed_at":1767225611395}],"created_at":1767225601587,"created_by":{"id":"user_01kdvdna0nfjf97y7an50tf32x","email":"zoe@acme.example","name":"Zoë Ünal"}}],"outbox":[]}' AS BLOB));
INSERT INTO documents VALUES ('doc_01kdvdna0ff9tsak9781759app', 'org_01kdvdna0gezxt32mgzryrycvf', 'Once', 'draft', 1767225611169, 1767225611169, 'user_01kdvdna0heemsvkas4t7dcyeb', 'zoe@acme.example', 'Zoë Ünal', 'user_01kdvdna0heemsvkas4t7dcyeb', 'zoe@acme.example', 'Zoë Ünal', 2, 0, 0, CAST('{"access":{"organization":"edit"},"versions":[{"number":1,"files":[{"id":"file_01kdvdna0jef0avtxpt1fjd55w","name":"a.txt","type":"text/plain"}],"created_at":1767225611169,"created_by":{"id":"user_01kdvdna0heemsvkas4t7dcyeb","email":"zoe@acme.example","name":"Zoë Ünal"}}],"outbox":[]}' AS BLOB));
CREATE INDEX documents_created_at ON documents (organization, created_at, id, state, updated_at, created_by, updated_by) WHERE deleted_at = 0;
CREATE INDEX documents_deleted     ON documents (deleted_at) WHERE deleted_at > 0;
CREATE INDEX documents_name       ON documents (organization, name, id, state, created_at, updated_at, created_by, updated_by) WHERE deleted_at = 0;
CREATE INDEX documents_state      ON documents (organization, state, id, created_at, updated_at, created_by, updated_by) WHERE deleted_at = 0;
CREATE INDEX documents_unpublished ON documents (unpublished) WHERE unpublished > 0;
CREATE INDEX documents_updated_at ON documents (organization, updated_at, id, state, created_at, created_by, updated_by) WHERE deleted_at = 0;
CREATE TRIGGER documents_added AFTER INSERT ON documents WHEN NEW.deleted_at = 0 BEGIN
	INSERT INTO document_counts VALUES (NEW.organization, NEW.state, 1) ON CONFLICT DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER documents_changed AFTER UPDATE OF state, deleted_at ON documents BEGIN
	UPDATE document_counts SET n = n - 1 WHERE organization = OLD.organization AND state = OLD.state AND OLD.deleted_at = 0;
	INSERT INTO document_counts SELECT NEW.organization, NEW.state, 1 WHERE NEW.deleted_at = 0 ON CONFLICT DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER documents_removed AFTER DELETE ON documents WHEN OLD.deleted_at = 0 BEGIN
	UPDATE document_counts SET n = n - 1 WHERE organization = OLD.organization AND state = OLD.state;
END;
PRAGMA user_version = 1;
