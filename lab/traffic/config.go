package traffic

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"time"

	"uelink/dataplane/pfc"
	"uelink/wire"
)

// maxHead is the longest part of a frame beyond the MTU: the header and two VLAN tags. Sizes count the tags, so
// frames with tags are no longer than others; the extra room costs nothing.
const maxHead = wire.HeaderLen + 2*tagLen

// maxFlows is the most flows: each priority and each kind of UET packet, each way.
const maxFlows = 2 * wire.Priorities * maxKinds

// MaxWindow is the largest window: the rings of a socket hold as many frames.
const MaxWindow = 1 << 15

// End is an interface, in this network namespace or in a named namespace of `ip netns`.
type End struct {
	Interface string
	NetNS     string // "" = this namespace
	Label     string // name in results; "" = as on the command line
}

// String returns the end's label; without a label, the end as on the command line: IF or IF@NETNS.
func (e End) String() string {
	switch {
	case e.Label != "":
		return e.Label
	case e.NetNS == "":
		return e.Interface
	}
	return e.Interface + "@" + e.NetNS
}

// ParseEnd parses an end of the traffic: IF or IF@NETNS, an interface and its network namespace.
func ParseEnd(s string) (End, error) {
	ifname, ns, named := strings.Cut(s, "@")
	if ifname == "" || named && (ns == "" || strings.ContainsAny(ns, "/@")) {
		return End{}, fmt.Errorf("%q: want INTERFACE or INTERFACE@NETNS", s)
	}
	return End{Interface: ifname, NetNS: ns}, nil
}

// Config is the traffic of a run. DefaultConfig returns the defaults.
type Config struct {
	From, To       End      // the two ends; both send and both receive
	FromMAC, ToMAC wire.MAC // unicast addresses of the two ends
	VLANs          []uint16 // VLAN IDs of the tags, 0..4095, the outer tag first; at most two

	// Priorities of the frames, 0..7: a flow for each, each way. The priority is in the VLAN tags; frames without
	// VLANs have a priority tag (VLAN 0). Empty: one flow each way, untagged, priority 0.
	Priorities []uint8
	UET        UET // kinds of UET packets; zero value: plain numbered frames
	// SinkRate is how many frames a second of a priority the To end drains, as a slow host does. The rest waits, and
	// PFC stops the sender. 0 = drain at once.
	SinkRate [wire.Priorities]float64
	Stall    Stall // stall of the To end
	// PFCRate is the rate in bit/s at which both ends count the quanta of a pause, 1 Mb/s to 10 Tb/s, like the rate
	// of a NIC. 0 = 1 Gb/s for pauses received, 10 Gb/s for pauses sent.
	PFCRate int64

	Size     string        // octets of a frame without FCS, tags included: a number of 60..MTU+14, "imix" or "sweep"
	Frames   uint64        // number of frames to send each way, of each priority; 0 = no limit
	Duration time.Duration // how long to send; 0 = no limit

	Window int     // limit of the frames in flight in each direction, of each priority, 1..MaxWindow
	Rate   float64 // frames a second each way, of each priority, without a window; 0 = the window limits

	// LossTimeout is the age at which a missing frame is written off while later frames arrive. While no frame
	// arrives, it is four times as long.
	LossTimeout time.Duration
	GiveUp      time.Duration // time without an arrival after which a direction ends
	Spin        time.Duration // time of polling after the last frame, before the thread sleeps
	RingSize    int           // entries of each AF_XDP ring, a power of two, at least all windows of a direction
}

// Stall is a time in which an end drains no frames of a priority. The zero value is no stall.
type Stall struct {
	Priority uint8
	Begin    time.Duration // time from when the first frame may leave to the beginning of the stall
	Duration time.Duration // 0 = no stall
}

// DefaultConfig returns the configuration of a run with half a million frames of 256 octets each way. The
// interfaces are still missing.
func DefaultConfig() Config {
	return Config{
		FromMAC: wire.MAC{0x02, 'u', 'e', 0, 0, 1},
		ToMAC:   wire.MAC{0x02, 'u', 'e', 0, 0, 2},
		Size:    "256", Frames: 500_000, Window: 192,
		LossTimeout: 250 * time.Millisecond, GiveUp: 10 * time.Second,
		Spin: 20 * time.Microsecond, RingSize: 1024,
	}
}

