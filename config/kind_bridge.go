package config

import (
	"fmt"
	"net"
	"strconv"
	"strings"

	"uelink/dataplane/bridge"
	"uelink/wire"
)

// vlans is a VLAN, or those from one to another.
func vlans() kind[vlanRange] {
	one := whole[uint16](bridge.MinVLAN, bridge.MaxVLAN)
	values := one.values + ", or a range such as 10-20"
	return kind[vlanRange]{values, func(s scalar) (vlanRange, error) {
		from, to, isRange := strings.Cut(s.text, "-")
		if !isRange || s.form != textForm {
			n, err := one.parse(s)
			return vlanRange{n, n}, err
		}
		first, err1 := strconv.ParseUint(from, 10, 16)
		last, err2 := strconv.ParseUint(to, 10, 16)
		switch {
		case err1 != nil || err2 != nil:
			return vlanRange{}, fmt.Errorf("%q is neither a VLAN nor a range such as 10-20", s.text)
		case first < bridge.MinVLAN || last > bridge.MaxVLAN:
			return vlanRange{}, fmt.Errorf("%s is out of range: %s", s.text, one.values)
		case first > last:
			return vlanRange{}, fmt.Errorf("%s ends before it begins", s.text)
		}
		return vlanRange{uint16(first), uint16(last)}, nil
	}}
}

// stationAddress is a MAC address that a station can have.
func stationAddress() kind[wire.MAC] {
	const example = "02:00:00:00:00:01"
	return kind[wire.MAC]{"MAC address", func(s scalar) (wire.MAC, error) {
		mac, err := net.ParseMAC(s.text)
		if err != nil || len(mac) != wire.AddrLen {
			return wire.MAC{}, fmt.Errorf("%q is not a MAC address: write six octets, such as %q", s.text, example)
		}
		return wire.MAC(mac), bridge.CheckMAC(wire.MAC(mac))
	}}
}
