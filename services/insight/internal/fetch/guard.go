package fetch

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"syscall"

	"code.dny.dev/ssrf"
)

// errForbidden is why a connection is not made.
var errForbidden = errors.New("the address is not one that documents are fetched from")

// hosted are networks within the public ones that lead to the machine's own
// provider: 168.63.129.16 is what answers machines of Azure about themselves.
var hosted = []netip.Prefix{netip.MustParsePrefix("168.63.129.16/32")}

// guard decides which addresses may be connected to.
type guard struct {
	allowed []netip.Prefix
	ports   []uint16
	// public knows the special networks of the registries of IANA.
	public *ssrf.Guardian
}

func newGuard(allowed []netip.Prefix, ports []uint16) *guard {
	return &guard{allowed: allowed, ports: ports, public: ssrf.New(ssrf.WithPorts(ports...), ssrf.WithDeniedV4Prefixes(slices.Clone(hosted)...))}
}

// control is the Control of a net.Dialer: it is asked about each address right
// before it is connected to, when no answer of a name server can change it any
// more.
func (g *guard) control(network, address string, conn syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("%w: %w", errForbidden, err)
	}
	if g.allows(to.Addr()) {
		return nil
	}
	if err := g.public.Safe(network, address, conn); err != nil {
		return fmt.Errorf("%w: %w", errForbidden, err)
	}
	if isISATAP(to.Addr()) {
		return fmt.Errorf("%w: %s leads to an address of IPv4", errForbidden, to.Addr())
	}
	return nil
}

// knows reports whether there can be an address to which control allows a
// connection at port, so that no name needs to be looked up otherwise.
func (g *guard) knows(port uint16) bool {
	return len(g.allowed) > 0 || slices.Contains(g.ports, port)
}

// allows reports whether the operator has allowed a network of the address.
func (g *guard) allows(addr netip.Addr) bool {
	return slices.ContainsFunc(g.allowed, func(p netip.Prefix) bool { return p.Contains(addr) })
}

// isISATAP reports whether addr holds an address of IPv4 that a router would
// take out of it (RFC 5214 section 6.1). Its network may be any.
func isISATAP(addr netip.Addr) bool {
	if !addr.Is6() {
		return false
	}
	const local, global = 0x0000_5EFE, 0x0200_5EFE
	b := addr.As16()
	marker := binary.BigEndian.Uint32(b[8:])
	return marker == local || marker == global
}
