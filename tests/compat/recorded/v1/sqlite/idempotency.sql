CREATE TABLE requests (
	organization TEXT NOT NULL,
	key          TEXT NOT NULL,
	route        TEXT NOT NULL,
	value        TEXT NOT NULL,
	hash         BLOB NOT NULL,
	document     TEXT NOT NULL,
	created_at   INTEGER NOT NULL,
	expires_at   INTEGER NOT NULL,
	owner        TEXT NOT NULL,
	lease_until  INTEGER NOT NULL,
	answer       BLOB,
	PRIMARY KEY (organization, key, route, value)
) STRICT;
INSERT INTO requests VALUES ('org_01kdvdna0gezxt32mgzryrycvf', 'key_01kdvdna11e1j9h6pq6g8mm42p', 'POST /v2/documents', 'a token', X'77B2A005657FF5D45ED87FCA4B74A788B1BD17D8E13779EABB21951296FD3A7F', 'doc_01kdvdna0ff9tsak9781759app', 1767225611169, 1767312011169, 'EUNLIXFM7B5CXUQ63ZT6OB5ENK', 0, CAST('{"id":"doc_01kdvdna0ff9tsak9781759app","name":"Once","state":"draft","organization_id":"org_01kdvdna0gezxt32mgzryrycvf","created_at":1767225611169,"updated_at":1767225611169,"created_by":{"id":"user_01kdvdna0heemsvkas4t7dcyeb","email":"zoe@acme.example","name":"Zoë Ünal"},"updated_by":{"id":"user_01kdvdna0heemsvkas4t7dcyeb","email":"zoe@acme.example","name":"Zoë Ünal"},"files":[{"id":"file_01kdvdna0jef0avtxpt1fjd55w","name":"a.txt","type":"text/plain","upload_url":"http://objects.example/bucket/incoming/org_01kdvdna0gezxt32mgzryrycvf.doc_01kdvdna0ff9tsak9781759app.file_01kdvdna0jef0avtxpt1fjd55w"}]}' AS BLOB));
CREATE INDEX requests_document ON requests (organization, document);
CREATE INDEX requests_expires_at ON requests (expires_at);
PRAGMA user_version = 1;
