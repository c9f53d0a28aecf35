package analyzer

import (
	"math/bits"

	"uelink/dataplane/fault/rule"
	"uelink/wire"
	"uelink/wire/micropacket"
)

// The way of a frame through the analyzer:
//
//  1. Arrived reads the frame as sent: numbers, answers to the other way, and the spacing of messages.
//  2. Lost records that the wire has dropped the frame.
//  3. Left reads the frame as the receiver gets it: whole or damaged, and what the answers in the frame acknowledge.
//
// A frame is whole if its checksums are right. A data frame without an FCS image counts as whole.

// Arrived records a frame of a way at its arrival at the wire, before any rule or fault: the numbers of data frames and
// micropackets, the answers in control frames and micropackets, and the spacing of messages. A damaged frame is only
// counted.
func (a *Analyzer) Arrived(way int, frame []byte, now wire.Time) {
	if len(frame) < wire.HeaderLen {
		return
	}
	y, back := &a.ways[way], &a.ways[1-way]
	switch wire.EtherType(frame) {
	case a.settings.Control:
		a.arrivedControl(y, back, frame, now)
	case a.settings.Data:
		if micropacket.IsFrame(frame) {
			a.arrivedMicropackets(y, back, frame, now)
			return
		}
		p, ok := parseData(frame)
		switch {
		case !ok:
		case wire.JudgeFCS(frame, p, false) != wire.FCSGood:
			y.damaged++
		case p.Sequenced:
			y.llr.arrives(p.Seq, len(frame), now)
			a.spaceCCUpdate(y, frame, p, now)
		}
	}
}

// parseData reads a data frame of either dialect.
func parseData(frame []byte) (p wire.Preamble, ok bool) {
	p, fault := wire.ParseData(frame, wire.DialectSeed)
	if fault != wire.NoFault {
		p, fault = wire.ParseData(frame, wire.DialectUE1)
	}
	return p, fault == wire.NoFault
}

// spaceCCUpdate measures the time since the last CC_Update on way y, if the data frame carries a CC_Update. p is the
// parsed preamble of the frame.
func (a *Analyzer) spaceCCUpdate(y *way, frame []byte, p wire.Preamble, now wire.Time) {
	if !p.Partner {
		return
	}
	_, rest := p.CarriedParts()
	carried := frame[rest : rest+p.CarriedLen(len(frame))-wire.AddressesLen]
	for _, d := range []wire.Dialect{wire.DialectSeed, wire.DialectUE1} {
		if wire.ParseCCUpdate(carried, a.settings.Control, d, &a.counts) == wire.NoFault {
			y.spacing[rule.CCUpdate].add(now)
			return
		}
	}
}

// arrivedControl records the control ordered sets of a control frame that arrives on way y: LLR_INIT begins the numbers
// of y; LLR_ACK and LLR_NACK answer the frames of the other way, back. The spacing of all kinds is measured. A damaged
// frame is only counted.
func (a *Analyzer) arrivedControl(y, back *way, frame []byte, now wire.Time) {
	n, _, fault := wire.ParseControl(frame, &a.sets)
	if fault != wire.NoFault {
		y.damaged++
		return
	}
	kinds := uint32(1) << rule.Control
	for i := range a.sets[:n] {
		c := &a.sets[i]
		if kind, ok := rule.KindOfSet(c.Type); ok {
			kinds |= 1 << kind
		}
		switch c.Type {
		case wire.LLRInit:
			y.initialize(c)
		case wire.LLRNack:
			back.llr.acknowledges(c.Seq)
			back.llr.asks(c.Seq)
		case wire.LLRAck:
			back.llr.acknowledges(c.Seq)
		case wire.LLRInitEcho, wire.CFUpdate, wire.StationCtlOS, wire.ChannelCtlOS, wire.GapCtlOS: // only their spacing
		}
	}
	y.space(kinds, now)
}

// space records the time of a frame with messages of some kinds.
func (y *way) space(kinds uint32, now wire.Time) {
	for ; kinds != 0; kinds &= kinds - 1 {
		y.spacing[bits.TrailingZeros32(kinds)].add(now)
	}
}

// initialize records an LLR_INIT. An LLR_INIT different from the last begins the numbers again.
func (y *way) initialize(c *wire.CtlOS) {
	if y.hasInit && y.initSeq == c.Seq && y.initData == c.InitData {
		return
	}
	y.hasInit, y.initSeq, y.initData = true, c.Seq, c.InitData
	y.llr.restart(c.Seq)
}

