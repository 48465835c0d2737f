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
INSERT INTO jobs VALUES ('job_0000000000gfmv8b6f30wfpy05', 'org_01kdvdna01f22rqvn4pwdmvnjd', '8d1388c06c2ee00018bd00a41edf8089acece654f6eb2f56c40a4918b4b274af', '', 'interactive', 'succeeded', 0, 1767225609952, 1767225609953, 0, 1767225610614, 22, CAST('{"principal":{"organization":"org_01kdvdna01f22rqvn4pwdmvnjd","user":{"id":"user_01kdvdna0nfjf97y7an50tf32x","email":"zoe@acme.example","name":"Zoë Ünal"},"key":"key_01kdvdna0pfc8be3vqexptvvqp","scopes":["*"]},"progress":1,"request":{"material":{"kind":"doc_text","files":[{"id":"","name":"document.txt","type":"text/plain; charset=utf-8","key":"insights/org_01kdvdna01f22rqvn4pwdmvnjd/job_0000000000gfmv8b6f30wfpy05/source","size":213,"sha256":"fb9f2b1cea752c7c1bdce57c78d5131913ba30619e32a7542c304a3b9b4d7581","md5":"cc184e7e4263c51e14cbd50b8f65b548","crc32c":"28ebd3b5","sealed_at":1767225609949}]},"question":{"requests":[{"type":"document_title"},{"type":"document_type"},{"type":"document_ids"},{"type":"document_parties"},{"type":"document_signers"},{"type":"document_fields"},{"type":"document_fields_pages"},{"type":"document_clauses"},{"type":"custom_prompt","message":"Which law governs the agreement?"},{"type":"contract_values"},{"type":"document_dates"},{"type":"limit_of_liability"},{"type":"renewal_term_length"},{"type":"payments"},{"type":"organization_matching_documents"}],"context":"We are Acme.","organization":"Acme","user":"user_01kdvdna0nfjf97y7an50tf32x"}},"result":{"job_id":"job_0000000000gfmv8b6f30wfpy05"},"attempt":1,"tries":1,"owner":"LRXBFLLMRIZOBW7I25B4ALXPWP"}' AS BLOB), 'interactive');
INSERT INTO jobs VALUES ('job_0000000000gd78zcpyjsdpejm5', 'org_01kdvdna01f22rqvn4pwdmvnjd', '56ee7206585d7694924caffe4ccd64d176809a550a79804702dfb62a7ed4feee', 'doc_01kdvdna00ey0t981vrv424d38', 'bulk', 'succeeded', 0, 1767225610616, 1767225610616, 0, 1767225610905, 9, CAST('{"principal":{"organization":"org_01kdvdna01f22rqvn4pwdmvnjd","user":{"id":"user_01kdvdna0nfjf97y7an50tf32x","email":"zoe@acme.example","name":"Zoë Ünal"},"key":"key_01kdvdna0pfc8be3vqexptvvqp","scopes":["*"]},"progress":1,"request":{"material":{"kind":"document_id","document_id":"doc_01kdvdna00ey0t981vrv424d38","name":"Renamed form","version_number":1,"fields":"0becb3ad0c539cdb43979f181359a8c7b3696754565ed090a9e02e2f11b69445","files":[{"id":"file_01kdvdna0se2xtdyjtxwhfcv5e","name":"form.pdf","type":"application/pdf","key":"content/org_01kdvdna01f22rqvn4pwdmvnjd/doc_01kdvdna00ey0t981vrv424d38/file_01kdvdna0se2xtdyjtxwhfcv5e","size":1669,"sha256":"e0f812de4a6b15234012c001f820ee05e71acdd996aa616f9ac1c9aa87af1ec5","md5":"921bcf0348e08e3d0191dbd68bf08c95","crc32c":"8a3db6b8","sealed_at":1767225602098}]},"question":{"requests":[{"type":"document_ids"},{"type":"document_fields"}]}},"result":{"job_id":"job_0000000000gd78zcpyjsdpejm5","document_id":"doc_01kdvdna00ey0t981vrv424d38"},"attempt":1,"tries":1,"owner":"FVEGIPDDOGL666TZRVZTDUDG6V"}' AS BLOB), 'bulk');
CREATE INDEX jobs_created          ON jobs (organization, created_at, id);
CREATE INDEX jobs_ended      ON jobs (dead, ended_at) WHERE ended_at > 0;
CREATE UNIQUE INDEX jobs_key ON jobs (organization, key);
CREATE INDEX jobs_queued ON jobs (organization, queued_lane) WHERE ended_at = 0 AND queued_at > 0;
CREATE INDEX jobs_state_created    ON jobs (organization, state, created_at, id);
CREATE INDEX jobs_subject_created  ON jobs (organization, subject, created_at, id);
CREATE INDEX jobs_unfinished ON jobs (organization, lane, queued_at, created_at, id) WHERE ended_at = 0;
PRAGMA user_version = 3;
