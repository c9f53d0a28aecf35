package cbfc

import (
	"time"

	"uelink/wire"
)

// State is a snapshot of a port.
type State struct {
	On        bool // this end speaks CBFC
	Partner   bool // the partner speaks CBFC
	Size      Size
	Total     int // credits granted to all channels together; 0: each channel has a limit
	Pool      PoolState
	Used      int // S_P_CU
	Watermark int // the most that Used has been
	Counters  PortCounters
	VCs       []VCState // channels that are, or are configured, lossless in a direction
}

// PoolState is the credits that the partner grants to all channels together. With separate limits it is zero.
type PoolState struct {
	Size   int // S_P_CL
	Shared int // credits that no channel has reserved
	Used   int // credits in use, including channels that have ended while the partner may hold frames
}

// VCState is a snapshot of one channel.
type VCState struct {
	VC       int
	Wanted   bool // this end wants the channel lossless
	Profile  Profile
	Phase    Phase
	Failure  Failure       // why the channel is not lossless, or NoFailure
	Short    Short         // the numbers of the failure LimitTooLow
	Retry    time.Duration // time until the next try after a failure
	Sender   SenderState
	Receiver ReceiverState
	Counters Counters
}

// SenderState is the credits of the frames that this end sends on a channel.
type SenderState struct {
	Consumed  uint32        // S_VC_CC
	Freed     uint32        // S_VC_CF
	Used      int           // S_VC_CU
	Limit     int           // S_VC_CL
	Watermark int           // the most that Used has been
	Blocked   time.Duration // how long a frame has been waiting for credits; 0: no frame waits
}

// ReceiverState is the credits of the frames that this end receives on a channel.
type ReceiverState struct {
	Enabled  bool
	Consumed uint32 // R_VC_CC
	Freed    uint32 // R_VC_CF
	Held     int    // credits of the frames in the buffer
	Limit    int    // granted
}

// AtRest reports whether all frames sent on a channel were received and freed, in both directions, as far as the
// partner has reported: S_CC = S_CF and R_CC = R_CF.
func (v *VCState) AtRest() bool { return v.Sender.Used == 0 && v.Receiver.Held == 0 }

// State returns a snapshot of the port, and of the channels that are, or are configured, lossless in a direction. It
// allocates.
func (p *Port) State(now wire.Time) State {
	t, r := &p.Tx, &p.Rx
	s := State{
		On: t.settings.On, Partner: t.present && t.cbfc, Size: t.size, Total: int(t.settings.Total),
		Used: t.Used, Watermark: t.Watermark, Counters: p.Count,
	}
	if t.pool.members != 0 {
		s.Pool = PoolState{Size: t.pool.size, Shared: t.pool.most, Used: t.pool.used}
	}
	for vc := range uint8(VCs) {
		bit := uint32(1) << vc
		if (t.settings.Lossless|r.on|^t.plain)&bit != 0 || r.settings.Limit[vc] > 0 {
			s.VCs = append(s.VCs, p.vcState(vc, now))
		}
	}
	return s
}

// vcState returns a snapshot of the state and counters of channel vc, in both directions. The times in it (Retry,
// Blocked) are as of now.
func (p *Port) vcState(vc uint8, now wire.Time) VCState {
	t, r := &p.Tx.vc[vc], &p.Rx.vc[vc]
	bit := uint32(1) << vc
	s := VCState{
		VC: int(vc), Wanted: p.Tx.settings.On && p.Tx.settings.Lossless&bit != 0, Profile: p.Tx.settings.Profile[vc],
		Phase: t.channel.phase, Failure: t.channel.failure, Short: t.channel.short,
		Counters: t.counters,
		Sender:   SenderState{Consumed: t.cc, Freed: t.cf, Used: t.used, Limit: t.limit, Watermark: t.watermark},
		Receiver: ReceiverState{
			Enabled: p.Rx.on&bit != 0, Consumed: r.cc, Freed: r.cf, Held: r.heldCredits(p.Rx.space),
			Limit: int(p.Rx.settings.grant(vc)),
		},
	}
	if s.Phase == BestEffort && s.Failure != NoFailure && s.Failure != NotByPartner {
		s.Retry = max(0, t.channel.retryAt.Sub(now))
	}
	if p.Tx.blocked&bit != 0 {
		s.Sender.Blocked = now.Sub(t.blockedAt)
	}
	return s
}

// Clear sets the counters to zero, and the watermarks to the credits in use.
func (p *Port) Clear() {
	p.Count = PortCounters{}
	p.Tx.Watermark = p.Tx.Used
	for vc := range p.Tx.vc {
		v := &p.Tx.vc[vc]
		v.counters, v.watermark = Counters{}, v.used
	}
}
