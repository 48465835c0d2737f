package fetch

import (
	"net"
	"syscall"
)

// Resolve makes the client look up names with r.
func (c *Client) Resolve(r *net.Resolver) { c.dialer.Resolver = r }

// Watch makes the client call connect before each connection, which it makes only if
// connect returns nil.
func (c *Client) Watch(connect func(address string) error) {
	control := c.dialer.Control
	c.dialer.Control = func(network, address string, conn syscall.RawConn) error {
		if err := control(network, address, conn); err != nil {
			return err
		}
		return connect(address)
	}
}
