package traffic

import (
	"fmt"
	"math"
	"net"
	"strconv"
	"strings"

	"uelink/wire"
)

// endFlag is an End on the command line.
type endFlag End

func (f *endFlag) String() string { return End(*f).String() }
func (f *endFlag) Type() string   { return "interface[@netns]" }
func (f *endFlag) Set(s string) (err error) {
	end, err := ParseEnd(s)
	*f = endFlag(end)
	return err
}

// macFlag is an address on the command line.
type macFlag wire.MAC

func (f *macFlag) String() string { return net.HardwareAddr(f[:]).String() }
func (f *macFlag) Type() string   { return "mac" }
func (f *macFlag) Set(s string) error {
	mac, err := net.ParseMAC(s)
	if err != nil || len(mac) != wire.AddrLen {
		return fmt.Errorf("%q is not an Ethernet address", s)
	}
	copy(f[:], mac)
	return nil
}

// vlanFlag is the VLAN tags of a frame; each use of the flag adds a tag.
type vlanFlag []uint16

func (f *vlanFlag) String() string { return strings.Trim(fmt.Sprint([]uint16(*f)), "[]") }
func (f *vlanFlag) Type() string   { return "vlan" }
func (f *vlanFlag) Set(s string) error {
	vlan, err := strconv.ParseUint(s, 10, 16)
	if err != nil {
		return fmt.Errorf("%q is not a VLAN", s)
	}
	*f = append(*f, uint16(vlan))
	return nil
}

// priorityFlag is the priorities of the frames; each use of the flag adds a priority.
type priorityFlag []uint8

func (f *priorityFlag) String() string { return strings.Trim(fmt.Sprint([]uint8(*f)), "[]") }
func (f *priorityFlag) Type() string   { return "priority" }
func (f *priorityFlag) Set(s string) error {
	priority, err := parsePriority(s)
	*f = append(*f, priority)
	return err
}

// parsePriority parses a priority, 0 to 7.
func parsePriority(s string) (uint8, error) {
	priority, err := strconv.ParseUint(s, 10, 8)
	if err != nil || priority >= wire.Priorities {
		return 0, fmt.Errorf("%q is not a priority, 0 to 7", s)
	}
	return uint8(priority), nil
}

// rateFlag is a rate in bit/s on the command line, with a unit.
type rateFlag int64

func (f *rateFlag) String() string { return fmt.Sprintf("%gGbps", float64(*f)/1e9) }
func (f *rateFlag) Type() string   { return "rate" }

// Set parses a rate with its unit, in bits a second.
func (f *rateFlag) Set(s string) error {
	for _, u := range []struct {
		name string
		bits float64
	}{{"Tbps", 1e12}, {"Gbps", 1e9}, {"Mbps", 1e6}} {
		text, ok := strings.CutSuffix(s, u.name)
		if n, err := strconv.ParseFloat(text, 64); ok && err == nil && n > 0 && n*u.bits <= math.MaxInt64/2 {
			*f = rateFlag(n * u.bits)
			return nil
		}
	}
	return fmt.Errorf("%q is not a rate: write a number and a unit, such as 100Mbps or 2.5Gbps", s)
}

// sinkFlag is how many frames a second the sink drains, by priority.
type sinkFlag [wire.Priorities]float64

// String returns the rates that are set, by priority.
func (f *sinkFlag) String() string {
	var text []string
	for p, rate := range f {
		if rate > 0 {
			text = append(text, fmt.Sprintf("%d=%g", p, rate))
		}
	}
	return strings.Join(text, " ")
}
func (f *sinkFlag) Type() string { return "[priority=]rate" }

// Set parses the text PRIORITY=RATE and sets the rate of that priority. The text RATE alone sets it for all priorities.
func (f *sinkFlag) Set(s string) error {
	priority, text, found := strings.Cut(s, "=")
	if !found {
		text = priority
	}
	rate, err := strconv.ParseFloat(text, 64)
	if err != nil || !(rate >= 0) {
		return fmt.Errorf("%q is not a rate", text)
	}
	if found {
		priority, err := parsePriority(priority)
		f[priority&(wire.Priorities-1)] = rate
		return err
	}
	for p := range f {
		f[p] = rate
	}
	return nil
}