// arrivedMicropackets records the micropackets of a frame that arrives on way y: TSEQ is a number of y, and RSEQ
// acknowledges a number of the other way, back. A link control micropacket restarts the numbers. Damaged ones are only
// counted.
func (a *Analyzer) arrivedMicropackets(y, back *way, frame []byte, now wire.Time) {
	h, fault := micropacket.ParseFrame(frame)
	if fault != wire.NoFault {
		y.damaged++
		return
	}
	kinds := uint32(1) << rule.Hippi
	var m micropacket.Micropacket
	for i := range int(h.N) {
		m.Parse(micropacket.At(frame, i))
		kind, ok := rule.KindOfMicropacket(m.Control.Type())
		if !ok || m.CheckLCRC() != micropacket.Good {
			y.damaged++
			continue
		}
		kinds |= 1 << kind
		if m.Control.Type().LinkControl() {
			y.hippi.forget()
		}
		if seq := m.Control.TSEQ(); seq != micropacket.NoSeq {
			y.hippi.arrives(uint32(seq), micropacket.Len, now)
		}
		if seq := m.Control.RSEQ(); seq != micropacket.NoSeq {
			back.hippi.acknowledges(uint32(seq))
		}
	}
	y.space(kinds, now)
}

// Lost records that the wire drops a frame of a way: the numbers of the data frame, or of its micropackets, are lost.
// frame has the octets with which the frame arrived.
func (a *Analyzer) Lost(way int, frame []byte, _ wire.Time) {
	if len(frame) < wire.HeaderLen || wire.EtherType(frame) != a.settings.Data {
		return
	}
	y := &a.ways[way]
	if !micropacket.IsFrame(frame) {
		if p, ok := parseData(frame); ok && p.Sequenced {
			y.llr.loses(p.Seq)
		}
		return
	}
	h, fault := micropacket.ParseFrame(frame)
	if fault != wire.NoFault {
		return
	}
	var m micropacket.Micropacket
	for i := range int(h.N) {
		m.Parse(micropacket.At(frame, i))
		if seq := m.Control.TSEQ(); seq != micropacket.NoSeq {
			y.hippi.loses(uint32(seq))
		}
	}
}

// Left records a frame of a way when it leaves, after all rules and faults: the number of a whole data frame has left,
// that of a damaged one is lost, and the answers reach the sender of the frames that they answer.
func (a *Analyzer) Left(way int, frame []byte, now wire.Time) {
	if len(frame) < wire.HeaderLen {
		return
	}
	y, back := &a.ways[way], &a.ways[1-way]
	switch wire.EtherType(frame) {
	case a.settings.Control:
		a.leftControl(back, frame, now)
	case a.settings.Data:
		if micropacket.IsFrame(frame) {
			leftMicropackets(y, back, frame, now)
			return
		}
		p, ok := parseData(frame)
		switch {
		case !ok || !p.Sequenced:
		case wire.JudgeFCS(frame, p, false) == wire.FCSGood:
			y.llr.leaves(p.Seq, now)
		default:
			y.llr.loses(p.Seq)
		}
	}
}

// leftControl records the LLR_ACK and LLR_NACK of a control frame that leaves. back is the way of the frames that they
// acknowledge or request, opposite to that of the control frame.
func (a *Analyzer) leftControl(back *way, frame []byte, now wire.Time) {
	n, _, fault := wire.ParseControl(frame, &a.sets)
	if fault != wire.NoFault {
		return
	}
	var received wire.Received
	for i := range a.sets[:n] {
		c := &a.sets[i]
		if r, ok := c.Received(); ok {
			received = r
		}
		if c.Type == wire.LLRAck || c.Type == wire.LLRNack {
			back.llr.covers(c.Seq, now)
		}
		if c.Type == wire.LLRNack {
			back.llr.requests(c.Seq, received.Nack, now)
		}
	}
}

// leftMicropackets records the micropackets of a frame that leaves on way y, good or damaged, and the numbers of the
// other way, back, that the accepted ones acknowledge.
func leftMicropackets(y, back *way, frame []byte, now wire.Time) {
	h, fault := micropacket.ParseFrame(frame)
	if fault != wire.NoFault {
		return
	}
	var m micropacket.Micropacket
	for i := range int(h.N) {
		m.Parse(micropacket.At(frame, i))
		seq, good := m.Control.TSEQ(), m.CheckLCRC() == micropacket.Good
		accepted := good
		switch {
		case seq == micropacket.NoSeq:
		case good:
			accepted = y.hippi.inTurn(uint32(seq))
			y.hippi.leaves(uint32(seq), now)
		default:
			y.hippi.loses(uint32(seq))
		}
		// A micropacket out of sequence is discarded with its RSEQ (HIPPI-6400 9.1.2).
		if acked := m.Control.RSEQ(); accepted && acked != micropacket.NoSeq {
			back.hippi.covers(uint32(acked), now)
		}
	}
}
