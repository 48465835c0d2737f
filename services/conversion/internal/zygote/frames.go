package zygote

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"time"
)

// protocol is the version of the protocol that this package speaks. zygote.c describes it.
const protocol = "1"

// Kinds of frames.
const (
	frameHello   = 'H'
	frameReady   = 'R'
	frameDone    = 'D'
	frameWarning = 'W'
	frameSample  = 'S'
	frameLearn   = 'L'
	frameFork    = 'F'
	frameConvert = 'C'
	frameKill    = 'K'
)

// maxPayload is the longest payload of a frame, in bytes.
const maxPayload = 64 << 10

type frame struct {
	kind    byte
	payload []byte
}

// writeFrame writes a frame whose payload is a list of strings.
func writeFrame(w io.Writer, kind byte, list ...string) error {
	b := []byte{kind, 0, 0, 0, 0}
	for _, s := range list {
		b = append(append(b, s...), 0)
	}
	binary.BigEndian.PutUint32(b[1:], uint32(len(b)-5))
	_, err := w.Write(b)
	return err
}

// readFrame reads a frame.
func readFrame(r *bufio.Reader) (frame, error) {
	var head [5]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return frame{}, err
	}
	n := binary.BigEndian.Uint32(head[1:])
	if n > maxPayload {
		return frame{}, fmt.Errorf("a frame has %d bytes; the limit is %d", n, maxPayload)
	}
	payload := make([]byte, n)
	_, err := io.ReadFull(r, payload)
	return frame{head[0], payload}, err
}

// ending says how a copy ended.
type ending struct {
	killed bool
	code   int // the exit code or, if it was killed, the signal
	cpu    time.Duration
	peak   int64 // memory, in bytes
	said   string
}

// Exit codes of a copy.
const (
	converted   = 0
	notLoaded   = 2
	notSaved    = 3
	notConfined = 4
)

func parseEnding(payload []byte) (ending, error) {
	var killed, code int
	var micros, kib int64
	fields := bytes.SplitN(payload, []byte(" "), 5)
	if len(fields) != 5 {
		return ending{}, fmt.Errorf("the end of a copy is %q", payload)
	}
	if _, err := fmt.Sscan(string(bytes.Join(fields[:4], []byte(" "))), &killed, &code, &micros, &kib); err != nil {
		return ending{}, fmt.Errorf("the end of a copy is %q: %w", payload, err)
	}
	if micros < 0 || micros > math.MaxInt64/int64(time.Microsecond) || kib < 0 || kib > math.MaxInt64>>10 {
		return ending{}, fmt.Errorf("the end of a copy is %q: CPU time or memory is out of range", payload)
	}
	return ending{killed == 1, code, time.Duration(micros) * time.Microsecond, kib << 10, string(fields[4])}, nil
}

// err returns nil if the copy converted its document.
func (e ending) err() error {
	switch {
	case e.killed:
		return fmt.Errorf("signal %d ended the copy", e.code)
	case e.code == notLoaded:
		return fmt.Errorf("the document cannot be loaded: %s", e.said)
	case e.code == notSaved:
		return fmt.Errorf("the PDF cannot be saved: %s", e.said)
	case e.code == notConfined:
		return fmt.Errorf("the copy did not start: %s", e.said)
	case e.code != converted:
		return fmt.Errorf("the copy exited with code %d: %s", e.code, e.said)
	}
	return nil
}
