package insightapi

import (
	"fmt"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rectohq/recto/libs/nearest"
	"github.com/rectohq/recto/libs/problem"
)

// check returns the fault of a source's value, or nil.
func (k SourceKind) check(value string) *problem.Fault {
	switch k {
	case DocText:
		return checkText(value)
	case URL:
		return checkURL(value)
	default:
		return checkLongest(value, MaxIDLength)
	}
}

// checkText checks that a text is neither blank nor too long.
func checkText(text string) *problem.Fault {
	if strings.TrimSpace(text) != "" {
		return checkLongest(text, MaxTextLength)
	}
	return &problem.Fault{
		Code: problem.CodeTooShort, Message: "must not be blank",
		Resolution: "Send the text of the document.",
	}
}

// checkURL checks that address has a scheme, a host and no credentials. The fetcher
// decides whether it may be fetched.
func checkURL(address string) *problem.Fault {
	if f := checkLongest(address, MaxURLLength); f != nil {
		return f
	}
	u, err := url.Parse(address)
	f := &problem.Fault{Code: problem.CodeURLInvalid, Resolution: `Send the complete URL of a public document, for example "https://example.com/contract.pdf".`}
	switch {
	case err != nil || strings.ContainsFunc(address, isSpaceOrControl):
		f.Message = "is not a valid URL"
	case u.Scheme != "https" && u.Scheme != "http":
		f.Message = "must begin with https://"
	case u.Hostname() == "":
		f.Message = "has no host"
	case u.User != nil:
		f.Message = "must not contain a user name or password"
	default:
		return nil
	}
	return f
}

func isSpaceOrControl(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }

// checkLongest checks that s has at most limit characters.
func checkLongest(s string, limit int) *problem.Fault {
	n := utf8.RuneCountInString(s)
	if n <= limit {
		return nil
	}
	return &problem.Fault{
		Code: problem.CodeTooLong, Message: fmt.Sprintf("has %d characters; the limit is %d", n, limit),
		Resolution: fmt.Sprintf("Send at most %d characters.", limit),
	}
}

// checkCount checks that there are 1 to MaxInsights insights.
func checkCount(n int) *problem.Fault {
	switch {
	case n == 0:
		return &problem.Fault{
			Code: problem.CodeTooShort, Message: "must not be empty",
			Resolution: fmt.Sprintf("Send 1 to %d insights, each with its type.", MaxInsights),
		}
	case n > MaxInsights:
		return &problem.Fault{
			Code: problem.CodeTooLong, Message: fmt.Sprintf("has %d insights; the limit is %d", n, MaxInsights),
			Resolution: fmt.Sprintf("Send 1 to %d insights, each with its type.", MaxInsights),
		}
	}
	return nil
}

// checkKind checks that name is a known type. The fault suggests the most similar one.
func checkKind(name string) *problem.Fault {
	if Type(name).Known() {
		return nil
	}
	var known []string
	for _, t := range Types() {
		known = append(known, string(t))
	}
	resolution := fmt.Sprintf("Send one of %s.", nameList(known))
	if meant := nearest.Meant(name, known); meant != "" {
		resolution = fmt.Sprintf("Did you mean %s? %s", meant, resolution)
	}
	return &problem.Fault{Code: problem.CodeInsightTypeUnknown, Message: "is not an insight type", Resolution: resolution}
}

// checkMessage checks that a question is neither blank nor too long.
func checkMessage(message string) *problem.Fault {
	if strings.TrimSpace(message) == "" {
		return blankMessage()
	}
	return checkLongest(message, MaxMessageLength)
}

// blankMessage returns the fault of a custom_prompt without a question.
func blankMessage() *problem.Fault {
	return &problem.Fault{
		Code: problem.CodePromptRequired, Message: "must not be blank",
		Resolution: "Send the question to answer.",
	}
}
