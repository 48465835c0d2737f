CREATE TABLE accounts (
	organization TEXT NOT NULL,
	period       TEXT NOT NULL,
	expires_at   INTEGER NOT NULL,
	revision     INTEGER NOT NULL,
	account      BLOB NOT NULL,
	PRIMARY KEY (organization, period)
) STRICT;
CREATE TABLE completions (
	organization TEXT NOT NULL,
	job          TEXT NOT NULL,
	key          TEXT NOT NULL,
	document     TEXT NOT NULL,
	expires_at   INTEGER NOT NULL,
	data         BLOB NOT NULL,
	PRIMARY KEY (organization, job, key)
) STRICT;
CREATE TABLE fingerprint_keys (
	key         INTEGER NOT NULL,
	fingerprint INTEGER NOT NULL,
	PRIMARY KEY (key, fingerprint)
) STRICT, WITHOUT ROWID;
INSERT INTO fingerprint_keys VALUES (-1200240707781116480, 1);
INSERT INTO fingerprint_keys VALUES (-1637404315923996862, 1);
INSERT INTO fingerprint_keys VALUES (-1813861134001753974, 1);
INSERT INTO fingerprint_keys VALUES (-225350849446304420, 1);
INSERT INTO fingerprint_keys VALUES (-3563763418700521566, 1);
INSERT INTO fingerprint_keys VALUES (-3604703492861057444, 1);
INSERT INTO fingerprint_keys VALUES (-5312123955736059671, 1);
INSERT INTO fingerprint_keys VALUES (-5414295770818571349, 1);
INSERT INTO fingerprint_keys VALUES (-6053689708304278578, 1);
INSERT INTO fingerprint_keys VALUES (-6558889986430388683, 1);
INSERT INTO fingerprint_keys VALUES (-6908637839028535271, 1);
INSERT INTO fingerprint_keys VALUES (-7130938824691430525, 1);
INSERT INTO fingerprint_keys VALUES (-8053225716144433121, 1);
INSERT INTO fingerprint_keys VALUES (-8555179268389518082, 1);
INSERT INTO fingerprint_keys VALUES (-8948646983618126718, 1);
INSERT INTO fingerprint_keys VALUES (1094675547314730384, 1);
INSERT INTO fingerprint_keys VALUES (1970441170424040422, 1);
INSERT INTO fingerprint_keys VALUES (3080670472132620531, 1);
INSERT INTO fingerprint_keys VALUES (3361814707435939111, 1);
INSERT INTO fingerprint_keys VALUES (3571980315470912840, 1);
INSERT INTO fingerprint_keys VALUES (4035696648509473915, 1);
INSERT INTO fingerprint_keys VALUES (4501548265399734463, 1);
INSERT INTO fingerprint_keys VALUES (45605115137771139, 1);
INSERT INTO fingerprint_keys VALUES (4648779489132423924, 1);
INSERT INTO fingerprint_keys VALUES (5255763638472653696, 1);
INSERT INTO fingerprint_keys VALUES (5316240419449733168, 1);
INSERT INTO fingerprint_keys VALUES (5702780982280216179, 1);
INSERT INTO fingerprint_keys VALUES (6769184316948954499, 1);
INSERT INTO fingerprint_keys VALUES (7594212534980664465, 1);
INSERT INTO fingerprint_keys VALUES (7831694672103055092, 1);
INSERT INTO fingerprint_keys VALUES (8185403395956472706, 1);
INSERT INTO fingerprint_keys VALUES (9071389021306541864, 1);
INSERT INTO fingerprint_keys VALUES (997899943832648152, 1);
CREATE TABLE fingerprints (
	id           INTEGER PRIMARY KEY,
	organization TEXT NOT NULL,
	document     TEXT NOT NULL,
	version      INTEGER NOT NULL,
	source       TEXT NOT NULL,
	signature    BLOB NOT NULL,
	UNIQUE (organization, document)
) STRICT;
INSERT INTO fingerprints VALUES (1, 'org_01kdvdna01f22rqvn4pwdmvnjd', 'doc_01kdvdna00ey0t981vrv424d38', 1, '1 e0f812de4a6b15234012c001f820ee05e71acdd996aa616f9ac1c9aa87af1ec5', X'643466276179ED8B00000001B97DCEC6ACD19F1C09C32C66205D5D52B3CED1E2EABA37B8D4160E9193B2C4F9E268CEA747FD20F793E08A129232535E0F35E3E54F51FD3765AFD501A34A2FE1E723E0A9BD3A673A1CDF068C53C178A896D38E9F65F6FC071E7870E49E61FF5E08040337C2EED4996CEAB300FDACA19924FF2F687C62F7B5188EF09F7370F1481F7F319E960A78D38D4B83A0B2EAE2A60FFEA73804CFD7E10ED3E4C906D4E6443D95E4243ABCBE5BCE8EDC4A51D2D89FD9C6074E6C801A889591162ABCF8E634B015D4641A3CA5B55ADEE207D71C7BCD7D2E29F559D8B89F98C215AE8494FFE959EC4342B92B2441C4131B4401E0D19228B39F1019BC66E7E3CC0C925D3ECCF056A0B739202188115FF63BD32D1E213DF624D95C81D4261C040FC9D80A029B3F86FA753895C6750F9BE0A05C829CC1DC96D3963A583478F74F4726420F82A2CF92DAB192D28A6846E9264099D67D0EA0294D6AC9380D8507448D723DB4097C767BE8DA9CE9AB20E7349222ABA673F67550E0298780478369D1373FD3302857F0C1D15F01FA8BA7AB38E0187842C2F1129341B664596A534950341139F90A3B0DE291F8B78A0AB12A7F6B50216F8AF27A690AA8E900049E3634D4350AEE56BE0590047121B33C3C04CF143F1C5D491B09D8A80F8686CFE73D03E6DB0B944E72E7E8ACB614B7CDEC3E72BD53D019BF558FABC9EA5D5A3EF2F5E543E827756CA39A000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000');
CREATE TABLE insights (
	organization TEXT NOT NULL,
	job          TEXT NOT NULL,
	document     TEXT NOT NULL,
	created_at   INTEGER NOT NULL,
	expires_at   INTEGER NOT NULL,
	analysis     BLOB NOT NULL,
	PRIMARY KEY (organization, job)
) STRICT;
INSERT INTO insights VALUES ('org_01kdvdna01f22rqvn4pwdmvnjd', 'job_0000000000gfmv8b6f30wfpy05', '', 1767225610613, 1767226510613, CAST('{"answer":{"document_title":[{"title":"Consulting Agreement","title_source":"heading","page_number":1,"bounding_box":null,"quote":"Consulting Agreement","xml_path":"","reasoning":"A line of its own near the beginning of the document names a type of document.","confidence_score":0.74}],"document_type":[{"document_type":"Consulting Agreement","page_number":1,"bounding_box":null,"quote":"Consulting Agreement","xml_path":"","reasoning":"The document states its type here.","confidence_score":0.798}],"document_ids":{"md5_hash":"cc184e7e4263c51e14cbd50b8f65b548","crc32c":"28ebd3b5","docx_guid":null,"create_datetime":1795633482.101,"PDF_HBREF":null,"mime_type":"text/plain"},"document_parties":[{"party_index":0,"party_name":"Acme Ltd","reference_name":null,"party_role":null,"party_kind":"organization","jurisdiction":null,"address":null,"insertion_positions":[{"start":48,"end":56}],"page_number":1,"bounding_box":null,"quote":"Acme Ltd","xml_path":"","reasoning":"The beginning of the document names this party.","confidence_score":0.92},{"party_index":1,"party_name":"Zenith GmbH.","reference_name":null,"party_role":null,"party_kind":"organization","jurisdiction":null,"address":null,"insertion_positions":[{"start":61,"end":99}],"page_number":1,"bounding_box":null,"quote":"Zenith GmbH. It begins on 1 March 2026","xml_path":"","reasoning":"The beginning of the document names this party.","confidence_score":0.92}],"document_signers":[],"document_fields":[],"document_fields_pages":{},"document_clauses":[{"clause_type":"Governing Law","clause_description":"Governed by the laws of Germany.","paragraph_index":"3","insertion_positions":[{"start":163,"end":212}],"page_number":1,"bounding_box":null,"quote":"This agreement is governed by the law of Germany.","xml_path":"","reasoning":"The sentence says which law governs the contract.","confidence_score":0.95}],"custom_prompt":[{"message":"Which law governs the agreement?","value":"Germany","quote":"This agreement is governed by the law of Germany.","page_number":1,"bounding_box":null,"xml_path":"","reasoning":"The sentence says which law governs the contract.","confidence_score":0.95}],"contract_values":[{"contract_value_type":"fee","contract_value_label":"Fee","contract_value":12500,"currency":"EUR","contract_value_usd":14695,"insertion_positions":[{"start":112,"end":125}],"page_number":1,"bounding_box":null,"quote":"EUR 12,500.00","xml_path":"","reasoning":"The document states this amount: fee. Its value in US dollars uses the exchange rate of 2025-07-24.","confidence_score":0.8}],"document_dates":[{"date_type":"effective","date_label":"Start date","date_value":"2026-03-01","date_epochms":1743915327848,"insertion_positions":[{"start":87,"end":99}],"page_number":1,"bounding_box":null,"quote":"1 March 2026","xml_path":"","reasoning":"The text before the date says when something starts.","confidence_score":0.7},{"date_type":"execution","date_label":"Date of the agreement","date_value":"2026-03-01","date_epochms":1743915327848,"insertion_positions":[{"start":87,"end":99}],"page_number":1,"bounding_box":null,"quote":"1 March 2026","xml_path":"","reasoning":"No separate date of the agreement was found.","confidence_score":0.6}],"limit_of_liability":[],"renewal_term_length":[],"payments":[{"payment_type":"one_time","payment_label":"Fee, within 30 days","payment_value":"EUR 12,500.00","payment_value_number":12500,"payment_value_usd":14695,"payment_currency":"EUR","page_number":1,"bounding_box":null,"quote":"The fee is EUR 12,500.00, due within 30 days.","xml_path":"","reasoning":"The sentence requires this amount to be paid. Its value in US dollars uses the exchange rate of 2025-07-24.","confidence_score":0.9}],"organization_matching_documents":[]},"shown":{"key":"insights/org_01kdvdna01f22rqvn4pwdmvnjd/job_0000000000gfmv8b6f30wfpy05/source","name":"document.txt","type":"text/plain; charset=utf-8"}}' AS BLOB));
INSERT INTO insights VALUES ('org_01kdvdna01f22rqvn4pwdmvnjd', 'job_0000000000gd78zcpyjsdpejm5', 'doc_01kdvdna00ey0t981vrv424d38', 1767225610892, 1767312010892, CAST('{"answer":{"document_ids":{"md5_hash":"921bcf0348e08e3d0191dbd68bf08c95","crc32c":"8a3db6b8","docx_guid":null,"create_datetime":1795633474.25,"PDF_HBREF":null,"mime_type":"application/pdf"},"document_fields":[{"signer_index":null,"signer_id":"","field_id":"agreementinput-field_1-654507f0d543","field_type":"FREETEXTINPUT","field_label":"field_1","field_value":"","page_number":1,"bounding_box":{"page":1,"left":0.22222,"top":0.03282,"width":0.24511,"height":0.03284},"quote":"","xml_path":"","reasoning":"The PDF has a form field here.","confidence_score":1},{"signer_index":null,"signer_id":"","field_id":"agreementinput-field_2-a9dcde275dfb","field_type":"FREETEXTINPUT","field_label":"field_2","field_value":"","page_number":1,"bounding_box":{"page":1,"left":0.66339,"top":0.03282,"width":0.24511,"height":0.03284},"quote":"","xml_path":"","reasoning":"The PDF has a form field here.","confidence_score":1},{"signer_index":null,"signer_id":"","field_id":"agreementinput-client","field_type":"SIGNATUREINPUT","field_label":"Signature of the client","field_value":"","page_number":1,"bounding_box":{"page":1,"left":0.1,"top":0.8,"width":0.25,"height":0.05},"quote":"","xml_path":"","reasoning":"The field registry of the document has a field here.","confidence_score":1}],"document_fields_pages":null,"custom_prompt":null},"shown":{"key":"content/org_01kdvdna01f22rqvn4pwdmvnjd/doc_01kdvdna00ey0t981vrv424d38/file_01kdvdna0se2xtdyjtxwhfcv5e","name":"form.pdf","type":"application/pdf"}}' AS BLOB));
CREATE INDEX accounts_expiry ON accounts (expires_at);
CREATE INDEX accounts_period ON accounts (period);
CREATE INDEX completions_document ON completions (organization, document);
CREATE INDEX completions_expiry ON completions (expires_at);
CREATE INDEX fingerprint_keys_of ON fingerprint_keys (fingerprint);
CREATE INDEX insights_document ON insights (organization, document);
CREATE INDEX insights_expiry ON insights (expires_at);
PRAGMA user_version = 3;
