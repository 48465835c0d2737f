package domain

import "time"

// SetNow sets the clock of a service.
func (s *Service) SetNow(now func() time.Time) { s.now = now }

// Hold exports hold for tests.
var Hold = (*Service).hold
