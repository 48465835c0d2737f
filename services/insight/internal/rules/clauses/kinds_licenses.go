package clauses

import regexp "github.com/rectohq/recto/services/insight/internal/pattern"

// licenseRules are the kinds that say how far a license goes, and who owns what is made.
var licenseRules = []rule{
	{
		kind: "Irrevocable Or Perpetual License", any: []string{"irrevocabl", "perpetual"},
		all:  patterns(`\b(?:irrevocabl[ey]|perpetual(?:ly)?)\b`, `\b(?:sub)?licen[sc]e[sd]?\b|\brights? to use\b`, `\b(?:grants?|granted|granting|licenses|licensed|have|has|retains?|receives?)\b`),
		not:  regexp.MustCompile(`\b(?:not (?:a )?(?:irrevocable|perpetual)|letters? of credit|prox(?:y|ies)|power of attorney|attorney-in-fact)\b`),
		says: "A license is irrevocable or perpetual.", confidence: 0.92,
	},
	{
		kind: "Non-Transferable License", any: []string{"transferable", "transferrable", "assignable", "sublicens"},
		all: patterns(`\bnon-?\s?(?:transferr?able|assignable|sublicens[ae]able)\b|\bnot (?:be )?(?:transferr?able|assignable|sublicens[ae]able)\b|`+
			`\b(?:no|without the) right to (?:grant )?sublicens|\b(?:shall|may|will) not\b[^.;]{0,60}\bsublicens\w*\b|\bwithout\b[^.;]{0,20}\bright\b[^.;]{0,20}\bsublicens`, `\blicen[sc]e[sd]?\b|\brights? to use\b`),
		says: "A license may not be transferred.", confidence: 0.88,
	},
	{
		kind: "Joint IP Ownership", any: []string{"joint", "co-own"},
		all: patterns(`\bjoint(?:ly)?\b[^.;]{0,60}\bown(?:s|ed|ers?|ership)?\b|\bown(?:s|ed|ers?|ership)?\b[^.;]{0,60}\bjoint(?:ly)?\b|\bco-own\w*\b`,
			`\b(?:intellectual property|patents?|inventions?|copyrights?|improvements?|technology|know-how|developments?|work product|works?|materials?|data|content|marks?|trademarks?|results)\b`),
		not:  regexp.MustCompile(`\bjointly owned (?:subsidiar|compan|entit)`),
		says: "Intellectual property is owned jointly.", confidence: 0.58,
	},
	{
		kind: "Affiliate License-Licensee", any: []string{"affiliate", "subsidiar"},
		all: patterns(`\b(?:grants?|granted)\b[^.;]{0,60}\bto\b[^.;]{0,80}\b(?:affiliates?|subsidiar(?:y|ies))\b[^.;]{0,200}\b(?:licen[sc]e|rights? to use)\b|` +
			`\b(?:sublicens\w+|licen[sc]e[sd]?)\b[^.;]{0,80}\bto\b[^.;]{0,40}\b(?:affiliates?|subsidiar(?:y|ies))\b|` +
			`\blicen[sc]e\b[^.;]{0,120}\b(?:for|by)\b[^.;]{0,40}\b(?:its|their)\s+(?:\w+\s+)?(?:affiliates|subsidiaries)\b`),
		says: "A license extends to affiliates of the licensee.", confidence: 0.35,
	},
}
