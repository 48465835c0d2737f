package runner

import "context"

// Check is one requirement of a part on its environment, as the doctor command checks it.
type Check struct {
	// Name names the subject of the check, for example "LibreOffice".
	Name string
	// Run returns the finding in a few words. An error says what is wrong; an *Advice
	// also says what to do.
	Run func(context.Context) (string, error)
}

// Advice is a failed check and what to do about it.
type Advice struct {
	Err error
	// Fix says what to do, as a sentence or a command.
	Fix string
	// Optional is set if Recto works without it.
	Optional bool
}

func (a *Advice) Error() string { return a.Err.Error() }

// Unwrap returns the underlying error.
func (a *Advice) Unwrap() error { return a.Err }
