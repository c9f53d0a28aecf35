package dataplane

import (
	"uelink/cbfc"
	"uelink/dataplane/negotiation"
	"uelink/dataplane/partner"
	"uelink/dataplane/place"
	"uelink/dataplane/qos"
	"uelink/llr"
	"uelink/wire"
)

// controlReserve is the number of slots and TX ring entries that data frames leave free for control frames.
const controlReserve = 2

// quiet is the time without a received frame after which the link counts as idle and LLR acknowledges at once. It is
// shorter than a worker spins. It is long enough for an answer to the last frame to leave first, because the
// acknowledgement would delay the answer.
const quiet = 40e3 // ns

// link is a port of role link: the port, its LLR machines, and the state known of its partner.
type link struct {
	port
	llr      *llr.Link
	partner  partner.Partner
	pace     pace
	fresh    int  // new frames sent in this round
	replayed int  // replays sent in this round
	holding  bool // the sockets are being reopened: STATION tells the partner to wait
	refusing bool // the edge has no room for frames: they are refused before LLR's verdict

	modes       negotiation.Machine
	agreed      Negotiated        // the last result of LLDP in force
	transmitter negotiation.State // state that LLR's transmitter was last switched to
	receiver    negotiation.State // state that LLR's receiver was last switched to

	self        wire.Station // the STATION message of this end
	shimOnly    bool         // frames without a shim belong to the host: the link sends no frame without a shim
	carries     int          // octets of the longest link frame that the wire carries
	longest     int          // octets of the longest link frame that this end may have to send
	takes       int          // octets of the longest link frame that this end accepts
	most        int          // octets of the longest carried frame; 0: not known
	channels    int          // virtual channels that the partner has
	introduces  bool         // the partner is known, but has not sent its STATION yet
	away        bool         // the partner restarts, as announced, and may still come back in time: frames wait
	leaving     leaving      // state of this end's own leaving
	place       *place.Place // where next_rx_seq is kept for the next process
	resumes     bool         // STATION carries past, until the partner's LLR_INIT
	past        llr.Bookmark // bookmark left in the place by an earlier process
	postponed   *Negotiated  // result of LLDP to apply when the partner's absence is over; nil: none
	postponedTo int64        // latest end of the partner's absence, ns
	drain       int64        // longest time for a direction to retire after it was switched off, ns
	flushes     uint64       // number of LLR flushes, as last read
	flushed     string       // text of the frame that was not acknowledged before the last flush

	shim         wire.Preamble  // parts common to all data frames: FCS image and form
	outer        wire.Addresses // addresses from this end to the partner
	controlTo    wire.MAC       // where control frames go
	otherStation wire.MAC       // last sender of control frames besides the known partner; zero: none

	cbfc        *cbfc.Port
	credit      creditModes
	creditsTold creditsTold
	env         cbfc.Env
	unacked     [qos.Classes + 1]int      // frames held by LLR, by VC; the last entry: frames to the partner itself
	counts      wire.CCUpdate             // scratch
	note        [wire.MaxCCUpdateLen]byte // scratch: a frame to the partner

	dataFrom *source // source of the last data in a shim; nil: no data yet

	control [wire.MaxCtlOS]wire.CtlOS // scratch: messages received, or to be sent
	heard   int64                     // time of the last received frame, ns
	last    reported                  // state as last reported by events
	// reportedTo is the time, ns, up to which the reports so far last at one each reportEvery.
	reportedTo int64
}

// identity holds the random numbers that distinguish one start of a link from all other starts.
type identity struct {
	seq   uint32  // the first sequence number
	nonce [2]byte // init_data of LLR_INIT
	start uint32  // start id of STATION
}

// newLink returns a link port without devices. drain is the value of link.drain.
func newLink(s PortSettings, p llr.Profile, id identity, drain, now int64) *link {
	l := &link{
		llr: llr.NewLink(p, id.seq, id.nonce), partner: partner.New(id.start), pace: newPace(), drain: drain,
		last: reported{rxOff: true}, place: place.Private(),
		leaving: leaving{back: p.HoldTimeout},
	}
	l.link = l
	l.partner.SetPatience(int64(p.HoldTimeout))
	l.set(s, now)
	l.partner.Pin(s.addressed(), s.Partner)
	credits := l.creditSettings()
	l.cbfc = cbfc.NewPort(credits)
	l.credit.on = credits.On
	l.boundQueues(credits.Lossless)
	l.llr.Tx.SetCarrier(false, now)
	l.configureModes(now)
	return l
}

// vcs returns the number of virtual channels of this end.
func (l *link) vcs() int { return max(1, l.settings.VCs) }

// setUp records the carrier of the interface, and passes it to LLR.
func (l *link) setUp(up bool, now int64) {
	l.up = up
	l.llr.Tx.SetCarrier(up && l.attached(), now)
}

// dropHeld drops the frames held by LLR, because their slots go away with the device.
func (l *link) dropHeld(now int64) {
	l.llr.Tx.SetCarrier(false, now)
	l.llr.Tx.Reinit(now)
	for {
		if _, ok := l.llr.Tx.Free(); !ok {
			break
		}
	}
	l.unacked = [qos.Classes + 1]int{}
}

// free releases the slots of frames that LLR holds no longer.
func (l *link) free() {
	l.noteFlush()
	for {
		slot, ok := l.llr.Tx.Free()
		if !ok {
			return
		}
		l.unacked[l.slots.state[slot].vc]--
		l.slots.release(slot)
	}
}

