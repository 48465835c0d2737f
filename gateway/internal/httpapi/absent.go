package httpapi

import (
	"time"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/problem"
)

// insights is POST /insights. The service that reads documents has no endpoints
// yet.
func (s *Server) insights(*request) error {
	return problem.New(problem.Unavailable, "The %s service does not exist in this version. Use a later one.", insightapi.Service).After(absentRetry)
}

// absentRetry is long: the service comes with a new version of the program.
const absentRetry = time.Hour
