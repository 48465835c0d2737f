package harness

import "github.com/rectohq/recto/libs/testkit/pkitest"

// certificate is one for servers on this machine, as files.
type certificate struct{ ca, cert, key string }

// makeCertificate makes an authority and a certificate of it, in dir, for
// loopback and the names.
func makeCertificate(dir string, names ...string) (c certificate, err error) {
	authority, err := pkitest.New(dir)
	if err != nil {
		return c, err
	}
	c.ca = authority.File
	c.cert, c.key, err = authority.Issue("server", append(names, "localhost", "127.0.0.1", "::1")...)
	return c, err
}
