package harness

import "github.com/rectohq/recto/libs/testkit/pkitest"

// certificate holds the file paths of a server certificate for this machine.
type certificate struct{ ca, cert, key string }

// makeCertificate creates a certificate authority in dir, and a certificate that it
// issues for loopback and the given names.
func makeCertificate(dir string, names ...string) (c certificate, err error) {
	authority, err := pkitest.New(dir)
	if err != nil {
		return c, err
	}
	c.ca = authority.File
	c.cert, c.key, err = authority.Issue("server", append(names, "localhost", "127.0.0.1", "::1")...)
	return c, err
}
