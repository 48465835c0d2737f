// Command probe is a program for pods that tests reach other things from. It has two
// forms:
//
//	probe wait
//	probe connect HOST:PORT...
//
// The first waits until it is told to end. The second opens a TCP connection to each
// address, one after the other, and prints a line for each: the address and "open",
// "refused", "timeout" or another error. It exits with status 0 if it could try.
package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// patience is how long an address has to accept a connection. The kernel sends the first
// packet again after 1 s and 3 s.
const patience = 5 * time.Second

func main() {
	switch {
	case len(os.Args) == 2 && os.Args[1] == "wait":
		signals := make(chan os.Signal, 1)
		signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
		<-signals
	case len(os.Args) > 2 && os.Args[1] == "connect":
		for _, address := range os.Args[2:] {
			fmt.Println(address, connect(address))
		}
	default:
		fmt.Fprintln(os.Stderr, "usage: probe wait | probe connect HOST:PORT...")
		os.Exit(2)
	}
}

// connect returns what happens to a connection to the address.
func connect(address string) string {
	connection, err := net.DialTimeout("tcp", address, patience)
	var timeout net.Error
	switch {
	case err == nil:
		_ = connection.Close()
		return "open"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "refused"
	case errors.As(err, &timeout) && timeout.Timeout():
		return "timeout"
	}
	return err.Error()
}
