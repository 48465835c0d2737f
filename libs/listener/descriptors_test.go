package listener_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/listener"
)

// descriptorsArgument makes the test binary print the limit that it runs under.
const descriptorsArgument = "print-limit"

func printLimit() int {
	room, limit, err := listener.Room(4)
	fmt.Println(limit, room, err)
	return 0
}

// TestRoom starts a program under limits of the shell: package os raises the soft
// one to just below the hard one, and what is left of that is the room.
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
