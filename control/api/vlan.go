package api

import (
	"fmt"
	"slices"

	"uelink/dataplane/bridge"
)

// VLANMax is the highest number of a VLAN; the lowest is 1.
const VLANMax = 4094

// VLANsOf returns the VLANs of a bridge port (tagged, untagged, and that of frames without a tag) with their flags, in
// the order of their numbers.
func VLANsOf(s bridge.PortSettings) []VLAN {
	var numbers []uint16
	for _, list := range [][]uint16{s.Tagged, s.Untagged, {s.PVID}} {
		numbers = append(numbers, list...)
	}
	slices.Sort(numbers)
	list := []VLAN{}
	for _, n := range slices.Compact(numbers) {
		if n != 0 {
			list = append(list, VLAN{VLAN: n, Flags: vlanFlags(s, n)})
		}
	}
	return list
}

// vlanFlags returns the flags of VLAN n at a bridge port.
func vlanFlags(s bridge.PortSettings, n uint16) (flags []string) {
	if n == s.PVID {
		flags = append(flags, VLANIsPVID)
	}
	if slices.Contains(s.Untagged, n) {
		flags = append(flags, VLANUntagged)
	}
	return flags
}

// Ranges returns the list with consecutive VLANs of the same flags joined to a range each.
func Ranges(list []VLAN) []VLAN {
	out := []VLAN{}
	for _, v := range list {
		if n := len(out); n > 0 && v.VLAN == LastVLAN(out[n-1])+1 && slices.Equal(v.Flags, out[n-1].Flags) {
			out[n-1].VLANEnd = v.VLAN
		} else {
			out = append(out, v)
		}
	}
	return out
}

// Range returns the number of a VLAN or of a range: "10" or "20-25".
func (v VLAN) Range() string {
	if v.VLANEnd == 0 {
		return fmt.Sprint(v.VLAN)
	}
	return fmt.Sprintf("%d-%d", v.VLAN, v.VLANEnd)
}

// LastVLAN returns the last VLAN number of a range; of a single VLAN its number.
func LastVLAN(v VLAN) uint16 { return max(v.VLAN, v.VLANEnd) }
