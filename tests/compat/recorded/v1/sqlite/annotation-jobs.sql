CREATE TABLE jobs (
	id           TEXT NOT NULL PRIMARY KEY,
	organization TEXT NOT NULL,
	key          TEXT NOT NULL,
	subject      TEXT NOT NULL,
	lane         TEXT NOT NULL,
	state        TEXT NOT NULL,
	dead         INTEGER NOT NULL,
	created_at   INTEGER NOT NULL,
	queued_at    INTEGER NOT NULL,
	lease_ends   INTEGER NOT NULL,
	ended_at     INTEGER NOT NULL,
	revision     INTEGER NOT NULL,
	record       BLOB NOT NULL
, queued_lane TEXT NOT NULL DEFAULT '') STRICT;
INSERT INTO jobs VALUES ('job_0000000000g83rp062n076gk2t', 'org_01kdvdna01f22rqvn4pwdmvnjd', 'job_0000000000g83rp062n076gk2t', 'doc_01kdvdna00ey0t981vrv424d38', 'bulk', 'succeeded', 0, 1767225606069, 1767225606071, 0, 1767225606595, 6, CAST('{"principal":{"organization":"org_01kdvdna01f22rqvn4pwdmvnjd","user":{"id":"user_01kdvdna0nfjf97y7an50tf32x","email":"zoe@acme.example","name":"Zoë Ünal"},"key":"key_01kdvdna0pfc8be3vqexptvvqp","scopes":["*"]},"progress":1,"request":{"document_id":"doc_01kdvdna00ey0t981vrv424d38","version_number":1,"files":[{"id":"file_01kdvdna0se2xtdyjtxwhfcv5e","name":"form.pdf","type":"application/pdf","key":"content/org_01kdvdna01f22rqvn4pwdmvnjd/doc_01kdvdna00ey0t981vrv424d38/file_01kdvdna0se2xtdyjtxwhfcv5e","size":1669,"sha256":"e0f812de4a6b15234012c001f820ee05e71acdd996aa616f9ac1c9aa87af1ec5","md5":"921bcf0348e08e3d0191dbd68bf08c95","crc32c":"8a3db6b8","sealed_at":1767225602098}]},"result":{"key":"annotated/org_01kdvdna01f22rqvn4pwdmvnjd/doc_01kdvdna00ey0t981vrv424d38/job_0000000000g83rp062n076gk2t","name":"form.pdf","type":"application/pdf","document_id":"doc_01kdvdna00ey0t981vrv424d38","fields":1},"attempt":1,"tries":1,"owner":"VXZOAX3ZPLJ4QS5SA2URKK66MJ"}' AS BLOB), 'bulk');
CREATE INDEX jobs_created          ON jobs (organization, created_at, id);
CREATE INDEX jobs_ended      ON jobs (dead, ended_at) WHERE ended_at > 0;
CREATE UNIQUE INDEX jobs_key ON jobs (organization, key);
CREATE INDEX jobs_queued ON jobs (organization, queued_lane) WHERE ended_at = 0 AND queued_at > 0;
CREATE INDEX jobs_state_created    ON jobs (organization, state, created_at, id);
CREATE INDEX jobs_subject_created  ON jobs (organization, subject, created_at, id);
CREATE INDEX jobs_unfinished ON jobs (organization, lane, queued_at, created_at, id) WHERE ended_at = 0;
PRAGMA user_version = 3;
