package title

import (
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/space"
)

// documentNouns are the nouns for kinds of documents.
const documentNouns = `agreements?|contracts?|amendments?|licen[sc]es?|leases?|addend(?:um|a)|memorandum of understanding|memorandum|` +
	`statements? of work|terms and conditions|terms of (?:use|service)|polic(?:y|ies)|plan|deed|note|guarant(?:y|ee)|` +
	`power of attorney|will|bylaws|by-laws|articles|certificate|order form|purchase order|letter of intent|term sheet|` +
	`bill of sale|side letter|heads of (?:terms|agreement)|letter of engagement|engagement letter|declaration|undertaking|settlement|release|waiver|consent|assignment|proposal|charter|application|notice|resolution|schedule|appendix|warranty|offer letter|invoice|quotation|(?:filing|disclosure|privacy) statement`

// documentAcronyms are the acronyms for kinds of documents, the keys of acronyms.
const documentAcronyms = `NDA|MNDA|MSA|SOW|DPA|BAA|SLA|EULA|LOI|MOU|PSA`

// afterTitle matches the first words after a title.
const afterTitle = `(?i)[\s,(]+(?:dated\b|by and (?:between|among)\b|between\b|among\b|made (?:and|as|this|by)\b|entered into\b|effective (?:as of|date)\b|as of\b|with effect\b|` +
	`is (?:made|entered|dated)\b|\(?(?:the|this) ["“]|["“](?:the )?(?:agreement|amendment|contract)|this\b|the undersigned\b|reference is\b|whereas\b|table of contents\b|party a\b|party:|in connection with\b|in accordance with\b|pursuant to\b|_{3,}|-{3,}|- -{2,}|={3,}|\*{3,}|(?:[\w./-]+\s+){0,2}[\w./-]+:\s)`

var (
	// titleNoun matches the noun of any kind of document.
	titleNoun = regexp.MustCompile(`(?i:\b(?:` + documentNouns + `)\b)|\b(?:` + documentAcronyms + `)\b`)
	// strongNoun matches a noun that is rare in lines that are not titles.
	strongNoun = regexp.MustCompile(`(?i)\b(?:agreements?|contract|amendment|lease|addendum|memorandum|deed|statement of work|terms and conditions|terms of (?:use|service)|policy|license|licence|plan|note|guaranty|order form|purchase order|letter of intent|term sheet)\b`)
	// exhibitMark matches the marks that filings put before a document.
	exhibitMark = space.Compile(`(?i)^(?:(?:(?:exhibit|ex|annex|appendix|schedule|attachment)[\s.:#‘'"-]*(?:\d+[\d.()a-z]*|[a-z](?:-\d+)?\b)(?:\s+to\s+(?:exhibit|annex|appendix|schedule|attachment)\s+(?:\d+|[a-z])\b(?:\s*\([^()]{1,80}\))?)?|` +
		`(?:execution|final|conformed|signature) (?:copy|version|form)|draft\b|\(translation\)|(?:translation|confidential)(?:\s*[.:*(–—-]|[ \t]*\r?\n|$)|[-_=*]{3,})[\s.:’'"–—-]*)+`)
	// firstExhibit matches the same mark after other text that filings put before a
	// document.
	firstExhibit = space.Compile(`(?i)\b(?:exhibit|ex)[\s.:#-]*\d+[\d.()a-z]*[\s.:–—-]+`)
	// ownExhibit matches such a mark, and the same with "this" after it.
	ownExhibit = space.Compile(`(?i)^\W*((?:exhibit|annex|appendix|schedule|attachment)\s+\W{0,2}(?:\d{1,3}|[a-z])\b\W{0,2}?)\s+this\s+((?:exhibit|annex|appendix|schedule|attachment)\s+\W{0,2}(?:\d{1,3}|[a-z])\b)`)
	// titleEnd matches the first words after a title.
	titleEnd = space.Compile(afterTitle)
	// notTitle matches the beginning of a sentence or of a numbered section.
	notTitle = space.Compile(`(?i)^(?:encl(?:osures?)?|cc|dear|gentlemen|please|we|you|your|i|this|the|these|in|it|if|while|when|because|unless|until|section|article|and|to|under|subject)\b|^\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.)]\s|^\d+\.\d+\s`)
	// preamble matches a contract's name for itself in its first sentence.
	preamble = space.Compile(`(?i:\bthis)\s+((?:[A-Z0-9&][\pL\d&’'./-]*,?\s+(?:(?:and|of|for|the|to|in|or|on|with|&|/)\s+)*){0,14}(?:` +
		`Agreement|Contract|Amendment|Lease|Addendum|Memorandum of Understanding|Deed|License|Plan|Note|Guaranty|` +
		`AGREEMENT|CONTRACT|AMENDMENT|LEASE|ADDENDUM|MEMORANDUM OF UNDERSTANDING|DEED|LICENSE|PLAN|NOTE|GUARANTY))\b(?:\s+(?:(?i:no\.?|number)\s*\S+))?`)
	// afterNoun matches text that may follow the noun of a title.
	afterNoun = space.Compile(`(?i)^\s*(?:(?:to|for|of|on|in|regarding|with|and|no\.?|number|relating|concerning|under)\s|[#(&/–—-]|[ivx]{1,4}$|\d{1,3}$|$)`)
	// companyBefore matches the name of a company before a title.
	companyBefore = space.Compile(`^.*\b(?i:inc|incorporated|corp|corporation|llc|ltd|limited|l\.p|llp|gmbh|plc)\b\.?,?\s+`)
	// sentenceLike matches running text, and contentsLine an entry of a table of
	// contents. Neither can be a title. numbered matches a title that ends like such an
	// entry.
	sentenceLike = space.Compile(`(?i)\b(?:shall|hereby|whereas|is made|are|was|were|has been|have|pursuant|portions|confidential treatment|omitted|filed|page\s+\d|signature page|means)\b`)
	contentsLine = space.Compile(`(?i)^table of contents|\.{4,}|\s\d{1,3}$`)
	numbered     = space.Compile(`(?i)\b(?:no\.?|number|amendment|addendum)\s*#?\d{1,3}$`)
	// sentenceEnd matches the end of a sentence before another. partBreak matches what
	// separates the parts of a line that has lost its breaks, wideGap one that is space.
	sentenceEnd = regexp.MustCompile(`\pL{4}[.!?]["”)]?\s`)
	wideGap     = regexp.MustCompile(`\S\s{3,}\S`)
	partBreak   = regexp.MustCompile(`\pL{4}[.!?]["”)]?\s+|\s{3,}`)
	// connector matches the end, and leading the beginning, of a line that shares a title
	// with its neighbor.
	connector = regexp.MustCompile(`(?i)(?:\b(?:and|of|for|the|to|in|or|on|with|by)|[,&/–]|[^-]-)$`)
	leading   = regexp.MustCompile(`(?i)^(?:and|of|for|to|&|with|in|on)\b(?:[^:]|$)`)
	// companyMark matches the legal form in the name of a company.
	companyMark = regexp.MustCompile(`(?i)\b(?:inc|incorporated|corp|corporation|llc|ltd|limited|l\.?p|llp|gmbh|plc|company)\b\.?|\bco(?:[\s.,)]|$)`)
)
