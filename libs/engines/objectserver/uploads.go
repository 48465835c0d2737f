package objectserver

import (
	"bufio"
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/rectohq/recto/libs/blob"
)

// Uploads holds the rules for uploads through presigned URLs. They do not apply to
// requests that are signed in their header, as those of the services are.
type Uploads struct {
	// SealedKey returns the key of the object that an upload becomes when it is
	// sealed, and false if the key does not belong to an upload. Once the sealed
	// object exists, uploads are refused. If SealedKey is nil, no key belongs to an
	// upload.
	SealedKey func(key string) (string, bool)
	// MaxSize is the largest upload, in bytes.
	MaxSize int64
}

// uploads is the handler in front of the proxy. It verifies a presigned URL by
// computing its signature, so that a client without one cannot learn or write
// anything. All other requests go to versitygw, which checks every signature itself.
type uploads struct {
	cfg     Config
	objects headObject
	proxy   http.Handler
}

// headObject is the part of the backend that returns the properties of an object.
type headObject interface {
	HeadObject(ctx context.Context, input *s3.HeadObjectInput) (*s3.HeadObjectOutput, error)
}

// ServeHTTP implements http.Handler.
func (u *uploads) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength != 0 {
		body := newRequestBody(r)
		r.Body = body
		_ = http.NewResponseController(w).EnableFullDuplex() // HTTP/1 always supports it
		defer body.finish(w)
	}
	switch target, isUpload := u.target(r); {
	case isUpload && u.signed(r, http.MethodPut):
		u.put(w, r, target)
	case r.Method == http.MethodHead && u.signed(r, http.MethodGet):
		// The signature covers the method, and download URLs are signed for GET.
		get := r.Clone(context.WithValue(r.Context(), headerOnly{}, true))
		get.Method = http.MethodGet
		u.proxy.ServeHTTP(w, get)
	default:
		u.proxy.ServeHTTP(w, r)
	}
}

// headerOnly is the context key that marks a request for headers only.
type headerOnly struct{}

// target is the destination of an upload.
type target struct{ bucket, sealedKey string }

// target returns the destination of an upload, and false if r is not an upload.
func (u *uploads) target(r *http.Request) (target, bool) {
	if r.Method != http.MethodPut || u.cfg.Uploads.SealedKey == nil {
		return target{}, false
	}
	bucket, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	sealed, ok := u.cfg.Uploads.SealedKey(key)
	return target{bucket, sealed}, ok
}

// clockSkew is how far the signer's clock may be ahead.
const clockSkew = 15 * time.Minute

// signed reports whether the URL of a request carries the account's signature for
// the method and has not expired.
func (u *uploads) signed(r *http.Request, method string) bool {
	query := r.URL.Query()
	signature := query.Get("X-Amz-Signature")
	date, dateErr := time.Parse("20060102T150405Z", query.Get("X-Amz-Date"))
	seconds, expiresErr := strconv.ParseInt(query.Get("X-Amz-Expires"), 10, 32)
	now := time.Now()
	if signature == "" || dateErr != nil || expiresErr != nil ||
		now.Before(date.Add(-clockSkew)) || now.After(date.Add(time.Duration(seconds)*time.Second)) {
		return false
	}
	query.Del("X-Amz-Signature")
	unsigned := &http.Request{
		Method: method, Host: r.Host, Header: http.Header{},
		URL: &url.URL{Scheme: "https", Host: r.Host, Path: r.URL.Path, RawPath: r.URL.RawPath, RawQuery: query.Encode()},
	}
	credentials := aws.Credentials{AccessKeyID: u.cfg.AccessKey, SecretAccessKey: u.cfg.SecretKey}
	again, _, err := v4.NewSigner().PresignHTTP(r.Context(), credentials, unsigned, "UNSIGNED-PAYLOAD", "s3", u.cfg.Region, date,
		func(o *v4.SignerOptions) { o.DisableURIPathEscaping = true })
	if err != nil {
		return false
	}
	signedURL, err := url.Parse(again)
	return err == nil && subtle.ConstantTimeCompare([]byte(signedURL.Query().Get("X-Amz-Signature")), []byte(signature)) == 1
}

