package rule

import (
	"uelink/wire"
	"uelink/wire/micropacket"
)

// message is what rules look at: a frame, a control ordered set of a control frame, or a micropacket of a frame of
// micropackets.
type message struct {
	way   int
	kinds kinds
	frame []byte
	unit  int // number of the control ordered set or of the micropacket in the frame; -1: the frame itself

	seq    uint32 // sequence number, init_seq, ack_nack_seq, or TSEQ
	hasSeq bool
	fresh  bool   // seq is the number after the highest data number seen before this message
	copies uint32 // data frame: 1 = its number was not seen before, 2 = it was; 0: not a data frame
	item   int    // number of the item of a STATION or GAP message; -1: another message

	shim     bool // a data frame
	preamble wire.Preamble
	dialect  wire.Dialect
	counts   wire.CCUpdate
	pfc      wire.PFC
	set      wire.CtlOS
	intact   bool // control frame, frame of micropackets: parsed, with a right check
	head     micropacket.FrameHead
	control  micropacket.Control
}

// classify fills m with a frame of one way, except for fresh and copies, which the caller sets.
func (w *Wire) classify(m *message, way int, frame []byte) {
	*m = message{way: way, frame: frame, unit: -1, item: -1, kinds: 1 << Native}
	if len(frame) < wire.HeaderLen {
		return
	}
	switch wire.EtherType(frame) {
	case w.settings.Control:
		m.kinds = 1 << Control
		_, _, fault := wire.ParseControl(frame, &w.sets)
		m.intact = fault == wire.NoFault
	case w.settings.Data:
		w.classifyData(m)
	case wire.EtherTypeMACControl:
		m.classifyPause()
	case wire.EtherTypeLLDP:
		m.kinds = 1 << LLDP
		if hasDCBX(frame[wire.HeaderLen:]) {
			m.kinds |= 1 << DCBX
		}
	}
}

// classifyData fills m with a frame under the EtherType of data: of either dialect, or of micropackets.
func (w *Wire) classifyData(m *message) {
	f := m.frame
	if micropacket.IsFrame(f) {
		var fault wire.Fault
		m.kinds = 1 << Hippi
		m.head, fault = micropacket.ParseFrame(f)
		m.intact = fault == wire.NoFault
		return
	}
	p, fault := wire.ParseData(f, wire.DialectSeed)
	if fault != wire.NoFault {
		if p, fault = wire.ParseData(f, wire.DialectUE1); fault != wire.NoFault {
			return
		}
		m.dialect = wire.DialectUE1
	}
	m.shim, m.preamble, m.kinds = true, p, 1<<Plain
	if p.Sequenced {
		m.kinds, m.seq, m.hasSeq = 1<<Data, p.Seq, true
	}
	if p.Partner {
		_, rest := p.CarriedParts()
		end := rest + p.CarriedLen(len(f)) - wire.AddressesLen
		if wire.ParseCCUpdate(f[rest:end], w.settings.Control, m.dialect, &m.counts) == wire.NoFault {
			m.kinds = 1 << CCUpdate
		}
	}
}

// classifyPause makes m a frame of PFC or of global pause, if it is one.
func (m *message) classifyPause() {
	p, fault := wire.ParsePFC(m.frame)
	if fault != wire.NoFault {
		return
	}
	m.pfc, m.kinds = p, 1<<PFC
	if p.Global {
		m.kinds = 1 << Pause
	}
}

// selectSet makes m the control ordered set number i of its control frame; ok is false for one of an unknown type.
func (m *message) selectSet(i int) (ok bool) {
	set, fault := wire.ParseCtlOS(wire.CtlOSAt(m.frame, i), wire.ViewPCS)
	kind, ok := KindOfSet(set.Type)
	if fault != wire.NoFault || !ok {
		return false
	}
	m.unit, m.set, m.kinds, m.item, m.hasSeq, m.seq = i, set, 1<<kind, -1, false, 0
	switch kind {
	case Ack, Nack, Init, InitEcho:
		m.seq, m.hasSeq = set.Seq, true
	case Gap:
		m.item = int(set.Item)
		m.seq, _, m.hasSeq = set.Gap(set.Item)
	case Station:
		m.item = int(set.Item)
	default: // this type of set has no sequence number and no item number
	}
	return true
}

// selectMicropacket makes m the micropacket number i of its frame; ok is false for one of an undefined TYPE.
func (m *message) selectMicropacket(i int) (ok bool) {
	var p micropacket.Micropacket
	p.Parse(micropacket.At(m.frame, i))
	kind, ok := KindOfMicropacket(p.Control.Type())
	m.unit, m.control, m.kinds = i, p.Control, 1<<kind
	m.seq, m.hasSeq = uint32(p.Control.TSEQ()), p.Control.TSEQ() != micropacket.NoSeq
	return ok
}

