package domain

import "time"

// SetClock replaces the clock.
func (s *Service) SetClock(now func() time.Time) { s.now = now }
