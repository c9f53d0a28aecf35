package comparison

import (
	"time"

	"uelink/cbfc"
	"uelink/dataplane/fault"
	"uelink/dataplane/model"
	"uelink/hippi"
	"uelink/lab/simulated"
	"uelink/wire"
)

// The wire of every comparison: its rate, and the octets of a frame with FCS.
const (
	wireRate = 10_000_000_000
	octets   = 1500
)

// hippiWindow is the most that a HIPPI-6400-PH link has unacknowledged, in octets: 254 micropackets.
const hippiWindow = 254 * 32

// contestant is a link protocol with its settings.
type contestant struct {
	name    string
	timeout bool // without NACK: the receiver's LLR_NACK becomes an LLR_ACK of the same number on the wire
	set     func(o *simulated.Options)
}

// window returns a change of the options: at most so many octets are unacknowledged.
func window(octets int64) func(o *simulated.Options) {
	return func(o *simulated.Options) { o.Profile.MaxOutstandingBytes = octets }
}

// processing is the time of both ends in a loop, in which frames cross the wire and back, with its spread.
const processing = 6 * time.Microsecond

// loopWindow lets LLR have as much unacknowledged as fills the wire for a loop.
func loopWindow(o *simulated.Options) {
	window(int64(wireRate / 8 * (2*o.Wire.Delay + processing).Seconds()))(o)
}

// speaks returns a change of the options: both ends speak HIPPI-6400-PH with an ACK timeout, 0 = by the measured loop.
func speaks(ackTimeout time.Duration) func(o *simulated.Options) {
	return func(o *simulated.Options) {
		p := hippi.Software()
		p.ACKTimeout, p.SULAAllowed = ackTimeout, true
		o.Link = model.PortSettings{Name: "link0", Role: model.RoleLink, Protocol: model.HIPPI6400, FCS: true,
			EtherTypeData: wire.EtherTypeData, EtherTypeControl: wire.EtherTypeControl,
			HIPPI: model.HIPPISettings{Profile: p}}
	}
}

// credited puts virtual channel 0 of LLR under the credits of CBFC: as many octets as a VC buffer of HIPPI-6400-PH has.
func credited(o *simulated.Options) {
	o.Link.VCs = 1
	o.Link.CBFC = cbfc.Settings{On: true, Size: cbfc.Size{Credit: 32}, Lossless: 1, CCTimer: time.Millisecond,
		CFMinSpacing: 512, CFMaxSpacing: 65536}
	o.Link.CBFC.Limit[0] = hippi.MaxCredits
}

// contestants returns LLR, HIPPI-6400-PH, and steps between them: without NACK, and with smaller windows, the last of
// them that of HIPPI-6400-PH.
func contestants() []contestant {
	return []contestant{
		{name: "LLR", set: window(8 << 20)},
		{name: "LLR without NACK", timeout: true, set: window(8 << 20)},
		{name: "LLR, window of a loop", set: loopWindow},
		{name: "LLR, window of 8 kB", set: window(hippiWindow)},
		{name: "the same without NACK", timeout: true, set: window(hippiWindow)},
		{name: "HIPPI-6400-PH", set: speaks(0)},
		{name: "HIPPI-6400-PH, 12 µs", set: speaks(hippi.Standard().ACKTimeout)},
	}
}

// creditors returns the two ways to give credits, with buffers of the same size, and LLR without credits.
func creditors() []contestant {
	return []contestant{
		{name: "LLR, window of 8 kB", set: window(hippiWindow)},
		{name: "LLR with CBFC, 8 kB", set: credited},
		{name: "HIPPI-6400-PH", set: speaks(0)},
		{name: "HIPPI-6400-PH, 12 µs", set: speaks(hippi.Standard().ACKTimeout)},
	}
}

// bench returns the contestant's link over a wire with a delay each way, up and without losses yet, and the octets that
// arrive at A and at B, which go on counting.
func (c contestant) bench(delay time.Duration, seed uint64) (b *simulated.Bench, on *[2]uint64, up bool) {
	o := simulated.Defaults()
	o.Seed, o.Speed, o.Ring, o.Chunk, o.MTU = seed, wireRate/1_000_000, 1024, 2048, octets
	o.Profile.MaxReplayTimer = 0 // by the measured loop, as the ACK timeout of HIPPI-6400-PH
	o.Wire = fault.Config{RateBPS: wireRate, Delay: delay}
	c.set(&o)
	b, on = simulated.New(o), new([2]uint64)
	up = b.Establish()
	for i, e := range []*simulated.End{b.A, b.B} {
		e.SetScript(func(f []byte) bool {
			on[i] += uint64(len(f))
			return c.pass(f)
		})
	}
	return b, on, up
}

// pass is what the wire does to each frame of the contestant: with timeout it changes each LLR_NACK in a control frame
// into an LLR_ACK. The number that both acknowledge is the same.
func (c contestant) pass(f []byte) bool {
	if !c.timeout || wire.EtherType(f) != wire.EtherTypeControl {
		return true
	}
	var list [wire.MaxCtlOS]wire.CtlOS
	n, _, bad := wire.ParseControl(f, &list)
	if bad != wire.NoFault {
		return true
	}
	for i := range list[:n] {
		if list[i].Type == wire.LLRNack {
			list[i].Type = wire.LLRAck
		}
	}
	end := wire.PutControl(f, wire.MAC(f[wire.AddrLen:]), wire.EtherTypeControl, list[:n])
	clear(f[end:])
	return true
}