// readControl handles a received control frame: it updates the partner, LLR and the credits. It counts a damaged frame.
func (l *link) readControl(frame []byte, now int64) {
	n, unknown, fault := wire.ParseControl(frame, &l.control)
	if fault != wire.NoFault {
		l.countControlFault(fault)
		return
	}
	l.counters.RxControlType += uint64(unknown)
	if l.controlOfOther(frame, l.control[:n], now) {
		return
	}
	l.counters.RxControl++
	restarts := l.llr.PartnerRestarts()
	l.partner.ReceivedControl(frame, l.control[:n], now)
	l.llr.ReceivedControl(now, l.control[:n]...)
	l.keepPlace()
	if l.llr.PartnerRestarts() != restarts {
		l.partner.Restarted()
	}
	if start, ok := l.llr.PartnerStart(); ok {
		l.partner.ReceivedStation(l.control[:n], start, now)
		l.receivedCredits(l.control[:n], now)
	}
	l.free()
}

func (l *link) countControlFault(fault wire.Fault) {
	switch fault {
	case wire.FaultTruncated:
		l.counters.RxControlTruncated++
	case wire.FaultVersion:
		l.counters.RxControlVersion++
	case wire.FaultCount:
		l.counters.RxControlCount++
	case wire.FaultCRC:
		l.counters.RxControlCRC++
	default:
		l.counters.RxControlReserved++
	}
}

// sendControl runs LLR's timers, posts all pending control messages as one control frame, and then posts probes of the
// wire's longest frame. Without room to send, only the timers run.
func (l *link) sendControl(now int64) {
	if l.txRoom() == 0 {
		l.llr.Expire(now)
		l.free()
		l.blocked = true
		return
	}
	list := l.llr.Poll(now, now-l.heard >= quiet, l.control[:0])
	l.free()
	list = l.partner.AppendStation(l.self, list, l.llr.StationRequested(), now)
	list = l.appendCredits(list, now)
	if len(list) > 0 {
		l.postControl(list, 0)
	}
	for l.txRoom() > controlReserve {
		octets, ok := l.partner.Probe(now)
		if !ok {
			return
		}
		l.postControl(l.partner.AppendLastStation(l.control[:0]), octets)
	}
}

// postControl posts a control frame with the messages of list, padded to at least a number of octets.
func (l *link) postControl(list []wire.CtlOS, octets int) {
	slot, chunk := l.slot()
	n := wire.PutControlTo(chunk, l.controlTo, l.mac, l.settings.EtherTypeControl, list)
	l.slots.state[slot].len = uint32(wire.PadControl(chunk, n, octets))
	l.counters.TxControl++
	l.partner.SentControl()
	l.port.post(slot)
}

// review updates the link in every round: it forgets a silent partner, rebuilds this end's STATION, and updates the
// partner's problem and the longest frame to the partner.
func (l *link) review(now int64) {
	outstanding, _ := l.llr.Tx.Outstanding()
	l.reviewLeave(now)
	if l.partner.Silent(now) && !l.away && l.wantsPartner(outstanding) {
		l.partner.Forget(l.awaitsPartner())
		l.otherStation = wire.MAC{}
		l.llr.Tx.PartnerSilent(now)
		l.cbfc.PartnerLost()
		l.shut = 0
	}
	l.partner.CheckSilence(outstanding, now)
	l.encapsulate(now)
	s := &l.settings
	l.self = wire.Station{
		Largest: uint16(l.takes), Local: l.receiver == negotiation.On, Remote: l.remote(), Live: l.llr.Rx.Live(),
		Dynamic: l.modes.Dynamic(), FCS: s.FCS, UE1: s.Dialect == wire.DialectUE1, EtherType: s.EtherTypeData,
		Busy: l.refusing || l.holding,
		VCs:  uint8(l.vcs()), TakesVCs: l.vcs() > 1, Partner: true, CBFC: l.credit.on,
		Addressed: s.addressed(), Takes: true,
		Leaves: l.leaving.announced(), Holds: l.away, Held: l.away && outstanding == 0,
		Resumes: l.resumes, Origin: l.past.Origin, Next: l.past.Next,
	}
	if n := l.llr.Tx.LongestAcked(); n > 0 {
		l.partner.AckedFrame(l.shim.DataLen(n), now)
	}
	l.partner.SetLongest(l.longest)
	l.partner.UpdateProblem(l.self, l.llr.Counters().TxOK+l.counters.TxBare, now)
	l.carries = min(l.maxFrame, l.partner.MaxFrame())
	l.channels = l.partner.VCs()
	if introduces := l.partner.Introducing(); introduces != l.introduces {
		l.introduces, l.shut = introduces, 0
	}
	l.llr.Tx.SetFrameLimit(l.shim.CarriedLen(l.carries))
}

// wantsPartner reports whether review may forget a silent partner: no frame is outstanding, and a living partner would
// have sent control frames.
func (l *link) wantsPartner(outstanding int) bool {
	switch l.llr.Tx.State() {
	case llr.TxInit:
		return true
	case llr.TxOff:
		return !l.local() || l.partner.SendsStation()
	}
	return outstanding == 0 && l.partner.SendsStation()
}

// configure applies new settings, and the LLR profile of the link. drain is the value of link.drain.
func (l *link) configure(s PortSettings, p llr.Profile, drain, now int64) {
	l.set(s, now)
	l.drain = drain
	l.llr.Tx.SetProfile(p)
	l.llr.Rx.SetProfile(p)
	l.partner.SetPatience(int64(p.HoldTimeout))
	l.leaving.back = p.HoldTimeout
	l.configureModes(now)
	l.configureCredits(now)
}
