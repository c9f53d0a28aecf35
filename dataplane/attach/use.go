package attach

import (
	"net/netip"
	"strings"
)

// Use is the host's own use of an interface: on the interface itself, on the bridge or the bond whose port the
// interface is, and on interfaces on top (VLANs, macvlans).
type Use struct {
	Addresses    []netip.Prefix `json:"addresses"` // without link-local IPv6 addresses, which every interface has
	DefaultRoute bool           `json:"default_route"`
	SSH          bool           `json:"ssh"`    // an address is the one that the ssh connection in use came in by
	Master       string         `json:"master"` // the bridge or the bond that has the interface as a port; "" = none
	Upper        []string       `json:"upper"`  // interfaces on top
}

// Any reports whether the host itself uses the interface: an address, the default route, a bridge or bond above.
func (u Use) Any() bool {
	return len(u.Addresses) > 0 || u.DefaultRoute || u.Master != "" || len(u.Upper) > 0
}

// Management reports whether this interface may be the only way to reach the host: it has the default route or the
// ssh connection in use.
func (u Use) Management() bool { return u.DefaultRoute || u.SSH }

// String describes the host's use of the interface in words; "" if there is none.
func (u Use) String() string {
	var all []string
	for _, a := range u.Addresses {
		all = append(all, "the address "+a.String())
	}
	if u.DefaultRoute {
		all = append(all, "the default route")
	}
	if u.SSH {
		all = append(all, "the ssh connection in use")
	}
	if u.Master != "" {
		all = append(all, "the master "+u.Master)
	}
	for _, name := range u.Upper {
		all = append(all, "the upper interface "+name)
	}
	return strings.Join(all, ", ")
}
