package runner

import "context"

// Check is one thing that a part needs of its surroundings, as doctor looks at
// it.
type Check struct {
	// Name is what is looked at, for example "LibreOffice".
	Name string
	// Run returns what was found, in a few words. An error says what is wrong;
	// if it is an *Advice, also what to do.
	Run func(context.Context) (string, error)
}

// Advice is what a check found wrong and what to do about it.
type Advice struct {
	Err error
	// Fix says what to do, as a sentence or a command.
	Fix string
	// Optional is set where Recto works without it.
	Optional bool
}

func (a *Advice) Error() string { return a.Err.Error() }

// Unwrap returns what is wrong.
func (a *Advice) Unwrap() error { return a.Err }