// dataWay returns the way of the data frames that the message's number is about.
func (m *message) dataWay() int {
	if m.kinds&(1<<Ack|1<<Nack|1<<InitEcho|1<<Gap) != 0 {
		return 1 - m.way
	}
	return m.way
}

// octets returns the octets of the message: a frame, a control ordered set or a micropacket.
func (m *message) octets() []byte {
	switch {
	case m.unit < 0:
		return m.frame
	case m.kinds&setKinds != 0:
		return wire.CtlOSAt(m.frame, m.unit)
	}
	return micropacket.At(m.frame, m.unit)
}

// inner returns the frame that a data frame carries, in memory of b or of the frame; a native frame itself.
func (m *message) inner(b []byte) []byte {
	if !m.shim {
		return m.frame
	}
	addresses, rest := m.preamble.CarriedParts()
	end := addresses + wire.AddressesLen
	b = append(b, m.frame[addresses:end]...)
	return append(b, m.frame[rest:rest+m.preamble.CarriedLen(len(m.frame))-wire.AddressesLen]...)
}

// innerAt returns the offset in the frame of the octet at offset at of the carried frame.
func (m *message) innerAt(at int) int {
	if !m.shim {
		return at
	}
	addresses, rest := m.preamble.CarriedParts()
	if at < wire.AddressesLen {
		return addresses + at
	}
	return rest + at - wire.AddressesLen
}

// vcs returns the virtual channels that the message is about, as a bitmap.
func (m *message) vcs() uint32 {
	switch m.kinds {
	case 1 << Data, 1 << Plain:
		return 1 << m.preamble.VC
	case 1 << CCUpdate:
		return m.counts.VCs
	case 1 << CFUpdate:
		return 1<<m.set.CF[0].VC | 1<<m.set.CF[1].VC
	case 1 << VC:
		return 1 << (m.set.Data[0] >> 3)
	case 1 << HippiCreditOnly:
		return 1 << m.control.VCR()
	default:
		if m.kinds&micropacketKinds != 0 {
			return 1 << m.control.VC()
		}
		return 0
	}
}

// priorities returns the Ethernet priorities of a carried or native frame's tag, or of a PFC, as a bitmap.
func (m *message) priorities() uint32 {
	switch {
	case m.kinds&(1<<PFC|1<<Pause) != 0:
		return uint32(m.pfc.Enable)
	case m.unit >= 0 || len(m.frame) < wire.HeaderLen:
		return 0
	}
	at := m.innerAt(wire.AddressesLen)
	if at+wire.VLANTagLen+2 > len(m.frame) {
		return 0
	}
	tci, tagged, fault := wire.ParseVLAN(m.frame[at:])
	if !tagged || fault != wire.NoFault {
		return 0
	}
	return 1 << (tci >> wire.PCPShift)
}

// fcsNone is the state of a message without a check; the other states are those of wire.FCS.
const fcsNone = 3

// fcs returns the state of the message's check, as a wire.FCS, or fcsNone: the FCS image of a data frame, the CRC of a
// control frame or of a frame of micropackets, or the LCRC of a micropacket.
func (m *message) fcs() uint32 {
	switch {
	case m.shim && m.preamble.FCS:
		return uint32(wire.CheckFCS(m.frame))
	case m.kinds&micropacketKinds != 0:
		var p micropacket.Micropacket
		p.Parse(m.octets())
		return uint32(p.CheckLCRC()) // good, stomped, bad
	case m.kinds&(setKinds|1<<Control) != 0, m.kinds&(1<<Hippi) != 0 && (m.head.FCS || !m.intact):
		if m.intact {
			return uint32(wire.FCSGood)
		}
		return uint32(wire.FCSBad)
	}
	return fcsNone
}

// reseal makes the checks of the message's frame right again.
func (m *message) reseal() {
	switch {
	case m.shim && m.preamble.FCS:
		wire.PutFCS(m.frame, 0)
	case m.intact && m.kinds&(1<<Control|setKinds) != 0:
		wire.SealControl(m.frame, int(m.frame[countAt]))
	case m.intact:
		m.putHippi(m.frame, int(m.head.N), m.head.Number)
	}
}

// countAt is the octet of a control frame with the number of its control ordered sets.
const countAt = wire.HeaderLen + 1

// putHippi completes a frame of micropackets that has n of them in place, with the head of the message's frame and a
// number, and returns its length.
func (m *message) putHippi(b []byte, n int, number uint32) int {
	h := m.head
	h.N, h.Number = uint8(n), number
	outer := wire.Addresses(m.frame)
	return micropacket.PutFrame(b, &outer, wire.EtherType(m.frame), h)
}
