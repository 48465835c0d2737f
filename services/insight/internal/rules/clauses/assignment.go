package clauses

import regexp "github.com/rectohq/recto/services/insight/internal/pattern"

var (
	// parts matches where a sentence turns from what it forbids to what it allows.
	parts = regexp.MustCompile(`;|\b(?:except|provided|however|but|notwithstanding|unless|otherwise)\b`)
	// assigning matches a right to assign, and assigned what is assigned.
	assigning = regexp.MustCompile(`\b(?:may|shall be entitled to|is entitled to|are entitled to|has the (?:right|discretion) to|have the right to|shall have the right to|is free to|are free to|can)\b(?:[\w, -]{0,60}?)\b(?:assign(?:ed)?|transfer(?:red)?|be assigned|assignable|transferable)\b`)
	assigned  = regexp.MustCompile(`\b(?:agreement|contract|lease|licen[sc]es?|rights|obligations|interests?|it|same|hereunder|hereof|benefit|delegate)\b`)
	// freely matches what makes a right to assign one without consent, or one to certain
	// assignees.
	freely = regexp.MustCompile(`\bfreely\b|\bto any (?:other )?(?:person|entity|third party)\b|\b(?:up)?on (?:\w+ ){0,3}notice\b|\bwithout\b[\w', -]{0,60}\b(?:consent|approval|permission)\b|\b(?:affiliates?|subsidiar(?:y|ies)|parent|successors?|merger|acquirer|purchaser|(?:all or )?substantially all|sale of|change (?:of|in) control|lenders?)\b`)
	// restricted matches what a right to assign without consent does not have.
	restricted = regexp.MustCompile(`\b(?:neither|no|nor|not|nothing|never|only)\b|\b(?:with|upon|subject to|after|obtain\w*)\b[\w', -]{0,40}\b(?:consent|approval|permission)\b`)
	// unneeded matches sentences that need no consent.
	unneeded   = regexp.MustCompile(`\b(?:consent|approval|permission)\b[\w', -]{0,60}\b(?:is|be|are)\s+(?:not|un)\s?(?:required|necessary|needed)\b|\b(?:not|no)\b[\w', -]{0,30}\b(?:require|need)\w*\b[\w', -]{0,40}\b(?:consent|approval)\b|\bno\b[\w', -]{0,30}\b(?:consent|approval)\b[\w', -]{0,60}\b(?:required|necessary|needed)\b`)
	assignment = regexp.MustCompile(`\bassign(?:s|ed|ment|able)?\b|\bfreely (?:assign|transfer)able\b`)
)

// permitsAssignment reports whether a part of a sentence permits an assignment of the
// contract without the consent of the other party, whatever the other parts forbid.
func permitsAssignment(text string) bool {
	if assignment.MatchString(text) && (unneeded.MatchString(text) || freelyAssignable.MatchString(text)) {
		return true
	}
	if excepted.MatchString(text) && assigned.MatchString(text) {
		return true
	}
	from := 0
	for _, m := range append(parts.FindAllStringIndex(text, -1), []int{len(text), len(text)}) {
		part := text[from:m[0]]
		if assigning.MatchString(part) && (assigned.MatchString(part) || from > 0 && assigned.MatchString(text)) && freely.MatchString(part) && !restricted.MatchString(part) {
			return true
		}
		from = m[1]
	}
	return false
}

// excepted matches an exception to what an assignment needs.
var excepted = regexp.MustCompile(`\bexcept (?:for|in connection with|to)\b[^.;]{0,100}\b(?:affiliate[sd]?|subsidiar(?:y|ies)|successors?|merger|sale of|sale, |conveyance|purchaser)\b`)

// freelyAssignable matches a contract that can be assigned.
var freelyAssignable = regexp.MustCompile(`\b(?:is|are|be)\s+freely\s+(?:assignable|transferable)\b`)
