package listener

import (
	"container/list"
	"net"
	"net/netip"
	"slices"
	"sync"
	"time"
)

// connections tracks the open connections of a listener. Idle connections, those
// without a request in progress, are kept in the order in which they became idle.
// This makes it cheap to find the longest-idle connection overall and per address.
type connections struct {
	max, untrustedMax, perAddress int
	trusted                       []netip.Prefix

	mu        sync.Mutex
	open      map[*Conn]struct{}
	untrusted int                       // number of connections from untrusted networks
	addresses map[netip.Addr]*neighbors // of untrusted connections
	idle      list.List                 // of *Conn, longest idle first
}

// neighbors tracks the connections from one address.
type neighbors struct {
	open int
	idle list.List // of *Conn, longest idle first
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

// count returns the number of open connections.
func (s *connections) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.open)
}

// admit adds a connection, or returns nil if there is no room for it. If a limit
// is reached, admit displaces the longest-idle connection to make room. The
// caller closes the displaced connection.
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

// displace removes and returns the longest-idle connection, or returns nil if
// none is idle. The caller closes it.
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

// add adds a connection. It is idle until Busy is called.
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

// remove removes a connection. It does nothing if the connection is already removed.
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

// enqueue appends a connection to the idle lists.
func (s *connections) enqueue(c *Conn) {
	if _, ok := s.open[c]; !ok || c.queued != nil {
		return
	}
	c.queued = s.idle.PushBack(c)
	if !c.trusted {
		c.near = s.addresses[c.address].idle.PushBack(c)
	}
}

// dequeue removes a connection from the idle lists.
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

	queued, near *list.Element // its elements in the idle lists; guarded by owner.mu

	deadlines sync.Mutex
	deadline  time.Time // write deadline that the server set; guarded by deadlines
	writing   window    // used only by Write
}

// Of returns the Conn underlying c, or nil if there is none. c may wrap the Conn, for
// example in TLS.
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

// Busy marks the connection as having a request in progress: it is not displaced
// until Idle is called. Calling Busy on nil, a connection of another listener,
// does nothing.
func (c *Conn) Busy() {
	if c == nil {
		return
	}
	c.owner.mu.Lock()
	defer c.owner.mu.Unlock()
	c.owner.dequeue(c)
}

// Idle marks the connection as having no request in progress. Calling it on nil does
// nothing.
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

// CloseWrite closes the sending side if the connection supports that.
func (c *Conn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// address returns the IP address of a, unmapping IPv4-mapped IPv6 addresses. It
// returns the zero address if a is not a TCP address.
func address(a net.Addr) netip.Addr {
	tcp, ok := a.(*net.TCPAddr)
	if !ok {
		return netip.Addr{}
	}
	return tcp.AddrPort().Addr().Unmap().WithZone("")
}
