package rule

import (
	"uelink/wire"
	"uelink/wire/micropacket"
)

// field is the field changed by a rewrite.
type field uint8

// The fields, in the order of fieldNames.
const (
	fieldType field = iota
	fieldSeq
	fieldVC
	fieldCredit
	fieldQuanta
	fieldInitData
	fieldOctets
	fieldInner
)

var fieldNames = [...]string{"type", "seq", "vc", "credit", "quanta", "init_data", "octets", "inner"}

// rewrite is a field to change, and its new value. Each value is for the fields in its comment.
type rewrite struct {
	field  field
	kind   Kind   // of type
	value  amount // of seq, vc, credit, quanta
	at     int    // of octets, inner: the offset
	octets []byte // of octets, inner, init_data
}

// amount is a number, or with relative a difference.
type amount struct {
	n        int64
	relative bool
}

// apply returns the amount as a number; old is the value before.
func (a amount) apply(old uint32) uint32 {
	if a.relative {
		return uint32(int64(old) + a.n)
	}
	return uint32(a.n)
}

// change makes the change, and repairs all checks. It reports false, and changes nothing, if the message has no such
// field.
func (r *rewrite) change(rule *Rule, m *message, w *Wire) bool {
	switch r.field {
	case fieldOctets:
		octets := m.octets()
		if r.at+len(r.octets) > len(octets) {
			return false
		}
		copy(octets[r.at:], r.octets)
	case fieldInner:
		if !r.changeInner(m) {
			return false
		}
	default:
		var ok bool
		switch {
		case m.kinds&setKinds != 0:
			ok = r.changeSet(rule, m)
		case m.kinds&micropacketKinds != 0:
			ok = r.changeMicropacket(m)
		case m.kinds&dataKinds != 0:
			ok = r.changeData(rule, m, w)
		case m.kinds&(1<<PFC|1<<Pause) != 0:
			ok = r.changePause(rule, m)
		}
		if !ok {
			return false
		}
	}
	if m.kinds&micropacketKinds != 0 {
		seal(m.octets(), true)
	}
	if m.unit < 0 {
		m.reseal()
	}
	return true
}

// changeInner overwrites octets of the frame that the shim carries, and returns false if they do not all lie in it,
// before the FCS image.
func (r *rewrite) changeInner(m *message) bool {
	if m.unit >= 0 || m.kinds&(1<<Control|1<<Hippi) != 0 {
		return false
	}
	end := len(m.frame)
	if m.shim && m.preamble.FCS {
		end -= wire.FCSLen
	}
	if m.innerAt(r.at+len(r.octets)-1) >= end {
		return false
	}
	for i, b := range r.octets {
		m.frame[m.innerAt(r.at+i)] = b
	}
	return true
}

// changeSet changes the field of a control ordered set; in a CF_Update, only for the virtual channels that rule names.
// It returns false if the set has no such field.
func (r *rewrite) changeSet(rule *Rule, m *message) bool {
	c := &m.set
	numbered := m.kinds&(1<<Ack|1<<Nack|1<<Init|1<<InitEcho) != 0
	switch {
	case r.field == fieldType && r.kind >= Ack && r.kind <= Gap:
		c.Type = setTypes[r.kind-Ack]
	case r.field == fieldSeq && numbered:
		c.Seq = r.value.apply(c.Seq) & wire.SeqMask
	case r.field == fieldInitData && m.kinds&(1<<Init|1<<InitEcho) != 0:
		c.InitData = [2]byte(r.octets)
	case r.field == fieldCredit && m.kinds == 1<<CFUpdate:
		for i := range c.CF {
			if h := &c.CF[i]; rule.vcs()>>h.VC&1 != 0 {
				h.Count = uint16(r.value.apply(uint32(h.Count))) & (1<<wire.CCBitsSeed - 1)
			}
		}
	case r.field == fieldVC && m.kinds == 1<<CFUpdate:
		for i := range c.CF {
			if h := &c.CF[i]; rule.vcs()>>h.VC&1 != 0 {
				h.VC = uint8(r.value.apply(uint32(h.VC))) & 31
			}
		}
	case r.field == fieldVC && m.kinds == 1<<VC:
		c.Data[0] = uint8(r.value.apply(uint32(c.Data[0]>>3)))<<3 | c.Data[0]&7
	case r.field == fieldCredit && m.kinds == 1<<VC:
		limit := uint16(r.value.apply(uint32(c.Data[2])<<8 | uint32(c.Data[3])))
		c.Data[2], c.Data[3] = byte(limit>>8), byte(limit)
	default:
		return false
	}
	wire.PutCtlOS(m.octets(), wire.ViewPCS, *c)
	return true
}