// put serves an upload.
func (u *uploads) put(w http.ResponseWriter, r *http.Request, t target) {
	if _, sealed := u.etag(r.Context(), t); sealed {
		errSealed.answer(w)
		return
	}
	if r.ContentLength > u.cfg.Uploads.MaxSize {
		u.tooLarge(fmt.Sprintf("%d bytes", r.ContentLength)).answer(w)
		return
	}
	if r.ContentLength == 0 { // stored but never sealed: the next upload replaces it
		u.proxy.ServeHTTP(w, r)
		return
	}
	body := bufio.NewReaderSize(r.Body, blob.FormHead)
	head, err := body.Peek(blob.FormHead)
	if err != nil && !errors.Is(err, io.EOF) {
		errBroken.answer(w)
		return
	}
	if blob.IsForm(r.Header.Get("Content-Type"), head) {
		errForm.answer(w)
		return
	}
	out := r.Clone(r.Context())
	out.Body = io.NopCloser(body)
	if strings.HasPrefix(strings.ToLower(out.Header.Get("Content-Type")), "multipart/") {
		out.Header.Set("Content-Type", "application/octet-stream") // versitygw would parse the body as a form and store nothing
	}
	if r.ContentLength < 0 {
		file, refused := u.spool(out)
		if refused != nil {
			refused.answer(w)
			return
		}
		defer file.Close()
	}
	u.proxy.ServeHTTP(w, out)
}

// spool copies a body of unknown length into an unnamed file and makes the file the
// body of the request, because S3 requires a length. The caller closes the file
// after the request.
func (u *uploads) spool(r *http.Request) (*os.File, *refusal) {
	file, err := os.CreateTemp(spool(u.cfg.Dir), "upload-")
	if err != nil {
		return nil, errNotStored
	}
	err = os.Remove(file.Name()) // now, so that nothing is left behind if the process dies
	size := int64(0)
	if err == nil {
		size, err = io.Copy(file, io.LimitReader(r.Body, u.cfg.Uploads.MaxSize+1))
	}
	var broken *brokenBody
	refused := errNotStored
	switch {
	case errors.As(err, &broken):
		refused = errBroken
	case err == nil && size > u.cfg.Uploads.MaxSize:
		refused = u.tooLarge("more bytes than allowed")
	case err == nil:
		if _, err = file.Seek(0, io.SeekStart); err == nil {
			r.Body, r.ContentLength, r.TransferEncoding = io.NopCloser(file), size, nil
			return file, nil
		}
	}
	_ = file.Close() // the upload is refused in any case
	return nil, refused
}

// etag returns the entity tag of the sealed object, and false if there is none.
func (u *uploads) etag(ctx context.Context, t target) (string, bool) {
	object, err := u.objects.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &t.bucket, Key: &t.sealedKey})
	if err != nil {
		return "", false // if it does exist, the upload has no effect
	}
	return strings.Trim(aws.ToString(object.ETag), `"`), true
}

// modify handles the responses of versitygw. It refuses an upload if the file was
// sealed with other bytes while the upload was in progress. The uploaded bytes are
// then not used.
func (u *uploads) modify(answer *http.Response) error {
	// The clock of versitygw's HTTP server ticks once a second, so its Date may be before the
	// Last-Modified of a new object, which RFC 9110 forbids. Without it, net/http sends the
	// exact time.
	answer.Header.Del("Date")
	r := answer.Request
	if r.Context().Value(headerOnly{}) != nil {
		err := answer.Body.Close()
		answer.Body = http.NoBody
		return err
	}
	t, isUpload := u.target(r)
	if !isUpload || answer.StatusCode != http.StatusOK {
		return nil
	}
	etag, sealed := u.etag(r.Context(), t)
	if sealed && etag != strings.Trim(answer.Header.Get("ETag"), `"`) {
		return errSealed
	}
	return nil
}
