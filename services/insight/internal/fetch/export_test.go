package fetch

import (
	"net"
	"syscall"
)

// Resolve has names looked up by r.
func (c *Client) Resolve(r *net.Resolver) { c.dialer.Resolver = r }

// Watch calls connect for each address that is about to be connected to, and makes
// the connection only if it returns nil.
func (c *Client) Watch(connect func(address string) error) {
	control := c.dialer.Control
	c.dialer.Control = func(network, address string, conn syscall.RawConn) error {
		if err := control(network, address, conn); err != nil {
			return err
		}
		return connect(address)
	}
}
