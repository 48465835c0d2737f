CREATE TABLE found (
	organization TEXT NOT NULL,
	document     TEXT NOT NULL,
	sha256       TEXT NOT NULL,
	version      TEXT NOT NULL,
	used_at      INTEGER NOT NULL,
	record       BLOB NOT NULL,
	PRIMARY KEY (organization, document, sha256, version)
) STRICT;
INSERT INTO found VALUES ('org_01kdvdna01f22rqvn4pwdmvnjd', 'doc_01kdvdna00ey0t981vrv424d38', 'e0f812de4a6b15234012c001f820ee05e71acdd996aa616f9ac1c9aa87af1ec5', 'docx-4 pdf-4.2', 1767225604116, CAST('{"fields":[{"id":"agreementinput-field_1-654507f0d543","type":"text","label":"field_1","source":"acroform","places":[{"page":1,"box":{"Left":0.222222,"Top":0.032828,"Right":0.467321,"Bottom":0.065657},"widget":0}]},{"id":"agreementinput-field_2-a9dcde275dfb","type":"text","label":"field_2","source":"acroform","places":[{"page":1,"box":{"Left":0.663398,"Top":0.032828,"Right":0.908497,"Bottom":0.065657},"widget":1}]}],"pages":[{"width":612,"height":792}]}' AS BLOB));
CREATE TABLE registries (
	organization TEXT NOT NULL,
	document     TEXT NOT NULL,
	revision     INTEGER NOT NULL,
	record       BLOB NOT NULL,
	PRIMARY KEY (organization, document)
) STRICT;
INSERT INTO registries VALUES ('org_01kdvdna01f22rqvn4pwdmvnjd', 'doc_01kdvdna00ey0t981vrv424d38', 1, CAST('[{"field_id":"agreementinput-client","type":"signature","label":"Signature of the client","required":false,"page_number":1,"bounding_box":{"page":1,"left":0.1,"top":0.8,"width":0.25,"height":0.05}}]' AS BLOB));
CREATE INDEX found_used ON found (used_at);
PRAGMA user_version = 1;
