package cbfc

import "uelink/wire"

// Gate is whether a frame may leave.
type Gate uint8

// The positions of a gate.
const (
	Open    Gate = iota // the frame may leave
	Shut                // no frame leaves until credits are freed, or the channel has started or stopped
	TooLong             // no frame of this length ever leaves: it costs more than the limit
)

// Sender is the credits of the frames that this end sends.
type Sender struct {
	space        space
	settings     Settings
	size         Size
	vc           [VCs]senderVC
	plain        uint32 // VCs without credits, whose gate is open
	counted      uint32 // VCs under credits
	moving       uint32 // VCs that are starting or stopping
	answeredHeld uint32 // VCs of the bitmap moving whose START the partner answers HELD
	blocked      uint32 // VCs with a frame that waits for credits
	pool         pool

	Used      int // S_P_CU: credits in use of all channels together
	Watermark int // the most that Used has been

	now     wire.Time // time of the latest call
	polled  wire.Time // time of the last Poll
	ccAt    wire.Time // when a CC_Update is due
	astray  bool      // a CF_Update since the last CC_Update claims to free more credits than are used
	start   uint32    // start id of the present or last partner
	met     bool      // there was a partner
	present bool      // the partner is present
	cbfc    bool      // the partner speaks CBFC

	largest int // octets of the longest frame that the limits were checked for; 0: not checked
}

// senderVC is one channel of the sender.
type senderVC struct {
	cc, cf    uint32    // S_VC_CC and S_VC_CF: counts of consumed and of freed credits
	used      int       // S_VC_CU: credits in use
	limit     int       // S_VC_CL: the most credits that may be in use
	granted   int       // limit or total that the partner has granted at the start
	watermark int       // the most that used has been
	blockedAt wire.Time // since when a frame waits for credits
	timedOut  bool      // the present wait for credits was counted as a timeout
	channel   transaction
	counters  Counters
}

// newSender returns a sender whose channels have no credits.
func newSender(s Settings, masks space) Sender {
	t := Sender{space: masks, plain: 1<<VCs - 1}
	t.configure(s)
	return t
}

// Gate returns the cost in credits of a frame of octets, and as g whether the frame may leave on a channel now,
// must wait, or is too long.
// Clauses: UE-LINK/overview.8, UE-LINK/cf.14.
func (t *Sender) Gate(vc uint8, octets int) (credits int, g Gate) {
	vc &= VCs - 1
	switch {
	case t.plain>>vc&1 != 0:
		return 0, Open
	case t.counted>>vc&1 == 0:
		return 0, Shut
	}
	v := &t.vc[vc]
	credits = t.size.Credits(octets)
	switch {
	case credits > v.limit:
		return credits, TooLong
	case v.used+credits > v.limit || t.pool.includes(vc) && !t.pool.allows(vc, credits):
		return credits, Shut
	}
	return credits, Open
}

// Charge subtracts the cost of a frame that leaves for the first time from the channel's credits. The frame does not
// wait any more (Unblock). If no credits were in use before, the next CC_Update is due after CCTimer.
func (t *Sender) Charge(vc uint8, credits int, now wire.Time) {
	if credits == 0 {
		return
	}
	vc &= VCs - 1
	v := &t.vc[vc]
	v.cc = (v.cc + uint32(credits)) & t.space.count
	if t.pool.includes(vc) {
		t.pool.charge(vc, credits)
	}
	v.used += credits
	v.watermark = max(v.watermark, v.used)
	if t.blocked>>vc&1 != 0 {
		t.Unblock(vc, now)
	}
	if t.Used == 0 {
		t.ccAt = now.Add(t.settings.CCTimer)
	}
	t.Used += credits
	t.Watermark = max(t.Watermark, t.Used)
}

// Block records that a frame waits at the front of a channel's queue: for credits, or until the channel has started
// or stopped.
func (t *Sender) Block(vc uint8, now wire.Time) {
	vc &= VCs - 1
	if bit := uint32(1) << vc; (t.counted|t.moving)&^t.blocked&bit != 0 {
		t.blocked |= bit
		t.vc[vc].blockedAt = now
		t.vc[vc].counters.BlockedFrames++
	}
}

// Unblock records that no frame waits at the front of a channel's queue any longer: the frame has left, or was
// dropped.
func (t *Sender) Unblock(vc uint8, now wire.Time) {
	vc &= VCs - 1
	if t.blocked>>vc&1 != 0 {
		t.blocked &^= 1 << vc
		v := &t.vc[vc]
		v.counters.BlockedTime += uint64(max(now.Sub(v.blockedAt), 0))
		v.timedOut = false
	}
}

// receivedFreed handles one half of a CF_Update, channel vc and the low bits of its R_VC_CF: the credits freed since
// the last are not used any more. It returns the channels, as a bitmap, that have credits again: with a pool also
// others. Just after a start the CF_Update may be a late copy from
// before the start, and is ignored. For a channel long without credits a CF_Update shows that the partner counts
// credits that this end does not.
// Clauses: UE-LINK/cf.12,13.
func (t *Sender) receivedFreed(vc uint8, count uint32, now wire.Time) (channels uint32) {
	vc &= VCs - 1
	v := &t.vc[vc]
	if t.counted>>vc&1 == 0 {
		t.unexpectedUpdate(vc, now)
		return 0
	}
	n := int((count - v.cf) & t.space.update)
	switch {
	case n == 0, now < v.channel.since.Add(underWay):
		return 0
	case n > v.used:
		v.counters.CFIgnored++
		if t.Used == 0 && !t.astray {
			t.ccAt = now.Add(t.settings.CCTimer)
		}
		t.astray = true
		return 0
	}
	v.cf = (v.cf + uint32(n)) & t.space.count
	channels = 1 << vc
	if t.pool.includes(vc) {
		t.pool.charge(vc, -n)
		channels |= t.pool.members
	}
	v.used -= n
	t.Used -= n
	return channels
}

// resetCounts sets the counts of consumed, freed and used credits of a channel to 0, and its credit limit to limit.
func (t *Sender) resetCounts(vc uint8, limit int) {
	v := &t.vc[vc]
	t.Used -= v.used
	v.cc, v.cf, v.used, v.limit = 0, 0, 0, limit
}

// CCDue reports whether CC_Update is due. While a channel starts or stops no CC_Update is sent, because LLR might
// replay it after the start. A start answered HELD may take long, and all frames sent before it have arrived: then
// CC_Update is sent, without the channel.
// Clauses: UE-LINK/cc.7.
func (t *Sender) CCDue(now wire.Time) bool {
	return t.sendsCounts() && now >= t.ccAt && t.moving == t.answeredHeld
}

// sendsCounts reports whether CC_Updates are sent: while credits are in use, or after the partner seems to have freed
// unused credits, as when a wire without LLR has duplicated a frame.
func (t *Sender) sendsCounts() bool { return t.settings.CCTimer > 0 && (t.Used > 0 || t.astray) }

// CCSent records that a CC_Update with the counts of all channels under credits was sent: the next is due after
// CCTimer.
func (t *Sender) CCSent(now wire.Time) { t.ccAt, t.astray = now.Add(t.settings.CCTimer), false }

// Counted returns a bitmap of the channels that are under credits in the sending direction.
func (t *Sender) Counted() uint32 { return t.counted }

// Consumed returns the count of credits that a channel has consumed (S_VC_CC), for a CC_Update; call it at the moment
// when LLR numbers the CC_Update.
// Clauses: UE-LINK/cc.1.
func (t *Sender) Consumed(vc uint8) uint32 { return t.vc[vc&(VCs-1)].cc }
