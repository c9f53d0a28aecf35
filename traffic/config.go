package traffic

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"time"

	"uelink/pfc"
	"uelink/wire"
)

// maxHead is by how much a frame may be longer than the MTU: the header, and the
// two VLAN tags that a size does not let it have but that cost nothing to hold.
const maxHead = wire.HeaderLen + 2*tagLen

// maxFlows is a flow for each priority and each kind of UET packet, each way.
const maxFlows = 2 * wire.Priorities * maxKinds

// MaxWindow is the largest window: a socket's rings hold as many frames.
const MaxWindow = 1 << 15

// End is an interface, in this network namespace or in one that `ip netns`
// knows by name.
type End struct {
	Interface string
	NetNS     string // "" = this one
	Label     string // what results call it; "" = as on the command line
}

// String is the label, or else the end as it is given on the command line: IF or
// IF@NETNS.
func (e End) String() string {
	switch {
	case e.Label != "":
		return e.Label
	case e.NetNS == "":
		return e.Interface
	}
	return e.Interface + "@" + e.NetNS
}

// ParseEnd reads IF or IF@NETNS.
func ParseEnd(s string) (End, error) {
	ifname, ns, named := strings.Cut(s, "@")
	if ifname == "" || named && (ns == "" || strings.ContainsAny(ns, "/@")) {
		return End{}, fmt.Errorf("%q: want INTERFACE or INTERFACE@NETNS", s)
	}
	return End{Interface: ifname, NetNS: ns}, nil
}

// Config is what to send and how. DefaultConfig gives the defaults.
type Config struct {
	From, To       End      // both send and both receive
	FromMAC, ToMAC wire.MAC // unicast addresses of the two ends
	VLANs          []uint16 // tags, the outer one first; at most two, of 0..4095

	// Priorities of the frames, 0..7: each is a flow of its own each way, and stands in the
	// VLAN tags, or in a priority tag (VLAN 0) where there are none. None: one flow each way
	// without a priority tag, which has priority 0.
	Priorities []uint8
	UET        UET // what the frames carry, if not only what they are numbered by
	// SinkRate is how many frames a second of a priority the To end takes, as a slow host
	// does: the others wait, and PFC stops the sender. 0 = all that come.
	SinkRate [wire.Priorities]float64
	Stall    Stall // of the To end
	// PFCRate is the rate in bit/s at which both ends count the quanta of a pause, 1 Mb/s to 10 Tb/s, as a NIC
	// counts at its own. 0 = 1 Gb/s for those that come, 10 Gb/s for those that are sent.
	PFCRate int64

	Size     string        // octets of a frame without FCS, tags included: a number of 60..MTU+14, "imix" or "sweep"
	Frames   uint64        // to send each way, of each priority; 0 = no limit
	Duration time.Duration // to send for; 0 = no limit

	Window int     // frames on the way in each direction, of each priority, 1..MaxWindow
	Rate   float64 // frames a second each way, of each priority, whatever arrives; 0 = as the window says

	LossTimeout time.Duration // a frame unseen for so long while later ones arrive is written off; with none arriving, four times as long
	GiveUp      time.Duration // a direction in which nothing arrives for so long ends
	Spin        time.Duration // polling after the last frame before it sleeps
	RingSize    int           // entries of each AF_XDP ring, a power of two, at least all windows of a direction
}

// Stall is a time in which an end takes no frames of a priority. The zero value is none.
type Stall struct {
	Priority uint8
	Begin    time.Duration // after the first frame may leave
	Duration time.Duration // 0 = there is none
}

// DefaultConfig is a run of half a million small frames each way.
func DefaultConfig() Config {
	return Config{
		FromMAC: wire.MAC{0x02, 'u', 'e', 0, 0, 1},
		ToMAC:   wire.MAC{0x02, 'u', 'e', 0, 0, 2},
		Size:    "256", Frames: 500_000, Window: 192,
		LossTimeout: 250 * time.Millisecond, GiveUp: 10 * time.Second,
		Spin: 20 * time.Microsecond, RingSize: 1024,
	}
}

// Validate names the first thing that is wrong.
func (c *Config) Validate() error {
	switch {
	case c.From.Interface == "" || c.To.Interface == "":
		return errors.New("two ends are needed")
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
		return errors.New("a time-out must be above 0, a duration not below")
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

// validateUET refuses kinds that there are not, and a slow sink, whose queues and pauses are those of
// one flow of each priority.
func (c *Config) validateUET() error {
	_, err := c.UET.kinds()
	if len(c.UET.Kinds) > 0 && (c.Stall.Duration > 0 || c.SinkRate != [wire.Priorities]float64{}) {
		return errors.New("a slow sink takes no UET packets: leave out --sink-rate or --uet")
	}
	return err
}

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

// priorities are those of the flows.
func (c *Config) priorities() []uint8 {
	if len(c.Priorities) == 0 {
		return []uint8{0}
	}
	return c.Priorities
}

// onTheWay is how many frames the windows of a direction let out.
func (c *Config) onTheWay() int { return c.Window * c.flows() }

// flows is how many there are in each direction.
func (c *Config) flows() int {
	kinds, _ := c.UET.kinds() // what is wrong with them, Validate says
	return len(c.priorities()) * max(len(kinds), 1)
}

// tags is the control information of the VLAN tags of a flow's frames.
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
