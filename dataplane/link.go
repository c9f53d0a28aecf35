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

// controlReserve is how many slots and ring entries data leaves to control.
const controlReserve = 2

// quiet is the time without a received frame after which the link counts as idle and LLR acknowledges at once: less
// than a worker spins, and long enough for an answer to the last frame to leave before the acknowledgement, which would
// delay the answer.
const quiet = 40e3 // ns

// link is a port of role link: the port, its LLR machines, and the state known of its partner.
type link struct {
	port
	llr      *llr.Link
	partner  partner.Partner
	pace     pace
	fresh    int  // new frames sent in this round
	replayed int  // replays sent in this round
	holding  bool // the sockets are being reopened: the partner must wait
	refusing bool // the edge has no room for frames: they are refused before LLR's verdict

	modes       negotiation.Machine
	agreed      Negotiated        // by LLDP
	transmitter negotiation.State // as LLR was last switched, as is receiver
	receiver    negotiation.State

	self        wire.Station // this end, as announced to the partner
	shimOnly    bool         // frames without a shim are the host's: the link sends none
	carries     int          // octets of the longest link frame that the wire carries
	longest     int          // octets of the longest link frame that this end may have to send
	takes       int          // octets of the longest link frame that this end accepts
	most        int          // octets of the longest carried frame; 0: not known
	channels    int          // virtual channels that the partner has
	introduces  bool         // the partner may be about to announce its channels
	away        bool         // the partner has announced that it leaves, and has time to come back: frames for it wait
	leaving     leaving      // state of this end's own leaving
	place       *place.Place // where next_rx_seq is kept for the next process
	resumes     bool         // past was sent to the partner, which has not answered yet
	past        llr.Bookmark // bookmark left in the place by an earlier process
	postponed   *Negotiated  // result of LLDP since the partner is away; nil: none
	postponedTo int64        // latest end of the partner's absence, ns
	drain       int64        // most time of a direction to retire after it was switched off, ns
	flushes     uint64       // flushes of LLR already reported
	flushed     string       // the frame that did not get through before the last flush

	shim         wire.Preamble  // parts common to all data frames: FCS image and form
	outer        wire.Addresses // addresses from this end to the partner
	controlTo    wire.MAC       // where control frames go
	otherStation wire.MAC       // last other station heard since the partner is known; zero: none

	cbfc        *cbfc.Port
	credit      creditModes
	creditsTold creditsTold
	env         cbfc.Env
	unacked     [qos.Classes + 1]int      // by VC: frames held by LLR; the last counts frames to the partner itself
	counts      wire.CCUpdate             // scratch
	note        [wire.MaxCCUpdateLen]byte // scratch: a frame to the partner

	dataFrom *source // source of the last data in a shim; nil: no data yet

	control [wire.MaxCtlOS]wire.CtlOS // decoded, or gathered to be sent
	heard   int64                     // when something last came, ns
	last    reported
	toldTo  int64 // time, ns, at which the reports so far are used up at one each reportEvery
}

// identity distinguishes one start of a link from all other starts.
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

// setUp notes the carrier.
func (l *link) setUp(up bool, now int64) {
	l.up = up
	l.llr.Tx.SetCarrier(up && l.attached(), now)
}

// lost drops the frames held by LLR, because their slots go away with the device.
func (l *link) lost(now int64) {
	l.llr.Tx.SetCarrier(false, now)
	l.llr.Tx.Reinit(now)
	for {
		if _, ok := l.llr.Tx.Free(); !ok {
			break
		}
	}
	l.unacked = [qos.Classes + 1]int{}
}

// free returns the slots that LLR no longer needs.
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

// readControl handles a control frame; its errors are counted.
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

// sendControl runs LLR's timers and posts all pending control messages as one control frame, and then probes of the
// wire. The timers run also without room to send.
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

// postControl posts a control frame, padded to at least octets.
func (l *link) postControl(list []wire.CtlOS, octets int) {
	slot, chunk := l.slot()
	n := wire.PutControlTo(chunk, l.controlTo, l.mac, l.settings.EtherTypeControl, list)
	l.slots.state[slot].len = uint32(wire.PadControl(chunk, n, octets))
	l.counters.TxControl++
	l.partner.SentControl()
	l.port.post(slot)
}

// review updates the partner's state: present or silent, its problem, and the longest frame.
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
		Leaves: l.leaving.tells(), Holds: l.away, Held: l.away && outstanding == 0,
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

// wantsPartner reports whether a silent partner shall be forgotten: if no frame is outstanding, and a living partner
// would speak.
func (l *link) wantsPartner(outstanding int) bool {
	switch l.llr.Tx.State() {
	case llr.TxInit:
		return true
	case llr.TxOff:
		return !l.local() || l.partner.SendsStation()
	}
	return outstanding == 0 && l.partner.SendsStation()
}

// configure applies new LLR settings and their profile.
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
