package bridge

import "uelink/wire"

// Members is the numbers of the ports in the VLAN of a frame, the smallest first, the port
// that it came to among them. They are good until the next SetPort, RemovePort or Configure.
func (b *Bridge) Members(v *Verdict) []uint8 { return b.vlans.of(v.VLAN).list }

// Egress tells whether a frame that came to port in leaves by port out, and with what edit of
// its tag. The frame is one that Take has taken. A frame that does not leave because the loop
// guard has blocked out is counted there.
func (b *Bridge) Egress(in, out int, v *Verdict) (wire.Retag, bool) {
	from, to := b.port(in), b.port(out)
	if from == nil || to == nil || in == out {
		return wire.Retag{}, false
	}
	one := b.vlans.of(v.VLAN)
	if !one.members.has(out) || from.settings.Isolated && to.settings.Isolated {
		return wire.Retag{}, false
	}
	if to.blocked {
		to.drops[DropEgressBlocked]++
		return wire.Retag{}, false
	}
	return v.retag(one.untagged.has(out)), true
}

// retag is the edit with which a frame goes to a port, with or without a tag. A bridge without
// filtering has VLAN 0 only, and leaves tags alone. The priority stays as long as there is a
// tag.
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

// tci is the control information of a tag that carries what the frame came with.
func (v *Verdict) tci() uint16 {
	tci := v.VLAN | uint16(v.PCP)<<wire.PCPShift
	if v.DEI {
		tci |= wire.DEIBit
	}
	return tci
}
