package path

import (
	"encoding/binary"
	"time"

	"uelink/dataplane/model"
	"uelink/dataplane/netif"
	"uelink/hippi"
	"uelink/llr"
	"uelink/wire"
	"uelink/wire/micropacket"
)

// HIPPI is a port of role link that speaks HIPPI-6400-PH: the port, the machine of its end, and the frames on their way
// through it.
//
//	queues ──► staged, by VC ──► output buffer of End ──► TX slot: a frame of micropackets ──► wire
//	egress ◄── chunk of assembly, by VC ◄── VC buffers of End ◄── RX chunk ◄───────────────────┘
//
// A frame is copied once into staged, and leaves as a Message: the next of its virtual channel follows when the last
// micropacket has left. A TX slot is free when the kernel has sent it: End itself keeps the micropackets that it may
// have to send again. A Message that arrives gets a chunk before it leaves its VC buffer; without a free chunk it keeps
// its credits, and the partner stops.
type HIPPI struct {
	Port Port
	End  *hippi.Link
	out  outgoing
	in   incoming

	control    [wire.MaxCtlOS]wire.CtlOS // scratch: messages of a received control frame of LLR
	partner    wire.MAC                  // source address of the last frame heard from the partner; zero: none yet
	count      model.HIPPICounters
	admin      admin
	llrAt      wire.Time     // time at which the partner's last control frame of LLR was received; 0 = never
	strays     hippiStrays   // what arrived instead of the partner's frames
	silentFrom wire.Time     // time since which there is a carrier without a signal; 0 = there is a signal, or no carrier
	resetFrom  wire.Time     // time since which a Link Reset lasts, although the partner is heard; 0 = there is none
	recoverAt  wire.Time     // time of the next Link Reset out of a shutdown
	last       hippiReported // state as last reported by events
	reportedTo wire.Time     // for the rate limit: each report moves this time on by reportEvery, from now at the earliest
}

// outgoing holds the Messages that a link is sending, and the frame of micropackets that is being filled.
type outgoing struct {
	staged [hippi.VCs][]byte // memory of the Message being sent, by virtual channel
	leaves uint8             // bitmap of the virtual channels with a Message being sent
	into   uint32            // TX slot of the frame in field open
	open   []byte            // TX chunk of the frame of micropackets being filled; nil: none
	filled int               // number of micropackets in field open
	most   int               // number of micropackets that fill field open
	asks   bool              // field open has a micropacket that the partner must acknowledge
	length lengthFinder      // finds the longest frames that cross to the partner
	scrap  micropacket.Micropacket
}

// incoming is the memory of the Messages that arrive by a link.
type incoming struct {
	assembly *assembly
	arrives  *source        // the assembly, as a source (queue of received frames) of the domain
	filling  [hippi.VCs]int // chunk of the Message that is arriving, by virtual channel; noChunk: none
}

// NewHIPPI returns a link port that speaks HIPPI-6400-PH, by its settings, without devices. The random identity id
// gives the first epoch of the port: the number in frames by which the partner tells this start of the port from
// others.
func NewHIPPI(s model.PortSettings, id Identity, now wire.Time) *HIPPI {
	h := &HIPPI{
		End: hippi.NewLink(s.HIPPI.Profile, max(1, binary.LittleEndian.Uint16(id.Nonce[:]))),
		in:  incoming{assembly: newAssembly(), filling: [hippi.VCs]int{noChunk, noChunk, noChunk, noChunk}},
	}
	h.Port.HIPPI, h.Port.link = h, h
	for vc := range h.out.staged {
		h.out.staged[vc] = make([]byte, netif.LargestFrame+wire.VLANTagLen)
	}
	h.Port.Set(s, now)
	return h
}

// assembled returns a new source (queue of received frames), for the port's next devices, in which arriving Messages
// are assembled to frames.
func (h *HIPPI) assembled() *source {
	h.in.assembly.reset(h.in.filling, nil)
	return newSource(&h.Port, h.in.assembly)
}

// setUp records whether the interface has its carrier. While a port's sockets are reopened the carrier counts as
// present: the machine waits, and retransmits what was lost meanwhile.
func (h *HIPPI) setUp(up bool, now wire.Time) {
	h.Port.iface.up = up
	h.End.SetCarrier(up && h.Port.Attached(), now)
}

// detached tells the machine that the carrier is lost, because the port's devices are removed.
func (h *HIPPI) detached(now wire.Time) { h.End.SetCarrier(false, now) }

// configure applies new settings to the link. The sizes of the VC buffers do not change.
func (h *HIPPI) configure(s model.PortSettings, _ llr.Profile, _ time.Duration, now wire.Time) {
	h.Port.Set(s, now)
	_ = h.End.SetProfile(s.HIPPI.Profile, now) // no error: new sizes of the VC buffers replace the whole link (keyChanges)
}

// clear sets the counters and the logged events of the link to zero.
func (h *HIPPI) clear() {
	h.End.Events, h.End.Counters, h.count = hippi.Events{}, hippi.Counters{}, model.HIPPICounters{}
}

// continues copies the counters of the port old, which this link replaces, and the counts that events have already
// reported. The Messages of old are given up.
func (h *HIPPI) continues(old *Port) {
	if o := old.HIPPI; o != nil {
		o.End.Close()
		h.End.Events, h.End.Counters, h.count = o.End.Events, o.End.Counters, o.count
		h.last.reportedCounts = o.last.reportedCounts
	}
}

// outstanding returns the number of frames that have not left or are not acknowledged: one for each virtual channel
// whose frame has not left, and one more while micropackets are not acknowledged.
func (h *HIPPI) outstanding() (n int) {
	for vc := range hippi.VCs {
		n += int(h.out.leaves >> vc & 1)
	}
	if h.End.Source().Outstanding() > 0 {
		n++
	}
	return n
}

// slowed returns false: at most 254 micropackets are outstanding, so batches stay small on every wire.
func (h *HIPPI) slowed() bool { return false }

// presence returns whether the link has its carrier and a signal of its partner. cause says what is missing, "" if
// nothing is.
func (h *HIPPI) presence(wire.Time) (state Presence, cause string) {
	switch {
	case !h.Port.iface.up:
		return Lost, h.Port.noCarrier()
	case !h.End.Activity():
		return Lost, "the partner sends no signal"
	}
	return Present, ""
}
