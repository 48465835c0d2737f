package docx

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Error is the reason why a file is refused.
type Error struct {
	// Part is the name of the part at fault, or "" for the file as a whole. It comes from
	// the file and may contain any character.
	Part string
	// Reason completes a sentence that begins with "The file", for the person who sent
	// it. Text quoted from the file is shortened and printable.
	Reason string
	// Err is the cause, for logs. It may be nil.
	Err error
}

// Error returns a text for logs, with the cause.
func (e *Error) Error() string {
	if e.Err == nil {
		return "the file " + e.Reason
	}
	return fmt.Sprintf("the file %s: %v", e.Reason, e.Err)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// refuse returns an *Error about the part, or about the whole file if part is "".
func refuse(part, format string, args ...any) *Error {
	return &Error{Part: part, Reason: fmt.Sprintf(format, args...)}
}

// because returns e with its cause. A cause that is itself an *Error is more specific
// than e, and an error of the reader is not the file's fault; either is returned instead.
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

// flaw is a fault of a text. It completes a clause that begins with "that".
type flaw string

func (f flaw) Error() string { return string(f) }

// source is the reader of a file. It marks its own errors, so that they stay
// distinguishable from faults of the file after passing through other readers.
type source struct{ r io.ReaderAt }

func (s source) ReadAt(b []byte, offset int64) (int, error) {
	n, err := s.r.ReadAt(b, offset)
	if err != nil && !errors.Is(err, io.EOF) {
		err = &sourceError{err}
	}
	return n, err
}

// sourceError is an error of the reader of a file.
type sourceError struct{ err error }

func (e *sourceError) Error() string { return fmt.Sprintf("read the file: %v", e.err) }

// Unwrap returns the error of the reader.
func (e *sourceError) Unwrap() error { return e.err }

// maxShown is how many bytes of an untrusted name a Reason quotes.
const maxShown = 120

// shown returns an untrusted name in a form that a Reason may quote: short, and without
// unprintable characters or characters that change the direction of text.
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

// grouped formats a number with spaces between thousands: "10 000".
func grouped(n int64) string {
	if n < 1000 {
		return strconv.FormatInt(n, 10)
	}
	return fmt.Sprintf("%s %03d", grouped(n/1000), n%1000)
}

// amount formats a number of bytes, in MiB if that is exact.
func amount(n int64) string {
	if n > 0 && n%(1<<20) == 0 {
		return grouped(n>>20) + " MiB"
	}
	return grouped(n) + " bytes"
}
