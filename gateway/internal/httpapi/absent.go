package httpapi

import (
	"time"

	"github.com/rectohq/recto/libs/contract/annotationapi"
	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/problem"
)

// annotate is POST /documents/{document_id}/annotate. The service that fills
// documents has no endpoints yet.
func (s *Server) annotate(*request) error { return absent(annotationapi.Service) }

// insights is POST /insights. The service that reads documents has no endpoints
// yet.
func (s *Server) insights(*request) error { return absent(insightapi.Service) }

func absent(service string) error {
	return problem.New(problem.Unavailable, "The %s service does not exist in this version. Use a later one.", service).After(absentRetry)
}

// absentRetry is long: the service comes with a new version of the program.
const absentRetry = time.Hour
