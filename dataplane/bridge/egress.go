package bridge

import "uelink/wire"

// Members returns the ports in the VLAN of a frame, ingress port included, in ascending order. The list is valid
// until the next SetPort, RemovePort or Configure.
func (b *Bridge) Members(v *Verdict) []uint8 { return b.vlans.find(v.VLAN).list }

// Egress reports whether an admitted frame from port in leaves by port out, and returns the edit of its tag. A frame
// that the loop guard keeps from leaving is counted at port out.
func (b *Bridge) Egress(in, out int, v *Verdict) (wire.Retag, bool) {
	from, to := b.port(in), b.port(out)
	if from == nil || to == nil || in == out {
		return wire.Retag{}, false
	}
	vlan := b.vlans.find(v.VLAN)
	if !vlan.members.contains(out) || from.settings.Isolated && to.settings.Isolated {
		return wire.Retag{}, false
	}
	if to.blocked {
		to.drops[DropEgressBlocked]++
		return wire.Retag{}, false
	}
	return v.retag(vlan.untagged.contains(out)), true
}

// retag returns how the VLAN tag of a frame is changed when it leaves: untagged or tagged. A bridge without
// filtering has VLAN 0 only, and leaves tags unchanged. The priority stays as long as there is a tag.
func (v *Verdict) retag(untagged bool) wire.Retag {
	switch {
	case v.VLAN == 0:
		return wire.Retag{}
	case untagged && v.Tagged:
		return wire.Retag{Op: wire.RetagPop}
	case untagged, v.Tagged && !v.priority:
		return wire.Retag{}
	case v.Tagged:
		return wire.Retag{Op: wire.RetagReplace, TCI: v.tci()}
	}
	return wire.Retag{Op: wire.RetagPush, TCI: v.tci()}
}

// tci returns the 16 bits of a VLAN tag's control information, with the frame's VLAN and priority.
func (v *Verdict) tci() uint16 {
	tci := v.VLAN | uint16(v.PCP)<<wire.PCPShift
	if v.DEI {
		tci |= wire.DEIBit
	}
	return tci
}
