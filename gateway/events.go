package gateway

import (
	"context"

	"github.com/rectohq/recto/gateway/internal/httpapi"
	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/contract/insightapi"
)

// insightEvents implements httpapi.EventLog with the insight service's log on the bus.
type insightEvents struct{ bus *bus.Conn }

// Follow implements httpapi.EventLog.
func (l insightEvents) Follow(ctx context.Context, organization, job string, from int) (httpapi.Follower, error) {
	f, err := l.bus.Follow(ctx, insightapi.ProgressLog, organization, job, from)
	if err != nil {
		return nil, err
	}
	return f, nil
}
