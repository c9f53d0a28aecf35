package cbfc

// Gate is whether a frame may leave.
type Gate uint8

// What it may be.
const (
	Open    Gate = iota
	Shut         // until credits come back, or the channel has started or stopped
	TooLong      // never: it costs more than the limit
)

// Sender is the credits of what this end sends.
type Sender struct {
	space    space
	settings Settings
	size     Size
	vc       [VCs]senderVC
	plain    uint32 // VCs without credits, whose gate is open
	counted  uint32 // VCs under credits
	moving   uint32 // VCs on their way into credits or out of them
	held     uint32 // of these, VCs that the partner still holds frames of before of
	blocked  uint32 // VCs of which a frame waits for credits
	pool     pool

	Used      int // S_P_CU: credits in use over all channels
	Watermark int // the most that it has been

	now    int64  // the latest time that was heard of
	polled int64  // when Poll was called last
	ccAt   int64  // when a CC_Update is due
	astray bool   // a CF_Update did not fit since the last CC_Update
	start  uint32 // of the partner that is there, or was last
	met    bool   // there has been one
	known  bool   // it is there
	cbfc   bool   // and speaks CBFC

	largest int // octets of the longest frame for which limits were looked at; 0: they are to be
}

// senderVC is one channel as its sender sees it.
type senderVC struct {
	cc, cf    uint32 // S_VC_CC and S_VC_CF
	used      int    // S_VC_CU
	limit     int    // S_VC_CL
	watermark int
	blockedAt int64 // since when a frame waits for credits, if one does
	told      bool  // that it waits for too long
	channel   transaction
	counters  Counters
}

func newSender(s Settings, of space) Sender {
	t := Sender{space: of, plain: 1<<VCs - 1}
	t.configure(s)
	return t
}

// Gate is whether a frame of so many octets may leave on a channel, and what it costs.
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
	case v.used+credits > v.limit || t.pool.has(vc) && !t.pool.admits(vc, credits):
		return credits, Shut
	}
	return credits, Open
}

// Charge notes that a frame leaves for the first time.
func (t *Sender) Charge(vc uint8, credits int, now int64) {
	if credits == 0 {
		return
	}
	vc &= VCs - 1
	v := &t.vc[vc]
	v.cc = (v.cc + uint32(credits)) & t.space.count
	if t.pool.has(vc) {
		t.pool.take(vc, credits)
	}
	v.used += credits
	v.watermark = max(v.watermark, v.used)
	if t.blocked>>vc&1 != 0 {
		t.Unblock(vc, now)
	}
	if t.Used == 0 {
		t.ccAt = now + t.settings.CCTimer
	}
	t.Used += credits
	t.Watermark = max(t.Watermark, t.Used)
}

// Block notes that a frame waits at the front of a channel's queue for credits: for more of them, or until the
// channel has started or stopped.
func (t *Sender) Block(vc uint8, now int64) {
	vc &= VCs - 1
	if bit := uint32(1) << vc; (t.counted|t.moving)&^t.blocked&bit != 0 {
		t.blocked |= bit
		t.vc[vc].blockedAt = now
		t.vc[vc].counters.BlockedFrames++
	}
}

// Unblock notes that none waits any longer: it has left, or was dropped.
func (t *Sender) Unblock(vc uint8, now int64) {
	vc &= VCs - 1
	if t.blocked>>vc&1 != 0 {
		t.blocked &^= 1 << vc
		v := &t.vc[vc]
		v.counters.BlockedTime += uint64(max(now-v.blockedAt, 0))
		v.told = false
	}
}

// freed takes one half of a CF_Update: the low bits of R_VC_CF. It returns the channels, as a bitmap, that
// have credits again: with a port total also others than that of the CF_Update. When the
// channel has just started it may be one of before, that was under way. When it has been without credits for
// longer than that, the partner counts what this end does not.
func (t *Sender) freed(vc uint8, count uint32, now int64) (channels uint32) {
	vc &= VCs - 1
	v := &t.vc[vc]
	if t.counted>>vc&1 == 0 {
		t.unexpected(vc, now)
		return 0
	}
	n := int((count - v.cf) & t.space.told)
	switch {
	case n == 0, now < v.channel.since+underWay:
		return 0
	case n > v.used:
		v.counters.CFIgnored++
		if t.Used == 0 && !t.astray {
			t.ccAt = now + t.settings.CCTimer
		}
		t.astray = true
		return 0
	}
	v.cf = (v.cf + uint32(n)) & t.space.count
	channels = 1 << vc
	if t.pool.has(vc) {
		t.pool.take(vc, -n)
		channels |= t.pool.members
	}
	v.used -= n
	t.Used -= n
	return channels
}

// clear begins the counts of a channel at 0, with a limit.
func (t *Sender) clear(vc uint8, limit int) {
	v := &t.vc[vc]
	t.Used -= v.used
	v.cc, v.cf, v.used, v.limit = 0, 0, 0, limit
}

// CCDue tells whether a CC_Update is to be sent. While a channel starts or stops none is: LLR might
// send it again behind the start. A start that the partner puts off may take long, and what was sent before
// it has arrived: then one is sent, without the channel.
func (t *Sender) CCDue(now int64) bool {
	return t.counts() && now >= t.ccAt && t.moving == t.held
}

// counts tells whether CC_Updates are sent: while credits are in use, and if the partner seems to have
// freed what was never used, as where a wire without LLR has doubled a frame.
func (t *Sender) counts() bool { return t.settings.CCTimer > 0 && (t.Used > 0 || t.astray) }

// CCSent notes that one was sent for every channel.
func (t *Sender) CCSent(now int64) { t.ccAt, t.astray = now+t.settings.CCTimer, false }

// Counted is the channels under credits, as a bitmap.
func (t *Sender) Counted() uint32 { return t.counted }

// Consumed is S_VC_CC of a channel: what a CC_Update says when LLR numbers it.
func (t *Sender) Consumed(vc uint8) uint32 { return t.vc[vc&(VCs-1)].cc }
