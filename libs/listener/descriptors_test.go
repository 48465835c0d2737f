package listener_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/listener"
)

// descriptorsArgument makes the test binary print its limit on file descriptors.
const descriptorsArgument = "print-limit"

func printLimit() int {
	room, limit, err := listener.Room(4)
	fmt.Println(limit, room, err)
	return 0
}

// TestRoom starts a program with limits set by the shell. Package os raises the
// soft limit to just below the hard limit, and the room is what remains of it.
func TestRoom(t *testing.T) {
	for limits, want := range map[string]string{
		"ulimit -Sn 256; ulimit -Hn 1000": "999 201 <nil>",
		"ulimit -n 512":                   "512 80 <nil>",
		"ulimit -n 100":                   "100 8 <nil>",
	} {
		out, err := exec.Command("sh", "-c", limits+`; exec "$0" `+descriptorsArgument, os.Args[0]).CombinedOutput()
		if got := strings.TrimSpace(string(out)); err != nil || got != want {
			t.Errorf("%s: %q, %v, want %q", limits, got, err, want)
		}
	}
}
