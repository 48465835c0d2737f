package blob_test

import (
	"errors"
	"fmt"
	"net/http"
	"testing"

	"github.com/minio/minio-go/v7"

	"github.com/rectohq/recto/libs/blob"
)

// TestIsRefusal distinguishes permanent refusals from transient errors.
func TestIsRefusal(t *testing.T) {
	for status, want := range map[int]bool{
		http.StatusForbidden: true, http.StatusConflict: true, http.StatusRequestTimeout: false,
		http.StatusTooManyRequests: false, http.StatusInternalServerError: false, http.StatusServiceUnavailable: false, 0: false,
	} {
		err := fmt.Errorf("put: %w", minio.ErrorResponse{StatusCode: status})
		if got := blob.IsRefusal(err); got != want {
			t.Errorf("status %d: %t", status, got)
		}
	}
	if blob.IsRefusal(errors.New("connection refused")) || blob.IsRefusal(nil) {
		t.Error("an error without a response is taken for a refusal")
	}
}
