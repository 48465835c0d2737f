package telemetry

import (
	"bytes"
	"log"
	"log/slog"
)

// TakeStandardLog lets what libraries write to the log package of Go become
// lines of the log like all others, at DEBUG: they tell of what is dealt with
// elsewhere. It is for who runs a process, which has one such log.
func (t *Telemetry) TakeStandardLog() {
	log.SetFlags(0)
	log.SetOutput(standardLog{t.Log})
}

// standardLog writes what it is given as lines of a log.
type standardLog struct{ log *slog.Logger }

// Write implements io.Writer.
func (s standardLog) Write(p []byte) (int, error) {
	s.log.Debug("a library reports", "text", string(bytes.TrimSpace(p)))
	return len(p), nil
}
