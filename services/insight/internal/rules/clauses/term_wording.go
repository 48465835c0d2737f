package clauses

// plainTerm is the wording in which contracts that are no agreements by name, or that are in plain
// words, say how long they last: "Your engagement runs for nine months".
var plainTerm = without(either(
	both(followed(`(?:^|[.:;)] )(?:the|this|your|our) (?:(?:[\w-]+ )?(?:engagement|appointment|employment|subscription|services?|project|tenancy|hire|mou|memorandum|sow|statement of work|guaranty|guarantee|arrangement|licen[sc]e|placement|programme|charter)|(?:initial |fixed |contract |subscription |licen[sc]e |commitment |minimum |hire |rental )?(?:term|period)|agreement|contract|lease)\b`,
		`^ (?:(?:shall|will|to) (?:be deemed to )?)?(?:have )?(?:runs?|lasts?|continues?d?|begins?|begun|commenced?s?|starts?|subsists?|endures?|remains? in|stays? in|comes? into|come into|takes? effect|is effective|has a (?:fixed )?(?:term|duration)|is for an?|carr(?:y|ies) on|ends?|expires?)\b`, 60, ``),
		lasting),
	both(has(`\b(?:leases?|lets?|hires?|appoints?|engages?|employs?|grants?|retains?)\b[^.;]{0,160}\bfor (?:an? )?(?:\w+ )?(?:term|period) of\b[^.;]{0,40}\b(?:years?|months?|weeks?)\b`), has(`\b(?:commenc|beginn|start)\w+\b|\bfrom the\b`)),
), has(`\b(?:if|in the event|party may|parties may|either party|upon (?:such )?termination|after (?:the )?termination|surviv\w+|confidential\w*|warrant\w*|insurance|not (?:begin|commence|start))\b`))
