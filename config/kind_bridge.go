package config

import (
	"fmt"
	"net"
	"strconv"
	"strings"

	"uelink/config/schema"
	"uelink/dataplane/bridge"
	"uelink/wire"
)

// vlans returns the schema.Kind that parses a VLAN or a range of VLANs.
func vlans() schema.Kind[vlanRange] {
	vlan := schema.Whole[uint16](bridge.MinVLAN, bridge.MaxVLAN)
	values := vlan.Values + ", or a range such as 10-20"
	json := schema.RangeJSON(bridge.MinVLAN, bridge.MaxVLAN)
	return schema.NewKind(values, json, func(s schema.Scalar) (vlanRange, error) {
		from, to, isRange := strings.Cut(s.Text, "-")
		if !isRange || !s.IsText() {
			n, err := vlan.Parse(s)
			return vlanRange{n, n}, err
		}
		first, err1 := strconv.ParseUint(from, 10, 16)
		last, err2 := strconv.ParseUint(to, 10, 16)
		switch {
		case err1 != nil || err2 != nil:
			return vlanRange{}, fmt.Errorf("%q is neither a VLAN nor a range such as 10-20", s.Text)
		case first < bridge.MinVLAN || last > bridge.MaxVLAN:
			return vlanRange{}, fmt.Errorf("%s is out of range: %s", s.Text, vlan.Values)
		case first > last:
			return vlanRange{}, fmt.Errorf("%s ends before it begins", s.Text)
		}
		return vlanRange{uint16(first), uint16(last)}, nil
	})
}

// stationAddress returns the schema.Kind that parses a MAC address that a station may have: no group address, not
// zero.
func stationAddress() schema.Kind[wire.MAC] {
	const example = "02:00:00:00:00:01"
	return schema.NewKind("MAC address", schema.StringJSON(""), func(s schema.Scalar) (wire.MAC, error) {
		mac, err := net.ParseMAC(s.Text)
		if err != nil || len(mac) != wire.AddrLen {
			return wire.MAC{}, fmt.Errorf("%q is not a MAC address: write six octets, such as %q", s.Text, example)
		}
		return wire.MAC(mac), bridge.CheckMAC(wire.MAC(mac))
	})
}
