package blob_test

import (
	"errors"
	"fmt"
	"net/http"
	"testing"

	"github.com/minio/minio-go/v7"

	"github.com/rectohq/recto/libs/blob"
)

// TestIsRefusal tells what trying again does not mend from what it may.
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
		t.Error("what is no answer is taken for a refusal")
	}
}
