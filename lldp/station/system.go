package station

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"

	"golang.org/x/sys/unix"

	"uelink/lldp"
	"uelink/wire"
)

// station is the System of the configuration, completed with facts of this host.
type station struct {
	config      System
	name        string
	description string
	mac         wire.MAC          // address of the first present port; unchanged for the life of the process
	management  []lldp.Management // management addresses that every port sends
}

// newStation returns the station's data for LLDP; an empty name is completed with the host name, and an empty
// description with the kernel's.
func newStation(c System) *station {
	s := &station{config: c, name: c.Name, description: c.Description}
	s.refreshName()
	if s.description == "" {
		s.description = kernel()
	}
	return s
}

// kernel returns the name, release and machine of the kernel.
func kernel() string {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return ""
	}
	return fmt.Sprintf("%s %s %s", unix.ByteSliceToString(u.Sysname[:]), unix.ByteSliceToString(u.Release[:]),
		unix.ByteSliceToString(u.Machine[:]))
}

// refresh updates the station's management addresses: those of the configuration, and the host's if ManagementAuto
// is set.
func (s *station) refresh(l *links) {
	s.management = nil
	for _, a := range s.config.Management {
		s.management = append(s.management, lldp.Management{Family: lldp.NetworkAddress(a)[0], Address: a.Unmap().AsSlice(),
			InterfaceSubtype: lldp.InterfaceUnknown})
	}
	if s.config.ManagementAuto {
		s.management = append(s.management, automatic(l.addresses())...)
	}
}

// automatic returns the first IPv4 and the first IPv6 address of the list, sorted by interface and address, as
// management addresses.
func automatic(list []address) []lldp.Management {
	slices.SortFunc(list, func(a, b address) int {
		return cmp.Or(cmp.Compare(a.ifindex, b.ifindex),
			a.addr.Compare(b.addr))
	})
	var m []lldp.Management
	for _, family := range []func(netip.Addr) bool{netip.Addr.Is4, netip.Addr.Is6} {
		if i := slices.IndexFunc(list, func(a address) bool { return family(a.addr) }); i >= 0 {
			m = append(m, lldp.ManagementAt(list[i].addr, list[i].ifindex))
		}
	}
	return m
}

// local returns the local LLDP data of a port of the station on interface i.
func (s *station) local(p *Port, i lldp.Interface) lldp.Local {
	return lldp.Local{
		Source: i.MAC, Chassis: s.config.Chassis.ChassisID(s.mac, i), Port: p.ID.PortID(i),
		PortDescription: cmp.Or(p.Description, i.Alias, i.Name), SystemName: s.name, SystemDescription: s.description,
		HasCapabilities: s.config.HasCapabilities, Capabilities: s.config.Capabilities,
		Management: s.management, Custom: p.Custom,
	}
}
