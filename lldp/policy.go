package lldp

import (
	"fmt"
	"net/netip"
	"strings"

	"uelink/wire"
)

// Interface is the source of ids and descriptions.
type Interface struct {
	Name  string
	Alias string   // IFLA_IFALIAS
	MAC   wire.MAC // zero: no address
	Index uint32
}

// Policy is the source of an id: "mac", "ifname", "ifalias", "ip:ADDRESS" or "local:TEXT".
// ParseChassisPolicy and ParsePortPolicy return policies.
type Policy struct {
	kind string     // before the colon
	text string     // behind the colon
	addr netip.Addr // of kind ip: text as an address
}

// String returns the policy, the source of a chassis id or port id, as in the configuration, such as "mac".
func (p Policy) String() string {
	if p.text == "" {
		return p.kind
	}
	return p.kind + ":" + p.text
}

// MarshalText returns the policy as in the configuration, such as "mac", in octets. The error is always nil.
func (p Policy) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// ParseChassisPolicy parses the configured policy by which a chassis id is chosen. "mac" stands for the station's
// address, the same on all ports.
func ParseChassisPolicy(s string) (Policy, error) { return parsePolicy("chassis id", s) }

// ParsePortPolicy parses the configured policy by which a port id is chosen. "mac" stands for the port's own
// address.
func ParsePortPolicy(s string) (Policy, error) { return parsePolicy("port id", s) }

// parsePolicy parses the policy for the chassis or port ID from its text in the configuration. name is the policy's
// name in errors.
func parsePolicy(name, s string) (p Policy, err error) {
	p.kind, p.text, _ = strings.Cut(s, ":")
	switch p.kind {
	case "mac", "ifname", "ifalias":
		if p.text == "" && p.kind == s {
			return p, nil
		}
	case "local":
		if len(p.text) >= 1 && len(p.text) <= maxID {
			return p, nil
		}
		return Policy{}, fmt.Errorf("%s policy local: the text has to be 1 to %d octets", name, maxID)
	case "ip":
		if p.addr, err = netip.ParseAddr(p.text); err != nil {
			return Policy{}, fmt.Errorf("%s policy: %w", name, err)
		}
		return p, nil
	}
	return Policy{}, fmt.Errorf("%s policy %q: has to be mac, ifname, ifalias, ip:ADDRESS or local:TEXT", name, s)
}

// ChassisID returns the chassis id that the policy gives an interface of a station with the given address. The
// interface's name replaces a missing address or alias.
func (p Policy) ChassisID(station wire.MAC, i Interface) ChassisID {
	switch {
	case p.kind == "mac" && station != wire.MAC{}:
		return ChassisID{ChassisMAC, station[:]}
	case p.kind == "ifalias" && i.Alias != "":
		return ChassisID{ChassisIfAlias, []byte(i.Alias)}
	case p.kind == "ip":
		return ChassisID{ChassisNetworkAddress, NetworkAddress(p.addr)}
	case p.kind == "local":
		return ChassisID{ChassisLocal, []byte(p.text)}
	}
	return ChassisID{ChassisIfName, []byte(i.Name)}
}

// PortID returns the port id that the policy gives an interface. The interface's name replaces a missing address
// or alias.
func (p Policy) PortID(i Interface) PortID {
	switch {
	case p.kind == "mac" && i.MAC != wire.MAC{}:
		return PortID{PortMAC, i.MAC[:]}
	case p.kind == "ifalias" && i.Alias != "":
		return PortID{PortIfAlias, []byte(i.Alias)}
	case p.kind == "ip":
		return PortID{PortNetworkAddress, NetworkAddress(p.addr)}
	case p.kind == "local":
		return PortID{PortLocal, []byte(p.text)}
	}
	return PortID{PortIfName, []byte(i.Name)}
}
