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

// listenError says why the address of a flag cannot be listened on, and what to
// do about it.
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
		return &runner.Advice{Err: fmt.Errorf("%s is in use by another Recto", addr), Fix: "End it, or " + other}
	case errors.Is(err, syscall.EADDRINUSE):
		return &runner.Advice{Err: fmt.Errorf("%s is in use by another program", addr), Fix: "End that program, or " + other}
	case errors.Is(err, syscall.EACCES):
		return &runner.Advice{Err: fmt.Errorf("this user may not listen on %s", addr), Fix: "Name a port from 1024 on with " + flag + ", or give the program the capability CAP_NET_BIND_SERVICE"}
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return &runner.Advice{Err: fmt.Errorf("%s is not an address of this machine", addr), Fix: "Name one that it has with " + flag + ", or all of them: 0.0.0.0 and a port"}
	}
	if name := (*net.DNSError)(nil); errors.As(err, &name) {
		err = fmt.Errorf("%s: there is no such host or port: %w", addr, err)
	}
	return &runner.Advice{Err: err, Fix: "Write host:port, such as 127.0.0.1:8443"}
}

// servesOurCertificate reports whether who listens shows a certificate that a
// standalone Recto has made. Nothing is entrusted to it.
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
