package docx

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Error says why a file is refused.
type Error struct {
	// Part is the name of the part that is at fault, "" if it is the file as a
	// whole. It comes from the file and may hold any character.
	Part string
	// Reason completes "The file" to a sentence for the person who sent it.
	// What it quotes from the file is shortened and printable.
	Reason string
	// Err is the cause, for logs. It may be nil.
	Err error
}

// Error returns a text for logs: it holds the cause.
func (e *Error) Error() string {
	if e.Err == nil {
		return "the file " + e.Reason
	}
	return fmt.Sprintf("the file %s: %v", e.Reason, e.Err)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// refuse returns an *Error about the part, "" for the whole file.
func refuse(part, format string, args ...any) *Error {
	return &Error{Part: part, Reason: fmt.Sprintf(format, args...)}
}

// because returns e with its cause. A cause that is an *Error already says more
// than e, and one that comes from the reader is no fault of the file: these are
// returned instead.
func (e *Error) because(cause error) error {
	var broken *sourceError
	var known *Error
	switch {
	case errors.As(cause, &broken):
		return broken
	case errors.As(cause, &known):
		return known
	}
	e.Err = cause
	return e
}

// flaw is what is wrong with a text. It completes "that" to a clause.
type flaw string

func (f flaw) Error() string { return string(f) }

// source is the reader that holds a file. It marks its errors, so that they can
// be told from faults of the file after they went through other readers.
type source struct{ r io.ReaderAt }

// ReadAt reads like the reader inside.
func (s source) ReadAt(b []byte, offset int64) (int, error) {
	n, err := s.r.ReadAt(b, offset)
	if err != nil && !errors.Is(err, io.EOF) {
		err = &sourceError{err}
	}
	return n, err
}

// sourceError is an error of the reader that holds a file.
type sourceError struct{ err error }

func (e *sourceError) Error() string { return fmt.Sprintf("read the file: %v", e.err) }

// Unwrap returns the error of the reader.
func (e *sourceError) Unwrap() error { return e.err }

// maxShown is how many bytes of a foreign name a Reason quotes.
const maxShown = 120

// shown returns a foreign name as it may stand in a Reason: short, and without
// characters that do not print or that change the direction of the text.
func shown(name string) string {
	if len(name) > maxShown {
		cut := maxShown
		for cut > 0 && !utf8.RuneStart(name[cut]) {
			cut--
		}
		name = name[:cut] + "…"
	}
	return strings.Map(func(r rune) rune {
		if !strconv.IsPrint(r) {
			return utf8.RuneError
		}
		return r
	}, name)
}

// grouped writes a number with spaces between its thousands: "10 000".
func grouped(n int64) string {
	if n < 1000 {
		return strconv.FormatInt(n, 10)
	}
	return fmt.Sprintf("%s %03d", grouped(n/1000), n%1000)
}

// amount writes a number of bytes, in MiB where that is exact.
func amount(n int64) string {
	if n > 0 && n%(1<<20) == 0 {
		return grouped(n>>20) + " MiB"
	}
	return grouped(n) + " bytes"
}