// Validate returns the first error in the configuration.
func (c *Config) Validate() error {
	switch {
	case c.From.Interface == "" || c.To.Interface == "":
		return errors.New("the interfaces of both ends are needed")
	case c.From.Interface == c.To.Interface && c.From.NetNS == c.To.NetNS:
		return fmt.Errorf("both ends are %s", c.From)
	case c.FromMAC == c.ToMAC || c.FromMAC[0]&1 != 0 || c.ToMAC[0]&1 != 0:
		return errors.New("the addresses of the ends must be two different unicast ones")
	case len(c.VLANs) > 2:
		return fmt.Errorf("%d VLAN tags: at most two", len(c.VLANs))
	case c.Window < 1 || c.Window > MaxWindow:
		return fmt.Errorf("window %d: want 1 to %d", c.Window, MaxWindow)
	case c.RingSize < c.onTheWay() || bits.OnesCount(uint(c.RingSize)) != 1:
		return fmt.Errorf("ring size %d: want a power of two not below the window of %d", c.RingSize, c.onTheWay())
	case c.PFCRate != 0 && (c.PFCRate < pfc.RateMin || c.PFCRate > pfc.RateMax):
		return fmt.Errorf("PFC rate of %d bit/s: want 1Mbps to 10Tbps", c.PFCRate)
	case c.Rate < 0:
		return fmt.Errorf("rate %g: want 0 or more", c.Rate)
	case c.LossTimeout <= 0 || c.GiveUp <= 0 || c.Duration < 0 || c.Spin < 0:
		return errors.New("the loss timeout and the give-up time must be above 0; the duration and the spin time, 0 or above")
	}
	for _, vlan := range c.VLANs {
		if vlan > 4095 {
			return fmt.Errorf("VLAN %d: want 0 to 4095", vlan)
		}
	}
	if err := c.validateUET(); err != nil {
		return err
	}
	return c.validatePriorities()
}

// validateUET returns an error for unknown kinds of UET packets, and for kinds together with a slow sink, because
// a sink has one flow of each priority.
func (c *Config) validateUET() error {
	_, err := c.UET.kinds()
	if len(c.UET.Kinds) > 0 && (c.Stall.Duration > 0 || c.SinkRate != [wire.Priorities]float64{}) {
		return errors.New("a slow sink takes no UET packets: leave out --sink-rate or --uet")
	}
	return err
}

// validatePriorities checks the priorities of flows, sink rates and stalls.
func (c *Config) validatePriorities() error {
	for i, p := range c.Priorities {
		if p >= wire.Priorities || slices.Contains(c.Priorities[:i], p) {
			return fmt.Errorf("priority %d: want 0 to 7, each once", p)
		}
	}
	for p, rate := range c.SinkRate {
		if rate < 0 {
			return fmt.Errorf("sink rate %g of priority %d: want 0 or more", rate, p)
		}
	}
	if s := c.Stall; s.Begin < 0 || s.Duration < 0 || s.Duration > 0 && !slices.Contains(c.priorities(), s.Priority) {
		return fmt.Errorf("a stall of priority %d from %v for %v: want times of 0 or more, of a priority that is sent",
			s.Priority, s.Begin, s.Duration)
	}
	return nil
}

// priorities returns the priorities of the frames to send; priority 0 if none are configured.
func (c *Config) priorities() []uint8 {
	if len(c.Priorities) == 0 {
		return []uint8{0}
	}
	return c.Priorities
}

// onTheWay returns how many frames, over all flows, may be in flight in one direction.
func (c *Config) onTheWay() int { return c.Window * c.flows() }

// flows returns how many flows each direction has: the priorities times the kinds of UET packets.
func (c *Config) flows() int {
	kinds, _ := c.UET.kinds() // Validate reports the error
	return len(c.priorities()) * max(len(kinds), 1)
}

// tags returns the tag control information (VLAN ID and priority) of each VLAN tag that frames of a priority have;
// none for untagged frames.
func (c *Config) tags(priority uint8) []uint16 {
	tags := slices.Clone(c.VLANs)
	if len(tags) == 0 && len(c.Priorities) > 0 {
		tags = []uint16{0}
	}
	for i := range tags {
		tags[i] |= uint16(priority) << wire.PCPShift
	}
	return tags
}
