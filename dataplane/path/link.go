package path

import (
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

// Link is a port of role link: the port, its LLR machines, and the state known of its partner. The parts that are types
// of their own stand with the code that changes them.
type Link struct {
	Port       Port
	LLR        *llr.Link
	Partner    partner.Partner
	pace       pace
	buffered   keeping
	pushback   pushback
	modes      modes
	Lengths    lengths
	channels   int // virtual channels that the partner has
	absence    absence
	Bookmark   bookmark
	addressing addressing
	strangers  strangers
	self       wire.Station              // the STATION message of this end
	control    [wire.MaxCtlOS]wire.CtlOS // scratch: messages received, or to be sent
	Heard      wire.Time                 // time of the last received frame
	dataFrom   *source                   // source of the last data in a shim; nil: no data yet

	cbfc          *cbfc.Port
	credit        creditModes
	creditReports creditReports
	account       creditAccount

	reports linkReports
}

// NewLink returns a link port without devices. drain is the longest time for LLR to deliver frames after it was
// switched off.
func NewLink(s model.PortSettings, p llr.Profile, id Identity, drain time.Duration, now wire.Time) *Link {
	l := &Link{
		LLR: llr.NewLink(p, id.Seq, id.Nonce), Partner: partner.New(id.Start), pace: newPace(),
		buffered: keeping{kind: p.Replay}, modes: modes{drain: drain}, Bookmark: bookmark{place: place.Private()},
		absence: absence{leaving: leaving{back: p.HoldTimeout}}, reports: linkReports{last: reported{rxOff: true}},
	}
	l.offerReplay()
	l.Port.Link, l.Port.link = l, l
	l.LLR.Rx.KeepFrames()
	l.Partner.SetPatience(p.HoldTimeout)
	l.Port.Set(s, now)
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
func (l *Link) vcs() int { return max(1, l.Port.settings.VCs) }

// setUp records whether the interface has its carrier, and passes that to LLR.
func (l *Link) setUp(up bool, now wire.Time) {
	l.Port.iface.up = up
	l.LLR.Tx.SetCarrier(up && l.Port.Attached(), now)
}

// detached drops the frames that LLR holds for a replay, because their slots go away with the device.
func (l *Link) detached(now wire.Time) {
	l.LLR.Tx.SetCarrier(false, now)
	l.LLR.Tx.Reinit(now) // gives up the outstanding frames, so that Free below returns every slot
	for {
		if _, ok := l.LLR.Tx.Free(); !ok {
			break
		}
	}
	l.account.unacked = [qos.Classes + 1]int{}
}

// Free releases the slots whose frames LLR no longer holds for a replay: acknowledged, or flushed. Before that it notes
// the frame that caused a flush (noteFlush).
func (l *Link) Free() {
	l.noteFlush()
	for {
		slot, ok := l.LLR.Tx.Free()
		if !ok {
			return
		}
		l.account.unacked[l.Port.Slots.state[slot].vc]--
		l.Port.Slots.release(slot)
	}
}

// review updates the link in every round: it forgets a silent partner, rebuilds this end's STATION, and updates the
// partner's problem and the longest frame to the partner.
func (l *Link) review(now wire.Time) {
	outstanding, _ := l.LLR.Tx.Outstanding()
	l.absence.update(&l.Partner, now)
	if n := l.modes.postponed; n != nil && now >= l.absence.postponedTo {
		l.Agree(*n, now)
	}
	if l.Partner.Silent(now) && !l.absence.away && l.wantsPartner(outstanding) {
		l.Partner.Forget(l.awaitsPartner())
		l.strangers.otherStation, l.strangers.sentTo = wire.MAC{}, wire.MAC{}
		l.LLR.Tx.PartnerSilent(now)
		l.cbfc.PartnerLost()
		l.Port.egress.shut = 0
	}
	// A partner that was forgotten just now has no problem, no address and no lengths below.
	l.Partner.CheckAbsence(l.Port.iface.up && l.awaitsPartner(), now)
	l.Partner.CheckSilence(outstanding, now)
	l.encapsulate(now)
	s := &l.Port.settings
	l.self = wire.Station{
		Largest: uint16(l.Lengths.takes), Local: l.modes.receiver == negotiation.On, Remote: l.remote(),
		Live:    l.LLR.Rx.Live(),
		Dynamic: l.modes.machine.Dynamic(), FCS: s.FCS, UE1: s.Dialect == wire.DialectUE1, EtherType: s.EtherTypeData,
		Busy: l.pushback.refusing || l.pushback.holding, Nacks: true, Keeps: l.LLR.Rx.Keeps(),
		VCs: uint8(l.vcs()), TakesVCs: l.vcs() > 1, Partner: true, CBFC: l.credit.on, Addressed: s.Addressed(), Takes: true,
		Leaves: l.absence.leaving.announced(), Holds: l.absence.away, Held: l.absence.away && outstanding == 0,
		Resumes: l.Bookmark.resumes, Origin: l.Bookmark.past.Origin, Next: l.Bookmark.past.Next,
	}
	l.self.Trouble = l.trouble()
	if n := l.LLR.Tx.LongestAcked(); n > 0 {
		l.Partner.AckedFrame(l.addressing.shim.DataLen(n), now)
	}
	l.Partner.SetLongest(l.Lengths.longest, l.Lengths.required)
	l.Partner.UpdateProblem(l.self, l.LLR.Counters().TxOK+l.Port.Counters.TxBare, now)
	// What bounds the frames to the partner comes last: SetLongest may have begun another search for the longest frame of
	// the wire, and UpdateProblem have ended the introduction.
	l.Lengths.Carries = min(l.Port.iface.maxFrame, l.Partner.MaxFrame())
	l.channels = l.Partner.VCs()
	if introduces := l.Partner.Introducing(); introduces != l.absence.introduces {
		l.absence.introduces, l.Port.egress.shut = introduces, 0
	}
	l.LLR.Tx.SetFrameLimit(l.addressing.shim.CarriedLen(l.Lengths.Carries))
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
// Clauses: SAI-LLR/profile.11.
func (l *Link) configure(s model.PortSettings, p llr.Profile, drain time.Duration, now wire.Time) {
	l.Port.Set(s, now)
	l.modes.drain = drain
	l.LLR.SetProfile(p)
	l.buffered.kind = p.Replay
	l.offerReplay()
	l.Partner.SetPatience(p.HoldTimeout)
	l.absence.leaving.back = p.HoldTimeout
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

// presence returns whether the link has its carrier and its partner. cause says what is missing, "" if nothing is. A
// link that asks for no partner, because LLR is off, needs the carrier alone.
func (l *Link) presence(now wire.Time) (state Presence, cause string) {
	switch {
	case l.absence.away:
		return Waiting, "the partner restarts"
	case !l.Port.iface.up:
		return Lost, l.Port.noCarrier()
	case !l.awaitsPartner() || !l.Partner.Missing():
		return Present, ""
	case l.Partner.SilentFor(now) < l.Partner.Patience():
		return Waiting, "the partner is silent, so far for less than hold_timeout"
	}
	return Lost, "the partner is silent"
}

// encapsulate sets how the link's frames are sent, from the known facts about the partner: the outer addresses, the
// form of the shim, and the longest length.
func (l *Link) encapsulate(now wire.Time) {
	s := &l.Port.settings
	l.addressing.controlTo = l.Partner.ControlDA(now)
	l.addressing.shim = wire.Preamble{FCS: s.FCS, To: wire.To{Addressed: s.Addressed() && l.Partner.AcceptsAddressed()}}
	l.addressing.outer = wire.AddressesOf(l.Partner.MAC(), l.Port.iface.mac)
	l.Lengths.bound(l.Port.iface.maxFrame, l.addressing.shim, l.Port.settings.FCS)
}

// Hold sets whether STATION tells the partner to wait because the sockets are being reopened.
func (l *Link) Hold(on bool) { l.pushback.holding = on }
