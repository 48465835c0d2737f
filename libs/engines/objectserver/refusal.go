package objectserver

import (
	"encoding/xml"
	"errors"
	"fmt"
	"net/http"
	"strconv"
)

// refusal is a response that refuses a request.
type refusal struct {
	status        int
	code, message string
}

// Error implements error.
func (r *refusal) Error() string { return r.code + ": " + r.message }

// The refusals of uploads.
var (
	errSealed = &refusal{http.StatusConflict, "AlreadySealed",
		"The content of this file is sealed and cannot change. To upload other content, create a new version of the document."}
	errForm = &refusal{http.StatusUnsupportedMediaType, "UnsupportedMediaType",
		"The body is a multipart form. Send the raw bytes of the file: curl -T file, not curl -F."}
	errBroken = &refusal{http.StatusBadRequest, "IncompleteBody",
		"The body ended early or is not well-formed. Retry the request."}
	errNotStored = &refusal{http.StatusServiceUnavailable, "ServiceUnavailable",
		"The upload could not be stored. Retry later."}
	errNoAnswer = &refusal{http.StatusServiceUnavailable, "ServiceUnavailable",
		"The object store did not answer. Retry later."}
)

// tooLarge refuses an upload. size is its size in words.
func (u *uploads) tooLarge(size string) *refusal {
	return &refusal{http.StatusRequestEntityTooLarge, "EntityTooLarge",
		fmt.Sprintf("The file has %s; the limit is %d bytes. Send a smaller file.", size, u.cfg.Uploads.MaxSize)}
}

// answer responds with the refusal in the format of S3 errors, and announces that
// the connection is closed.
func (r *refusal) answer(w http.ResponseWriter) {
	w.Header().Set("Connection", "close")
	r.write(w)
}

// write writes the refusal as the response.
func (r *refusal) write(w http.ResponseWriter) {
	body, err := xml.Marshal(struct {
		XMLName xml.Name `xml:"Error"`
		Code    string
		Message string
	}{Code: r.code, Message: r.message})
	if err != nil { // cannot happen: any text can be encoded
		body = nil
	}
	body = append([]byte(xml.Header), body...)
	w.Header().Set("Content-Type", "application/xml")
	w.Header().Set("Content-Length", strconv.Itoa(len(body))) // the response ends before the handler returns
	w.WriteHeader(r.status)
	_, _ = w.Write(body) // fails only if the client has disconnected
}

// failed responds when versitygw did not respond, or when modify rejected its response.
func failed(w http.ResponseWriter, _ *http.Request, err error) {
	refused := errNoAnswer
	_ = errors.As(err, &refused) // otherwise keep errNoAnswer
	refused.write(w)
}
