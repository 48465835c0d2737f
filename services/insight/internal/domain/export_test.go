package domain

import "time"

// SetNow sets the clock of a Service.
func (s *Service) SetNow(now func() time.Time) { s.now = now }
