package path

import (
	"fmt"
	"time"

	"uelink/dataplane/acd"
	"uelink/dataplane/frame"
	"uelink/dataplane/model"
	"uelink/dataplane/netif"
	"uelink/dataplane/pfc"
	"uelink/llr"
	"uelink/wire"
)

// Port is the worker's state of one interface, and the queues of frames to send. sources is empty while the interface
// is absent; frames leave by the first source.
type Port struct {
	// Fields read in every round.
	sources   []*source
	caught    []*source // nil, or one source: frames caught while the sockets were reopened
	Slots     slots
	Link      *Link    // the port as a link that speaks LLR, else nil
	HIPPI     *HIPPI   // the port as a link that speaks HIPPI-6400-PH, else nil
	link      protocol // Link or HIPPI; nil on an edge
	tx        txRing
	iface     iface
	stalled   bool // the frames of the port have no room to wait: they stay in the RX rings
	blocked   bool // work waits for room: the domain steps again soon
	Suspended bool // the sockets are being reopened: frames to send wait

	egress   egress
	pause    pause
	findings findings
	DCB      model.DCB          // result of DCBX
	settings model.PortSettings // settings in force, with the result of DCBX
	Number   int                // number in its domain
	Other    *Port              // the other port of an xconnect; nil in a bridge
	MTU      int                // of the interface, octets
	Counters model.PortCounters

	rx     [batch]frame.Desc                          // scratch: frames received
	edited [netif.LargestFrame + wire.VLANTagLen]byte // scratch: a frame with a VLAN tag changed or added
}

// iface is the interface of a port, as the kernel reports it.
type iface struct {
	up       bool
	mac      wire.MAC
	maxFrame int // longest frame, octets
	tagRoom  int // part of the MTU that is room for a second VLAN tag, octets
	speed    int // Mb/s; 0 = not known
}

// findings is what a port has noticed about its frames and hosts, for events and snapshots.
type findings struct {
	standstill    standstill
	drops         drops
	reportedStops model.QueueStops // stops of queues, as last reported
	asked         acd.Asked        // IP addresses for which the host of an edge asks
	conflicts     string           // text of the IP addresses that a host here and one elsewhere use
	twin          twin
}

// NewPort returns a port without devices. p is the LLR profile of a link; drain is the longest time for LLR to
// deliver frames after LLR was switched off.
func NewPort(s model.PortSettings, p llr.Profile, drain time.Duration, now wire.Time) *Port {
	if s.Role == model.RoleLink {
		return newLinkPort(s, p, drain, now)
	}
	e := &Port{iface: iface{tagRoom: wire.VLANTagLen}}
	e.Set(s, now)
	return e
}

// configure applies new settings to a port; profile and drain (as in NewPort) are for a link only.
func (p *Port) configure(s model.PortSettings, profile llr.Profile, drain time.Duration, now wire.Time) {
	if p.link != nil {
		p.link.configure(s, profile, drain, now)
		return
	}
	p.Set(s, now)
}

// Clear sets the counters of the port, and of its PFC, LLR and CBFC machines, to zero; TrimPackets to the number of
// trimmed frames that still wait.
func (p *Port) Clear(now wire.Time) {
	trimmed := p.Counters.TrimCounters
	trimmed.Clear()
	p.Counters = model.PortCounters{TrimCounters: trimmed}
	p.egress.clear()
	*p.pause.pauser.Counters() = pfc.PauserCounters{}
	p.pause.paused.ClearCounters(now)
	if p.link != nil {
		p.link.clear()
	}
}

// Set applies those settings that ports of all roles have. A result of DCBX takes precedence over the settings of PFC
// and of the scheduler.
func (p *Port) Set(s model.PortSettings, now wire.Time) {
	s = p.DCB.Operative(s)
	p.settings = s
	p.egress.configure(s.Scheduler)
	p.pause.configure(s.PFC, now)
	if !p.pause.on {
		p.pause.stopped = 0
	}
	p.gate()
}

