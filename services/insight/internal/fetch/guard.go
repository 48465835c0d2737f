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

// errForbidden is the reason for a refused connection.
var errForbidden = errors.New("documents must not be fetched from this address")

// hosted are public addresses at which a cloud provider serves its own machines: on
// Azure, 168.63.129.16 gives a machine information about itself.
var hosted = []netip.Prefix{netip.MustParsePrefix("168.63.129.16/32")}

// guard decides which addresses may be connected to.
type guard struct {
	allowed []netip.Prefix
	ports   []uint16
	// public knows the special-purpose networks of the IANA registries.
	public *ssrf.Guardian
}

func newGuard(allowed []netip.Prefix, ports []uint16) *guard {
	return &guard{allowed: allowed, ports: ports, public: ssrf.New(ssrf.WithPorts(ports...), ssrf.WithDeniedV4Prefixes(slices.Clone(hosted)...))}
}

// control is the Control of a net.Dialer. It is called right before each connection, when
// the name is already resolved and the address can no longer change.
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
		return fmt.Errorf("%w: %s leads to an IPv4 address", errForbidden, to.Addr())
	}
	return nil
}

// knows reports whether control could allow port for any address. If not, the name need
// not be looked up.
func (g *guard) knows(port uint16) bool {
	return len(g.allowed) > 0 || slices.Contains(g.ports, port)
}

// allows reports whether the operator has allowed the network of the address.
func (g *guard) allows(addr netip.Addr) bool {
	return slices.ContainsFunc(g.allowed, func(p netip.Prefix) bool { return p.Contains(addr) })
}

// isISATAP reports whether addr embeds an IPv4 address that a router would extract (RFC
// 5214 section 6.1). It may be in any network.
func isISATAP(addr netip.Addr) bool {
	if !addr.Is6() {
		return false
	}
	const local, global = 0x0000_5EFE, 0x0200_5EFE
	b := addr.As16()
	marker := binary.BigEndian.Uint32(b[8:])
	return marker == local || marker == global
}
