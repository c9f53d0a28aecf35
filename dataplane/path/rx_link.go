package path

import (
	"uelink/dataplane/frame"
	"uelink/llr"
	"uelink/wire"
)

// deliver receives and handles a batch of frames from each RX ring of a link, control frames first, even while the
// egress ports have no room. It returns the number of frames received.
func (l *Link) deliver(d *Domain, now wire.Time) (n int) {
	for _, s := range l.Port.inlets() {
		descs := l.Port.receive(s, batch)
		if len(descs) == 0 {
			continue
		}
		l.Heard = now
		l.LLR.Tick(now)
		d.checkCrowd(s, len(descs))
		data := l.readBatch(descs, s.area, now)
		if len(l.Port.sources) > 1 && l.Port.caught == nil {
			l.spread(s, data)
		}
		at, rest := l.addressing.shim.CarriedParts() // assuming that the partner encapsulates as this end does
		d.warm(s, data, at, rest)
		retained := 0
		if d.trace.follows(&l.Port) {
			retained = d.trace.receiveLink(d, l, s, data, now)
		} else {
			for i := range data {
				s.fetchAhead(data, i)
				if l.receiveData(d, s, &data[i], now) {
					retained++
				} else {
					data[i-retained] = data[i]
				}
			}
		}
		s.device.Recycle(data[:len(data)-retained])
		s.device.Recycle(descs[len(data):])
		n += len(descs)
	}
	if l.LLR.Rx.CountKept() > 0 {
		n += l.deliverKept(d, now)
	}
	return n
}

// readBatch handles the control frames of a received batch, and returns its data frames, in order, moved to the
// front of descs.
func (l *Link) readBatch(descs []frame.Desc, area []byte, now wire.Time) []frame.Desc {
	n := 0
	for i, d := range descs {
		f := area[d.Addr : d.Addr+uint64(d.Len)]
		if len(f) >= wire.HeaderLen && wire.EtherType(f) != l.Port.settings.EtherTypeControl {
			descs[n], descs[i] = descs[i], descs[n]
			n++
			continue
		}
		if len(f) < wire.HeaderLen {
			l.Port.Counters.RxRunt++
			continue
		}
		l.readControl(f, now)
	}
	return descs[:n]
}

// receiveData handles a data frame received by the link, with or without a shim. It reports whether the frame waits in
// its chunk, which must then be kept.
func (l *Link) receiveData(d *Domain, s *source, desc *frame.Desc, now wire.Time) (retained bool) {
	f := s.area[desc.Addr : desc.Addr+uint64(desc.Len)]
	if wire.EtherType(f) != l.Port.settings.EtherTypeData {
		return l.receiveNative(d, s, desc, f, now)
	}
	p, fault := wire.ParseData(f, l.Port.settings.Dialect)
	if fault != wire.NoFault {
		l.countDataFault(f, fault, now)
		return false
	}
	if l.strangers.sentData(l, f, p) {
		return false
	}
	n := p.CarriedLen(len(f))
	if p.Partner {
		return l.toPartner(s, desc, p, n)
	}
	if d.Bridge != nil {
		return d.switchedData(l, s, desc, p, now)
	}
	to := l.Port.Other.chunk(n, p.VC)
	if to == nil && l.cbfc.Rx.Off() && l.pushback.refuses(l.Port.Other, s) {
		l.refuse(f, p)
		return false
	}
	fcs := l.check(f, p, to)
	if verdict := l.decide(f, p, fcs, n); verdict != llr.Deliver {
		return verdict == llr.Keep && l.keep(s, desc, p, fcs, n)
	}
	if to != nil {
		l.passing(p.VC, n)
		if !d.uncarried(&l.Port, to[:n], now) {
			l.Port.Other.emit(n, l.Port.Other.queueOf(p.VC))
		}
		return false
	}
	if d.uncarried(&l.Port, strip(s.area, desc, p, n), now) {
		l.passing(p.VC, n)
		return false
	}
	l.arrive(s, p.VC, n)
	return l.settle(s, d.pass(s, desc, l.Port.Other, p.VC, wire.Retag{}, now))
}

// refuse counts a data frame refused for want of room. LLR learns the number of a sequenced frame, and asks for a
// replay later.
func (l *Link) refuse(f []byte, p wire.Preamble) {
	l.Port.Counters.RxRefused++
	if p.Sequenced && wire.JudgeFCS(f, p, l.Port.settings.FCS) != wire.FCSBad {
		l.LLR.Rx.Overflowed(p.Seq)
	}
}