// attach gives the port its devices, one for each RX queue; mac and mtu are those of the interface. After a suspension
// the frames that LLR holds are copied into the TX slots of the first device.
func (p *Port) attach(devices []frame.Device, mac wire.MAC, mtu int) {
	p.iface.mac = mac
	p.sources = p.sources[:0]
	for _, d := range devices {
		p.sources = append(p.sources, newSource(p, d))
	}
	if p.HIPPI != nil {
		p.sources = append(p.sources, p.HIPPI.assembled())
	}
	if p.Slots.saved != nil {
		p.Slots.restore(devices[0].Geometry(), devices[0].Area())
	} else {
		p.Slots = newSlots(devices[0].Geometry())
	}
	p.tx.outLen, p.tx.unsent, p.tx.deferred, p.tx.ring = 0, 0, 0, devices[0].TxRoom()
	p.setMTU(mtu)
}

// detach removes the devices, which the caller closes, and all TX slots with the frames in them.
func (p *Port) detach() {
	p.letGo()
	p.Slots, p.Suspended = slots{}, false
	if p.Link != nil {
		p.Link.pushback.holding = false
	}
}

// letGo removes the devices from the port and leaves its TX slots unchanged.
func (p *Port) letGo() {
	p.sources, p.caught, p.iface.up, p.stalled, p.blocked = nil, nil, false, false, false
	p.tx.outLen, p.tx.unsent, p.tx.deferred, p.tx.ring = 0, 0, 0, 0
	if p.Link != nil {
		p.Link.dataFrom = nil
	}
}

func (p *Port) setMTU(mtu int) {
	p.MTU, p.iface.maxFrame = mtu, mtu+netif.Slack
	if p.Attached() {
		p.iface.maxFrame = min(p.iface.maxFrame, p.device().Geometry().SlotSize())
	}
}

// SetSpeed records the speed of the interface, Mb/s; 0: not known.
func (p *Port) SetSpeed(mbps int) {
	p.iface.speed = mbps
	if p.Link != nil {
		p.Link.LLR.Tx.SetSpeed(int64(mbps) * 1e6)
	}
}

// longestCarried returns the length, in octets, of the longest frame that can pass the port, without the shim of a
// link.
func (p *Port) longestCarried() int {
	if p.HIPPI != nil {
		return netif.LargestFrame
	}
	if p.Link != nil {
		return wire.Preamble{FCS: p.settings.FCS, To: wire.To{Addressed: p.settings.Addressed()}}.CarriedLen(p.iface.maxFrame)
	}
	return p.iface.maxFrame
}

// Attached reports whether the port has devices: its interface is present and open.
func (p *Port) Attached() bool { return len(p.sources) > 0 }

// device returns the device by which frames leave; the port must be attached.
func (p *Port) device() frame.Device { return p.sources[0].device }

// Ready reports whether the port can send: its interface is attached and has its carrier, and its sockets are open.
func (p *Port) Ready() bool { return p.iface.up && p.Attached() && !p.Suspended }

// Carrying reports whether the partner of a link gets the frames that are sent now: the carrier is there, a partner is
// known where one is awaited, and the link's protocol has begun. Only the worker may call it.
func (p *Port) Carrying() bool {
	switch {
	case !p.Ready():
		return false
	case p.HIPPI != nil:
		return p.HIPPI.End.Ready()
	case p.Link == nil:
		return false
	}
	switch p.Link.LLR.Tx.State() {
	case llr.TxAdvance, llr.TxReplay:
		return true
	case llr.TxOff:
		return !p.Link.remote() && (p.Link.Partner.Present() || !p.Link.awaitsPartner())
	case llr.TxInit, llr.TxFlush:
	}
	return false
}

// Replace gives a port other devices with the same memory and rings: taps that record the frames, or again the
// devices without taps.
func (p *Port) Replace(devices []frame.Device) {
	for i, d := range devices {
		p.sources[i].use(d)
	}
}

// noCarrier returns in words why the interface of a port carries nothing.
func (p *Port) noCarrier() string {
	if !p.Attached() {
		return fmt.Sprintf("the interface %s of the port is absent", p.settings.Interface)
	}
	return fmt.Sprintf("the interface %s of the port has no carrier, or is switched off", p.settings.Interface)
}

// Name returns the name of the port.
func (p *Port) Name() string { return p.settings.Name }

// Presence returns whether a link port can carry frames, and in words what is missing.
func (p *Port) Presence(now wire.Time) (state Presence, cause string) { return p.link.presence(now) }
