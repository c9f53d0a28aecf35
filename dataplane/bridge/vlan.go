package bridge

import "math/bits"

// portSet is a set of port numbers.
type portSet [MaxPorts / 64]uint64

func (s *portSet) has(n int) bool { return s[n>>6&(len(s)-1)]>>(n&63)&1 != 0 }
func (s *portSet) add(n int)      { s[n>>6] |= 1 << (n & 63) }
func (s *portSet) remove(n int)   { s[n>>6] &^= 1 << (n & 63) }

// list appends the numbers in the set to list, the smallest first.
func (s *portSet) list(list []uint8) []uint8 {
	for i, word := range s {
		for ; word != 0; word &= word - 1 {
			list = append(list, uint8(i<<6|bits.TrailingZeros64(word)))
		}
	}
	return list
}

// vlan is who is in a VLAN.
type vlan struct {
	members  portSet
	untagged portSet // to these its frames go without a tag
	list     []uint8 // the members
}

// vlans is who is in which VLAN. A frame looks up one vlan, which says all of every port.
type vlans struct {
	place [1 << 12]uint16 // in all; 0 = nobody is in the VLAN
	all   []vlan          // the first has no members
}

func newVLANs() vlans { return vlans{all: make([]vlan, 1)} }

// of is the VLAN with a VID of at most 12 bits.
func (v *vlans) of(vid uint16) *vlan { return &v.all[v.place[vid&(1<<12-1)]] }

// join makes port n a member of a VLAN.
func (v *vlans) join(vid uint16, n int, untagged bool) {
	if v.place[vid] == 0 {
		v.place[vid] = uint16(len(v.all))
		v.all = append(v.all, vlan{})
	}
	one := v.of(vid)
	one.members.add(n)
	if untagged {
		one.untagged.add(n)
	}
	one.list = one.members.list(one.list[:0])
}

// leave takes port n out of every VLAN.
func (v *vlans) leave(n int) {
	for i := range v.all {
		one := &v.all[i]
		if one.members.has(n) {
			one.members.remove(n)
			one.untagged.remove(n)
			one.list = one.members.list(one.list[:0])
		}
	}
}

// enroll makes port n a member of the VLANs that its settings name. Without filtering there is
// one VLAN, with the VID 0. A PVID that neither list has is one without a tag. What is no VLAN
// is passed over.
func (v *vlans) enroll(n int, s *PortSettings, filtering bool) {
	if !filtering {
		v.join(0, n, true)
		return
	}
	for _, vid := range s.Tagged {
		v.enter(vid, n, false)
	}
	for _, vid := range s.Untagged {
		v.enter(vid, n, true)
	}
	if !v.of(s.PVID).members.has(n) {
		v.enter(s.PVID, n, true)
	}
}

// enter is join for a number that may be no VLAN.
func (v *vlans) enter(vid uint16, n int, untagged bool) {
	if vid >= MinVLAN && vid <= MaxVLAN {
		v.join(vid, n, untagged)
	}
}
