package bridge

import (
	"encoding/binary"

	"uelink/wire"
)

// Addresses of 48 bits.
const (
	broadcast = 1<<48 - 1
	groupBit  = 1 << 40
)

// Decide returns the verdict on a frame from port in. addresses are its destination and source address, at least 12
// octets. rest is the frame from its EtherType or tag on, at least 2 octets. Decide changes nothing: it may run
// before the frame is known to be undamaged.
func (b *Bridge) Decide(in int, addresses, rest []byte, now wire.Time) Verdict {
	v := Verdict{Out: Flood}
	p := b.port(in)
	if p == nil {
		v.Drop = DropPort
		return v
	}
	da, sa := destination(addresses), source(addresses)
	v.Class, v.EtherType = classOf(da), trueType(rest)
	switch {
	case sa == 0 || sa&groupBit != 0:
		v.Drop = DropSource
	case !b.settings.Reserved.mayLeave(da, v.EtherType):
		v.Drop = DropReserved
	case !b.classify(p, in, rest, &v):
		v.Drop = DropVLAN
	case v.Class == Unknown:
		b.lookUp(p, in, da, &v, now)
	}
	return v
}

func destination(addresses []byte) uint64 { return binary.BigEndian.Uint64(addresses) >> 16 }
func source(addresses []byte) uint64      { return binary.BigEndian.Uint64(addresses[4:]) & (1<<48 - 1) }

// classOf returns the class of a frame by its destination address alone: broadcast, multicast or unknown unicast.
func classOf(da uint64) Class {
	switch {
	case da == broadcast:
		return Broadcast
	case da&groupBit != 0:
		return Multicast
	}
	return Unknown
}

// trueType returns the EtherType of a frame, behind its 802.1Q tag if it has one.
func trueType(rest []byte) uint16 {
	_, tagged, fault := wire.ParseVLAN(rest)
	if tagged && fault == wire.NoFault {
		rest = rest[4:]
	}
	return binary.BigEndian.Uint16(rest)
}

// classify sets the VLAN of a frame (IEEE 802.1Q 6.9.1 and 8.6.2). It returns false if the VLAN rules of the port
// discard the frame.
func (b *Bridge) classify(p *port, in int, rest []byte, v *Verdict) bool {
	if !b.settings.VLANFiltering {
		return true
	}
	tci, tagged, fault := wire.ParseVLAN(rest)
	if fault != wire.NoFault {
		return false
	}
	v.VLAN = tci & wire.VIDMask
	if v.Tagged = tagged; tagged {
		v.PCP, v.DEI = uint8(tci>>wire.PCPShift), tci&wire.DEIBit != 0
		v.priority = v.VLAN == 0
	}
	if v.VLAN == 0 {
		v.VLAN = p.settings.PVID
	}
	return b.vlans.find(v.VLAN).members.contains(in)
}

// lookUp looks up a destination address. If the address is known, the verdict gets its port, and a drop reason if
// the frame may not leave there.
func (b *Bridge) lookUp(p *port, in int, da uint64, v *Verdict, now wire.Time) {
	at, found := b.table.find(keyOf(da, v.VLAN))
	if !found || b.aged(&b.table.slots[at], now) {
		return
	}
	out := b.table.slots[at].port()
	v.Class, v.Out = Unicast, out
	to := b.ports[out]
	switch {
	case out == in:
		v.Drop = DropSamePort
	case !b.vlans.find(v.VLAN).members.contains(out):
		v.Drop = DropEgressVLAN
	case p.settings.Isolated && to.settings.Isolated:
		v.Drop = DropIsolated
	case to.blocked:
		v.Drop = DropEgressBlocked
	}
}
