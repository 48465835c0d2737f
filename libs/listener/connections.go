package listener

import (
	"container/list"
	"net"
	"net/netip"
	"slices"
	"sync"
	"time"
)

// connections are the open connections of a listener. Those without a request in
// work are kept in the order in which they became idle, so that the one that has
// been idle for longest is found at once: of all, and of each address.
type connections struct {
	max, untrustedMax, perAddress int
	trusted                       []netip.Prefix

	mu        sync.Mutex
	open      map[*Conn]struct{}
	untrusted int                       // how many are not from trusted networks
	addresses map[netip.Addr]*neighbors // of untrusted connections
	idle      list.List                 // of *Conn, the longest idle first
}

// neighbors are the connections from one address.
type neighbors struct {
	open int
	idle list.List // of *Conn, the longest idle first
}

func newConnections(o Options) *connections {
	c := &connections{
		max: o.Max, untrustedMax: o.Max, perAddress: o.PerAddress, trusted: o.Trusted,
		open: map[*Conn]struct{}{}, addresses: map[netip.Addr]*neighbors{},
	}
	if len(o.Trusted) > 0 {
		c.untrustedMax -= o.Max / trustedShare
	}
	return c
}

// count returns how many connections are open.
func (s *connections) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.open)
}

// admit takes a connection in, or returns nil if there is no room for it. Where
// a limit is reached, the connection that has been idle for longest makes room:
// it is displaced, and the caller closes it.
func (s *connections) admit(raw net.Conn, stall time.Duration) (admitted, displaced *Conn) {
	c := &Conn{Conn: raw, owner: s, address: address(raw.RemoteAddr()), writing: newWindow(stall)}
	c.trusted = slices.ContainsFunc(s.trusted, func(p netip.Prefix) bool { return p.Contains(c.address) })
	s.mu.Lock()
	defer s.mu.Unlock()
	near := s.addresses[c.address]
	switch {
	case !c.trusted && s.perAddress > 0 && near != nil && near.open >= s.perAddress:
		displaced = front(&near.idle)
	case len(s.open) >= s.max || !c.trusted && s.untrusted >= s.untrustedMax:
		displaced = front(&s.idle)
	default:
		s.add(c)
		return c, nil
	}
	if displaced == nil || !c.trusted && displaced.trusted && s.untrusted >= s.untrustedMax {
		return nil, nil
	}
	s.remove(displaced)
	s.add(c)
	return c, displaced
}

// displace takes the connection out that has been idle for longest, and returns
// it, nil if none is idle. The caller closes it.
func (s *connections) displace() *Conn {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := front(&s.idle)
	if c != nil {
		s.remove(c)
	}
	return c
}

func front(l *list.List) *Conn {
	if l.Len() == 0 {
		return nil
	}
	return l.Front().Value.(*Conn)
}

// add counts a connection. It is idle until it says otherwise.
func (s *connections) add(c *Conn) {
	s.open[c] = struct{}{}
	if !c.trusted {
		s.untrusted++
		if s.addresses[c.address] == nil {
			s.addresses[c.address] = &neighbors{}
		}
		s.addresses[c.address].open++
	}
	s.enqueue(c)
}

// remove forgets a connection, and does nothing if it is forgotten already.
func (s *connections) remove(c *Conn) {
	if _, ok := s.open[c]; !ok {
		return
	}
	s.dequeue(c)
	delete(s.open, c)
	if c.trusted {
		return
	}
	s.untrusted--
	if near := s.addresses[c.address]; near.open > 1 {
		near.open--
	} else {
		delete(s.addresses, c.address)
	}
}

// enqueue puts a connection at the end of those that are idle.
func (s *connections) enqueue(c *Conn) {
	if _, ok := s.open[c]; !ok || c.queued != nil {
		return
	}
	c.queued = s.idle.PushBack(c)
	if !c.trusted {
		c.near = s.addresses[c.address].idle.PushBack(c)
	}
}

// dequeue takes a connection out of those that are idle.
func (s *connections) dequeue(c *Conn) {
	if c.queued == nil {
		return
	}
	s.idle.Remove(c.queued)
	c.queued = nil
	if !c.trusted {
		s.addresses[c.address].idle.Remove(c.near)
	}
}

// Conn is a connection that a Listener has accepted.
type Conn struct {
	net.Conn
	owner   *connections
	address netip.Addr
	trusted bool

	queued, near *list.Element // its places among idle connections; guarded by owner.mu

	deadlines sync.Mutex
	deadline  time.Time // for writing, as the server set it; guarded by deadlines
	writing   window    // used by Write alone
}

// Of returns the Conn below c, which may be a connection of TLS or of the like
// on top of it, or nil.
func Of(c net.Conn) *Conn {
	for c != nil {
		if own, ok := c.(*Conn); ok {
			return own
		}
		upper, ok := c.(interface{ NetConn() net.Conn })
		if !ok {
			return nil
		}
		c = upper.NetConn()
	}
	return nil
}

// Busy says that a request is in work: the connection is not displaced until
// Idle. Nil is a connection of another listener, on which this does nothing.
func (c *Conn) Busy() {
	if c == nil {
		return
	}
	c.owner.mu.Lock()
	defer c.owner.mu.Unlock()
	c.owner.dequeue(c)
}

// Idle says that no request is in work. Nil is as for Busy.
func (c *Conn) Idle() {
	if c == nil {
		return
	}
	c.owner.mu.Lock()
	defer c.owner.mu.Unlock()
	c.owner.enqueue(c)
}

// Close implements net.Conn.
func (c *Conn) Close() error {
	c.owner.mu.Lock()
	c.owner.remove(c)
	c.owner.mu.Unlock()
	return c.Conn.Close()
}

// CloseWrite ends the sending side, where the connection has one.
func (c *Conn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// address returns the IP address of a, as IPv4 where it is one. It is the zero
// address for what is not TCP.
func address(a net.Addr) netip.Addr {
	tcp, ok := a.(*net.TCPAddr)
	if !ok {
		return netip.Addr{}
	}
	return tcp.AddrPort().Addr().Unmap().WithZone("")
}
