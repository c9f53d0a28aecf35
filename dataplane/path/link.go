package path

import (
	"crypto/rand"
	"encoding/binary"
	"time"

	"uelink/cbfc"
	"uelink/dataplane/model"
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
const quiet = 40 * time.Microsecond

// Link is a port of role link: the port, its LLR machines, and the state known of its partner.
type Link struct {
	Port
	LLR      *llr.Link
	Partner  partner.Partner
	pace     pace
	buffered keeping
	kind     llr.ReplayKind // of replay by the settings; LLR may have less for want of memory
	fresh    int            // new frames sent in this round
	replayed int            // replays sent in this round
	queued   bool           // ringIsFull: this round posts no frames
	atOnce   int            // completions that lately came at once
	Holding  bool           // the sockets are being reopened: STATION tells the partner to wait
	refusing bool           // the edge has no room for frames: they are refused before LLR's verdict

	modes       negotiation.Machine
	agreed      Negotiated        // the last result of LLDP in force
	transmitter negotiation.State // state that LLR's transmitter was last switched to
	receiver    negotiation.State // state that LLR's receiver was last switched to

	self        wire.Station  // the STATION message of this end
	shimOnly    bool          // frames without a shim belong to the host: the link sends no frame without a shim
	Carries     int           // octets of the longest link frame that the wire carries
	longest     int           // octets of the longest link frame that this end may have to send
	takes       int           // octets of the longest link frame that this end accepts
	most        int           // octets of the longest carried frame; 0: not known
	required    int           // octets of the longest link frame that partner and wire have to take
	requiredIn  int           // octets of the longest carried frame, room for a second VLAN tag not counted; 0: not known
	widest      *Port         // the port that carries frames of this length; nil: not known
	channels    int           // virtual channels that the partner has
	introduces  bool          // the partner is known, but has not sent its STATION yet
	away        bool          // the partner restarts, as announced, and may still come back in time: frames wait
	leaving     leaving       // state of this end's own leaving
	place       *place.Place  // where next_rx_seq is kept for the next process
	resumes     bool          // STATION carries past, until the partner's LLR_INIT
	past        llr.Bookmark  // bookmark left in the place by an earlier process
	postponed   *Negotiated   // result of LLDP to apply when the partner's absence is over; nil: none
	postponedTo wire.Time     // latest end of the partner's absence
	drain       time.Duration // longest time for a direction to retire after it was switched off
	flushes     uint64        // number of LLR flushes, as last read
	flushed     string        // text of the frame that was not acknowledged before the last flush

	shim         wire.Preamble  // parts common to all data frames: FCS image and form
	outer        wire.Addresses // addresses from this end to the partner
	controlTo    wire.MAC       // where control frames go
	sentTo       wire.MAC       // address to which another station sent a control frame that is not for this end; zero: none
	network      string         // name of the interface's network, if it carries only IP
	otherStation wire.MAC       // last sender of control frames besides the known partner; zero: none
	calmAt       wire.Time      // since when there is no problem with the partner, and the last is not over yet
	otherSeen    uint64         // RxOtherStation at the last look of heardOther
	otherAt      wire.Time      // when it had grown

	cbfc        *cbfc.Port
	credit      creditModes
	creditsTold creditsTold
	env         cbfc.Env
	unacked     [qos.Classes + 1]int      // frames held by LLR, by VC; the last entry: frames to the partner itself
	counts      wire.CCUpdate             // scratch
	note        [wire.MaxCCUpdateLen]byte // scratch: a frame to the partner

	dataFrom *source // source of the last data in a shim; nil: no data yet

	control    [wire.MaxCtlOS]wire.CtlOS // scratch: messages received, or to be sent
	Heard      wire.Time                 // time of the last received frame
	last       reported                  // state as last reported by events
	stallSince wire.Time                 // begin of the replays without progress; 0: there is progress
	// reportedTo is the time, ns, up to which the reports so far last at one each reportEvery.
	reportedTo wire.Time
}

// Identity holds the random numbers that distinguish one start of a link from all other starts.
type Identity struct {
	Seq   uint32  // the first sequence number
	Nonce [2]byte // init_data of LLR_INIT
	Start uint32  // start id of STATION
}

// NewLink returns a link port without devices. drain is the longest time for LLR to deliver frames after it was
// switched off.
func NewLink(s model.PortSettings, p llr.Profile, id Identity, drain time.Duration, now wire.Time) *Link {
	l := &Link{
		LLR: llr.NewLink(p, id.Seq, id.Nonce), Partner: partner.New(id.Start), pace: newPace(), drain: drain,
		last: reported{rxOff: true}, place: place.Private(),
		leaving: leaving{back: p.HoldTimeout}, kind: p.Replay,
	}
	l.offerReplay()
	l.Link, l.link = l, l
	l.LLR.Rx.KeepFrames()
	l.Partner.SetPatience(p.HoldTimeout)
	l.Set(s, now)
	l.Partner.Pin(s.Addressed(), s.Partner)
	credits := l.creditSettings()
	l.cbfc = cbfc.NewPort(credits)
	l.credit.on = credits.On
	l.boundQueues(credits.Lossless)
	l.LLR.Tx.SetCarrier(false, now)
	l.configureModes(now)
	return l
}

// vcs returns the number of virtual channels of this end.
func (l *Link) vcs() int { return max(1, l.settings.VCs) }

// setUp records whether the interface has its carrier, and passes that to LLR.
func (l *Link) setUp(up bool, now wire.Time) {
	l.up = up
	l.LLR.Tx.SetCarrier(up && l.Attached(), now)
}

// detached drops the frames that LLR holds for a replay, because their slots go away with the device.
func (l *Link) detached(now wire.Time) {
	l.LLR.Tx.SetCarrier(false, now)
	l.LLR.Tx.Reinit(now)
	for {
		if _, ok := l.LLR.Tx.Free(); !ok {
			break
		}
	}
	l.unacked = [qos.Classes + 1]int{}
}

// Free releases the slots whose frames LLR no longer holds for a replay.
func (l *Link) Free() {
	l.noteFlush()
	for {
		slot, ok := l.LLR.Tx.Free()
		if !ok {
			return
		}
		l.unacked[l.Slots.state[slot].vc]--
		l.Slots.release(slot)
	}
}

// review updates the link in every round: it forgets a silent partner, rebuilds this end's STATION, and updates the
// partner's problem and the longest frame to the partner.
func (l *Link) review(now wire.Time) {
	outstanding, _ := l.LLR.Tx.Outstanding()
	l.reviewLeave(now)
	if l.Partner.Silent(now) && !l.away && l.wantsPartner(outstanding) {
		l.Partner.Forget(l.awaitsPartner())
		l.otherStation, l.sentTo = wire.MAC{}, wire.MAC{}
		l.LLR.Tx.PartnerSilent(now)
		l.cbfc.PartnerLost()
		l.shut = 0
	}
	l.Partner.CheckAbsence(l.up && l.awaitsPartner(), now)
	l.Partner.CheckSilence(outstanding, now)
	l.encapsulate(now)
	s := &l.settings
	l.self = wire.Station{
		Largest: uint16(l.takes), Local: l.receiver == negotiation.On, Remote: l.remote(), Live: l.LLR.Rx.Live(),
		Dynamic: l.modes.Dynamic(), FCS: s.FCS, UE1: s.Dialect == wire.DialectUE1, EtherType: s.EtherTypeData,
		Busy: l.refusing || l.Holding, Nacks: true, Keeps: l.LLR.Rx.Keeps(),
		VCs: uint8(l.vcs()), TakesVCs: l.vcs() > 1, Partner: true, CBFC: l.credit.on,
		Addressed: s.Addressed(), Takes: true,
		Leaves: l.leaving.announced(), Holds: l.away, Held: l.away && outstanding == 0,
		Resumes: l.resumes, Origin: l.past.Origin, Next: l.past.Next,
	}
	l.self.Trouble = l.trouble()
	if n := l.LLR.Tx.LongestAcked(); n > 0 {
		l.Partner.AckedFrame(l.shim.DataLen(n), now)
	}
	l.Partner.SetLongest(l.longest, l.required)
	l.Partner.UpdateProblem(l.self, l.LLR.Counters().TxOK+l.Counters.TxBare, now)
	l.Carries = min(l.maxFrame, l.Partner.MaxFrame())
	l.channels = l.Partner.VCs()
	if introduces := l.Partner.Introducing(); introduces != l.introduces {
		l.introduces, l.shut = introduces, 0
	}
	l.LLR.Tx.SetFrameLimit(l.shim.CarriedLen(l.Carries))
}

// wantsPartner reports whether review may forget a silent partner: no frame is outstanding, and a living partner would
// have sent control frames.
func (l *Link) wantsPartner(outstanding int) bool {
	switch l.LLR.Tx.State() {
	case llr.TxInit:
		return true
	case llr.TxOff:
		return !l.local() || l.Partner.SendsStation()
	default: // llr.TxAdvance, llr.TxReplay, llr.TxFlush
		return outstanding == 0 && l.Partner.SendsStation()
	}
}

// configure applies new settings, and the LLR profile p, to the link. drain is the longest time for LLR to deliver
// frames after it was switched off.
func (l *Link) configure(s model.PortSettings, p llr.Profile, drain time.Duration, now wire.Time) {
	l.Set(s, now)
	l.drain = drain
	l.LLR.SetProfile(p)
	l.kind = p.Replay
	l.offerReplay()
	l.Partner.SetPatience(p.HoldTimeout)
	l.leaving.back = p.HoldTimeout
	l.configureModes(now)
	l.configureCredits(now)
	l.stopWaiting(now)
}

// clear sets the counters of LLR and CBFC of the link to zero.
func (l *Link) clear() {
	l.LLR.Clear()
	l.LLR.Tx.ClearFlush()
	l.cbfc.Clear()
}

// continues copies the counters of LLR and CBFC from the link port old, which this link replaces.
func (l *Link) continues(old *Port) {
	if old.Link != nil {
		l.LLR.Continue(old.Link.LLR)
		l.cbfc.Count = old.Link.cbfc.Count
	}
}

// outstanding returns the number of frames that LLR has sent and for which no acknowledgement has arrived yet.
func (l *Link) outstanding() int {
	frames, _ := l.LLR.Tx.Outstanding()
	return frames
}

// slowed reports whether the link sends in smaller batches than usual, because frames were lost on the wire.
func (l *Link) slowed() bool { return l.pace.slowed() }

// newIdentity returns a random identity of a link: first sequence number and start id. Frames of an earlier
// process, still on the wire, do not match the random first sequence number; and the partner learns from the
// random start id that this end has restarted and forgotten the old numbers. Each start of a link has a new
// identity, also after a reload reopens the link.
func newIdentity() (id Identity) {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the program rather
	_, _ = rand.Read(id.Nonce[:])
	id.Seq = binary.LittleEndian.Uint32(b[:]) & wire.SeqMask
	id.Start = binary.LittleEndian.Uint32(b[4:]) & wire.StartMask
	return id
}