// decide returns what becomes of a data frame: it goes on to its egress (Deliver), is kept (Keep), or ends here. LLR
// decides if the frame is sequenced, else the rules of receiveBare. n is the length of the carried frame. A frame of an
// unknown virtual channel counts as received, but goes no further.
func (l *Link) decide(f []byte, p wire.Preamble, fcs wire.FCS, n int) llr.RxVerdict {
	if p.Sequenced {
		verdict := l.LLR.Rx.Receive(p.Seq, fcs, n)
		if verdict == llr.Ignore {
			return verdict
		}
		l.Bookmark.place.Advance(l.LLR.Rx.NextSeq())
		if verdict == llr.DeliverPoisoned {
			l.passing(p.VC, n) // accepted, but goes no further
			return verdict
		}
		if verdict == llr.Keep {
			return verdict // no ReceivedAddressed: the missing frames before this frame may have other outer addresses
		}
		if p.Addressed {
			l.Partner.ReceivedAddressed()
		}
	} else {
		if !l.receiveBare(f, p, fcs) {
			return llr.Ignore
		}
		if p.Addressed {
			l.Partner.ReceivedAddressed()
		}
	}
	if int(p.VC) >= l.vcs() {
		l.Port.Counters.RxVC++
		return llr.Ignore
	}
	return llr.Deliver
}

// strip removes the shim of a data frame in its chunk: it moves octets so that the carried frame of n octets is
// contiguous, and returns that frame.
func strip(area []byte, desc *frame.Desc, p wire.Preamble, n int) (carried []byte) {
	f := area[desc.Addr:]
	_, rest := p.CarriedParts()
	at := rest - wire.AddressesLen
	if !p.Addressed {
		copy(f[at:], f[:wire.AddressesLen])
	}
	desc.Addr += uint64(at)
	desc.Len = uint32(n)
	return f[at : at+n]
}

// check returns whether a data frame's FCS image is good, bad or missing, and passes the result to the partner
// machine. The carried frame is copied to the chunk to, unless to is nil.
func (l *Link) check(f []byte, p wire.Preamble, to []byte) (fcs wire.FCS) {
	if to == nil {
		fcs = wire.JudgeFCS(f, p, l.Port.settings.FCS)
	} else {
		fcs = wire.Carried(to, f, p, l.Port.settings.FCS)
	}
	switch {
	case fcs == wire.FCSGood:
		l.Partner.ReceivedGoodData()
		l.Partner.ReceivedShim()
	case !p.FCS:
		l.Partner.ReceivedWithoutFCS()
	}
	return fcs
}

// receiveBare handles a data frame without a sequence number and reports whether the frame is delivered. Such a
// frame shows that the partner's transmitter is off, unless the frame goes to a reserved group or by a channel
// without LLR: LLR never numbers those.
func (l *Link) receiveBare(f []byte, p wire.Preamble, fcs wire.FCS) bool {
	if fcs != wire.FCSGood {
		l.Port.Counters.RxBareBadFCS++
		return false
	}
	l.Port.Counters.RxBare++
	if (p.Addressed || !wire.Reserved(f)) && l.Port.settings.NoLLR>>p.VC&1 == 0 {
		l.unsequenced()
	}
	return true
}

// spread counts when the link's data frames arrive by another RX queue (source s) than those before, by the first data
// frame of a batch.
func (l *Link) spread(s *source, data []frame.Desc) {
	for _, d := range data {
		if wire.EtherType(s.area[d.Addr:]) != l.Port.settings.EtherTypeData {
			continue
		}
		if l.dataFrom != nil && l.dataFrom != s {
			l.Port.Counters.RxQueueChanges++
		}
		l.dataFrom = s
		return
	}
}

// readControl handles a received control frame: it updates the partner, LLR and the credits. It counts a damaged frame.
func (l *Link) readControl(frame []byte, now wire.Time) {
	n, unknown, fault := wire.ParseControl(frame, &l.control)
	if fault != wire.NoFault {
		l.countControlFault(fault)
		return
	}
	l.Port.Counters.RxControlType += uint64(unknown)
	if l.strangers.sentControl(l, frame, l.control[:n], now) {
		return
	}
	l.Port.Counters.RxControl++
	// The machines in this order: LLR learns from the frame whether the partner has restarted and by which start id. Only
	// with that id do the messages of STATION and of CBFC in the frame count.
	restarts := l.LLR.PartnerRestarts()
	l.Partner.ReceivedControl(frame, l.control[:n], now)
	l.LLR.ReceivedControl(now, l.control[:n]...)
	l.freeKept()
	l.Bookmark.save(l.LLR.Rx) // before LLR's answer leaves: after the answer the partner counts by the new numbers
	if l.LLR.PartnerRestarts() != restarts {
		l.Partner.Restarted()
	}
	if start, ok := l.LLR.PartnerStart(); ok {
		l.Partner.ReceivedStation(l.control[:n], start, now)
		l.receivedCredits(l.control[:n], now)
	}
	l.Free() // acknowledged slots are free before the data of the batch is read
}
