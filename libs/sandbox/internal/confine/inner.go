package confine

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"

	"golang.org/x/sys/unix"
)

// Inner is a restriction that a child with the right to fork puts on a process of its own:
// it enforces the ruleset, and then installs the filter with its process id in the place
// of the placeholder.
type Inner struct {
	// Ruleset is a Landlock ruleset. The caller closes it.
	Ruleset *os.File
	// Filter is a seccomp filter, an array of struct sock_filter. It allows what a child
	// without the right to fork may do, but for execve.
	Filter []byte
	// Placeholder stands for the process id in the comparisons of Filter.
	Placeholder uint32
}

// ErrNoLandlock means that the kernel has no usable Landlock.
var ErrNoLandlock = errors.New("the kernel has no Landlock")

// NewInner returns the restriction that the files of the policy and the lists of calls
// define. It does not carry the policy's limits, which a process inherits. The error is
// ErrNoLandlock if files cannot be restricted.
func NewInner(p Policy) (*Inner, error) {
	// The secret is forgotten, so that execve is never allowed.
	calls := func(placeholder uint32) []call { return allowed(int(placeholder), newSecret()) }
	in := &Inner{}
	for {
		// No other comparison of the filter may be with the same value.
		in.Placeholder = 1<<30 | rand.Uint32N(1<<30) | 1 //nolint:gosec // not a secret
		with, err := assemble(Enforce.Refusal, calls(in.Placeholder))
		if err != nil {
			return nil, fmt.Errorf("assemble the filter: %w", err)
		}
		without, err := assemble(Enforce.Refusal, calls(1))
		if err != nil {
			return nil, fmt.Errorf("assemble the filter: %w", err)
		}
		if !slices.ContainsFunc(without, func(f unix.SockFilter) bool { return f.K == in.Placeholder }) {
			in.Filter = encode(with)
			break
		}
	}
	fd, abi, err := ruleset(p)
	if err != nil {
		return nil, err
	}
	if abi == 0 {
		return nil, ErrNoLandlock
	}
	in.Ruleset = os.NewFile(uintptr(fd), "ruleset")
	return in, nil
}

// encode returns the filter as the kernel reads it.
func encode(filter []unix.SockFilter) []byte {
	var b bytes.Buffer
	_ = binary.Write(&b, binary.NativeEndian, filter) // a buffer takes everything
	return b.Bytes()
}