// changeMicropacket changes the field in the control bits of a micropacket, and leaves its ECRC. It returns false if a
// micropacket has no such field.
func (r *rewrite) changeMicropacket(m *message) bool {
	f := m.control.Fields()
	switch {
	case r.field == fieldType && r.kind >= HippiReset:
		f.Type = micropacketTypes[r.kind-HippiReset]
	case r.field == fieldSeq:
		f.TSEQ = uint8(r.value.apply(uint32(f.TSEQ)))
	case r.field == fieldVC:
		f.VC = uint8(r.value.apply(uint32(f.VC))) & 3
	case r.field == fieldCredit:
		f.CR = uint8(r.value.apply(uint32(f.CR))) & micropacket.MaxCR
	default:
		return false
	}
	var p micropacket.Micropacket
	p.Parse(m.octets())
	p.Control = f.Control().WithECRC(p.Control.ECRC())
	p.Put(m.octets())
	return true
}

// changeData changes the number or virtual channel in the preamble image of a data frame, or the counts of a CC_Update
// for the virtual channels that rule names. It returns false if the frame has no such field.
func (r *rewrite) changeData(rule *Rule, m *message, w *Wire) bool {
	p := &m.preamble
	switch {
	case r.field == fieldSeq && p.Sequenced:
		p.Seq = r.value.apply(p.Seq) & wire.SeqMask
	case r.field == fieldVC:
		p.VC = uint8(r.value.apply(uint32(p.VC))) & 31
	case r.field == fieldCredit && m.kinds == 1<<CCUpdate:
		u := &m.counts
		for vc := range u.Count {
			if (u.VCs&rule.vcs())>>vc&1 != 0 {
				u.Count[vc] = r.value.apply(u.Count[vc])
			}
		}
		var b [wire.MaxCCUpdateLen]byte
		n, _ := wire.PutCCUpdate(b[:], wire.MAC{}, wire.MAC{}, w.settings.Control, m.dialect, u)
		_, rest := p.CarriedParts()
		copy(m.frame[rest:rest+p.CarriedLen(len(m.frame))-wire.AddressesLen], b[wire.AddressesLen:n])
		return true
	default:
		return false
	}
	wire.PutPreamble(m.frame[wire.HeaderLen:], m.dialect, *p)
	return true
}

// changePause changes the pause times of a PFC frame, for the priorities that rule names, or of a PAUSE frame. It
// returns false for any other field.
func (r *rewrite) changePause(rule *Rule, m *message) bool {
	if r.field != fieldQuanta || len(m.frame) < wire.MinFrameLen {
		return false
	}
	p := &m.pfc
	for i := range p.Quanta {
		if (uint32(p.Enable)&rule.priorities())>>i&1 != 0 {
			p.Quanta[i] = uint16(r.value.apply(uint32(p.Quanta[i])))
		}
	}
	wire.PutPFC(m.frame, wire.MAC(m.frame[wire.AddrLen:]), *p)
	return true
}

// vcs returns the virtual channels named by the rule, as a bitmap; all for a rule without names.
func (r *Rule) vcs() uint32 { return r.named(keyVC) }

// priorities returns the priorities named by the rule, as a bitmap; all for a rule without names.
func (r *Rule) priorities() uint32 { return r.named(keyPriority) }

// named returns, as a bitmap, the values that all conditions of the rule on a key allow.
func (r *Rule) named(k key) uint32 {
	all := ^uint32(0)
	for _, c := range r.conditions {
		switch {
		case c.key != k:
		case c.not:
			all &^= c.set
		default:
			all &= c.set
		}
	}
	return all
}
