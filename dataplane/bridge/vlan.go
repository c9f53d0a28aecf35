package bridge

import "math/bits"

// portSet is a set of port numbers.
type portSet [MaxPorts / 64]uint64

func (s *portSet) contains(n int) bool { return s[n>>6&(len(s)-1)]>>(n&63)&1 != 0 }
func (s *portSet) add(n int)           { s[n>>6] |= 1 << (n & 63) }
func (s *portSet) remove(n int)        { s[n>>6] &^= 1 << (n & 63) }

// list appends the port numbers in the set to list, the smallest first.
func (s *portSet) list(list []uint8) []uint8 {
	for i, word := range s {
		for ; word != 0; word &= word - 1 {
			list = append(list, uint8(i<<6|bits.TrailingZeros64(word)))
		}
	}
	return list
}

// vlan lists the ports of a VLAN.
type vlan struct {
	members  portSet
	untagged portSet // members that get its frames without a tag
	list     []uint8 // the members
}

// vlans lists the ports of every VLAN. A frame needs a single lookup of its vlan for all egress ports.
type vlans struct {
	place [1 << 12]uint16 // by VLAN number: index in all; 0 = no port is in the VLAN
	all   []vlan          // the first has no members
}

// newVLANs returns the VLANs of a bridge without ports.
func newVLANs() vlans { return vlans{all: make([]vlan, 1)} }

// find returns the VLAN with the number vid, of which the lower 12 bits count; an empty VLAN if no port is in it.
func (v *vlans) find(vid uint16) *vlan { return &v.all[v.place[vid&(1<<12-1)]] }

// join makes port n a member of a VLAN; untagged: frames leave there without a tag.
func (v *vlans) join(vid uint16, n int, untagged bool) {
	if v.place[vid] == 0 {
		v.place[vid] = uint16(len(v.all))
		v.all = append(v.all, vlan{})
	}
	vlan := v.find(vid)
	vlan.members.add(n)
	if untagged {
		vlan.untagged.add(n)
	}
	vlan.list = vlan.members.list(vlan.list[:0])
}

// leave removes port n from every VLAN of the bridge.
func (v *vlans) leave(n int) {
	for i := range v.all {
		vlan := &v.all[i]
		if vlan.members.contains(n) {
			vlan.members.remove(n)
			vlan.untagged.remove(n)
			vlan.list = vlan.members.list(vlan.list[:0])
		}
	}
}

// joinAll makes port n a member of the VLANs in its settings. Without filtering there is one VLAN, with the VID 0. A
// PVID in neither list is untagged. Numbers that are no VLAN are skipped.
func (v *vlans) joinAll(n int, s *PortSettings, filtering bool) {
	if !filtering {
		v.join(0, n, true)
		return
	}
	for _, vid := range s.Tagged {
		v.joinValid(vid, n, false)
	}
	for _, vid := range s.Untagged {
		v.joinValid(vid, n, true)
	}
	if !v.find(s.PVID).members.contains(n) {
		v.joinValid(s.PVID, n, true)
	}
}

// joinValid makes port n a member of a VLAN as join does, unless vid is no valid VLAN number.
func (v *vlans) joinValid(vid uint16, n int, untagged bool) {
	if vid >= MinVLAN && vid <= MaxVLAN {
		v.join(vid, n, untagged)
	}
}
