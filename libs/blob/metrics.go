package blob

import (
	"context"
	"errors"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
)

// newRequests returns the metric for requests to the object store. Each attempt counts, up
// to the start of its response: how long the bytes take depends on their number.
func newRequests() *prometheus.HistogramVec {
	return prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "recto_objects_request_duration_seconds", Help: "Time from a request to the object store to the start of its response.",
		Buckets: []float64{.001, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30},
	}, []string{"operation", "outcome"})
}

// operation returns what a request does: get, stat, put, remove, list or configure, which is
// everything else, such as creating the bucket or reading its rules.
func operation(r *http.Request) string {
	query := r.URL.Query()
	switch {
	case query.Has("list-type"):
		return "list"
	case r.Method == http.MethodHead:
		return "stat"
	case query.Has("partNumber") || query.Has("uploadId") || query.Has("uploads"):
		return "put"
	case query.Has("lifecycle") || query.Has("cors") || query.Has("location"):
		return "configure"
	case r.Method == http.MethodGet:
		return "get"
	case r.Method == http.MethodPut:
		return "put"
	case r.Method == http.MethodDelete:
		return "remove"
	}
	return "configure"
}

// outcome returns ok, refused, canceled or failed. That an object does not exist, or exists
// already, is a result like any other. The object store refuses what the credentials do not
// permit. A request is canceled by its caller, and fails by the store or the way to it.
func outcome(r *http.Request, response *http.Response, err error) string {
	switch {
	case err != nil && errors.Is(context.Cause(r.Context()), context.Canceled):
		return "canceled"
	case err != nil || passes(response.StatusCode):
		return "failed"
	case response.StatusCode >= http.StatusBadRequest && response.StatusCode != http.StatusNotFound && response.StatusCode != http.StatusPreconditionFailed:
		return "refused"
	}
	return "ok"
}
