package insight

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/rectohq/recto/libs/runner"
	"github.com/rectohq/recto/services/insight/internal/llm/provider"
)

// checkModel sends a short prompt, without a document, to the language model. Only an answer
// shows that the address, the key and the name of the model are right, and that the model
// answers in the required form.
func checkModel(ctx context.Context, cfg provider.Config) (string, error) {
	if !cfg.Enabled() {
		return "not configured: documents are read by rules and sent nowhere", nil
	}
	if len(cfg.Validate()) > 0 {
		return "", &runner.Advice{Err: errors.New("its settings are not valid"), Fix: "Correct the INSIGHT_MODEL variables that the environment check lists"}
	}
	client, err := provider.New(cfg)
	if err != nil {
		return "", err
	}
	defer client.Close()
	// A server that sends a little now and then keeps each wait short.
	ctx, cancel := context.WithTimeout(ctx, checkWaits*cfg.Timeout)
	defer cancel()
	begin := time.Now()
	if err := client.Check(ctx); err != nil {
		return "", &runner.Advice{Err: fmt.Errorf("%s at %s: %s", cfg.Name(), cfg.Host(), strings.TrimPrefix(err.Error(), "the language model: ")), Fix: adviseModel(err)}
	}
	whose := "all organizations"
	if n := len(cfg.Organizations); n > 0 {
		whose = fmt.Sprintf("the organizations in INSIGHT_MODEL_ORGANIZATIONS (%d)", n)
	}
	return fmt.Sprintf("%s at %s answered in %d ms; documents of %s may be sent to it", cfg.Name(), cfg.Host(), time.Since(begin).Milliseconds(), whose), nil
}

// checkWaits is how many waits for the language model the check takes at most.
const checkWaits = 2

// adviseModel returns what to do about an error of the language model.
func adviseModel(err error) string {
	var failed *provider.Error
	if !errors.As(err, &failed) {
		return "Raise INSIGHT_MODEL_TIMEOUT if the model is slow"
	}
	switch failed.Kind {
	case provider.TimedOut:
		return "Look whether the server is still loading the model; raise INSIGHT_MODEL_TIMEOUT if it is slow"
	case provider.Unavailable:
		return adviseUnavailable(failed.Status)
	case provider.Denied:
		return adviseDenied(failed.Status)
	case provider.TooLong:
		return "Raise INSIGHT_MODEL_OUTPUT; a model that thinks before it answers needs more"
	case provider.Invalid:
		return "Set INSIGHT_MODEL_FORMAT to what the server supports, or INSIGHT_MODEL to a model that follows a JSON schema"
	default:
		return "Set INSIGHT_MODEL to another model"
	}
}

// adviseUnavailable returns what to do about a provider that answers with the HTTP status,
// or not at all if it is 0.
func adviseUnavailable(status int) string {
	switch status {
	case 0:
		return "Check INSIGHT_MODEL_URL, and that this machine may connect to it; Recto uses no proxy"
	case http.StatusOK:
		return "Check INSIGHT_MODEL_PROVIDER, which names the protocol, and the path in INSIGHT_MODEL_URL, such as /v1"
	case http.StatusTooManyRequests:
		return "Try again later, or raise the limits of the account that INSIGHT_MODEL_KEY belongs to"
	}
	return "Try again later, and read the log of the server at INSIGHT_MODEL_URL"
}

// adviseDenied returns what to do about a provider that rejects a request with the HTTP
// status.
func adviseDenied(status int) string {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return "Check INSIGHT_MODEL_KEY: it may have expired, or may not use this model"
	case http.StatusNotFound:
		return "Check INSIGHT_MODEL, and the path in INSIGHT_MODEL_URL, such as /v1"
	}
	return "Check INSIGHT_MODEL_URL, INSIGHT_MODEL_KEY and INSIGHT_MODEL"
}
