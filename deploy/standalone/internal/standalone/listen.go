package standalone

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"syscall"
	"time"

	"github.com/rectohq/recto/deploy/standalone/internal/authority"
	"github.com/rectohq/recto/libs/runner"
)

// listenError says why the program cannot listen on the address of a flag, and what to do
// about it.
func listenError(flag, addr string, err error) error {
	advice := adviseListen(flag, addr, err)
	err = fmt.Errorf("%s: %w. %s", flag, advice.Err, advice.Fix)
	var syntax *net.AddrError
	var name *net.DNSError
	if errors.As(advice.Err, &syntax) || errors.As(advice.Err, &name) {
		return runner.Usage(err)
	}
	return err
}

// adviseListen says what to do about an address that cannot be listened on.
func adviseListen(flag, addr string, err error) *runner.Advice {
	other := "name another address with " + flag
	switch {
	case errors.Is(err, syscall.EADDRINUSE) && servesOurCertificate(addr):
		return &runner.Advice{Err: fmt.Errorf("%s is in use by another Recto", addr), Fix: "Stop it, or " + other}
	case errors.Is(err, syscall.EADDRINUSE):
		return &runner.Advice{Err: fmt.Errorf("%s is in use by another program", addr), Fix: "Stop that program, or " + other}
	case errors.Is(err, syscall.EACCES):
		return &runner.Advice{Err: fmt.Errorf("this user may not listen on %s", addr), Fix: "Name a port of 1024 or above with " + flag + ", or give the program the capability CAP_NET_BIND_SERVICE"}
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return &runner.Advice{Err: fmt.Errorf("%s is not an address of this machine", addr), Fix: "Name one of its addresses with " + flag + ", or 0.0.0.0 for all of them"}
	}
	if name := (*net.DNSError)(nil); errors.As(err, &name) {
		err = fmt.Errorf("%s: no such host or port: %w", addr, err)
	}
	return &runner.Advice{Err: err, Fix: "Write host:port, such as 127.0.0.1:8443"}
}

// servesOurCertificate reports whether the server at addr presents a certificate that a
// standalone Recto made. It skips verification, which is safe: it sends the server nothing.
func servesOurCertificate(addr string) bool {
	dialer := net.Dialer{Timeout: 2 * time.Second}
	conn, err := tls.DialWithDialer(&dialer, "tcp", addr, &tls.Config{InsecureSkipVerify: true})
	if err != nil {
		return false
	}
	defer conn.Close()
	certificates := conn.ConnectionState().PeerCertificates
	return len(certificates) > 0 && certificates[0].Issuer.CommonName == authority.Name
}
