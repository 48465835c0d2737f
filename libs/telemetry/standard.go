package telemetry

import (
	"bytes"
	"log"
	"log/slog"
)

// TakeStandardLog redirects the output of Go's log package to this log at DEBUG level:
// libraries use it for events that are handled elsewhere. Call it only from the program
// that owns the process, which has a single standard log.
func (t *Telemetry) TakeStandardLog() {
	log.SetFlags(0)
	log.SetOutput(standardLog{t.Log})
}

// standardLog writes its input as lines of a log.
type standardLog struct{ log *slog.Logger }

// Write implements io.Writer.
func (s standardLog) Write(p []byte) (int, error) {
	s.log.Debug("library log", "text", string(bytes.TrimSpace(p)))
	return len(p), nil
}
