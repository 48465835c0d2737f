package httpapi

import (
	"github.com/rectohq/recto/gateway/internal/identity"
	"github.com/rectohq/recto/libs/contract"
)

// meResponse is the response of GET /me.
type meResponse struct {
	Organization identity.Organization `json:"organization"`
	User         contract.User         `json:"user"`
	Key          meKey                 `json:"key"`
	Scopes       []contract.Scope      `json:"scopes"`
	Rate         *meRate               `json:"rate"`
}

// meKey describes the API key of a request. Times are in Unix milliseconds.
type meKey struct {
	ID        string `json:"id"`
	CreatedAt int64  `json:"created_at"`
	// ExpiresAt is null for a key that does not expire.
	ExpiresAt *int64 `json:"expires_at"`
}

// meRate is the rate limit of a key; a key without a limit has null.
type meRate struct {
	Requests      int `json:"requests"`
	PeriodSeconds int `json:"period_seconds"`
}

// me is GET /me. It describes the API key and its permissions.
func (s *Server) me(r *request) error {
	account := r.exchange.account
	answer := meResponse{
		Organization: account.Organization, User: account.User, Scopes: account.Key.Scopes,
		Key: meKey{ID: account.Key.ID, CreatedAt: account.Key.CreatedAt.UnixMilli()},
	}
	if !account.Key.ExpiresAt.IsZero() {
		expires := account.Key.ExpiresAt.UnixMilli()
		answer.Key.ExpiresAt = &expires
	}
	if account.Key.Rate != identity.Unlimited {
		answer.Rate = &meRate{Requests: int(account.Key.Rate), PeriodSeconds: 60}
	}
	return r.answer(answer, nil)
}
