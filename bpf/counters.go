package bpf

import (
	"fmt"

	"github.com/cilium/ebpf"
)

// Counters counts frames by verdict on one interface, since Attach, across any Reconfigure.
type Counters struct {
	Data         uint64 `json:"data"`          // link: our data EtherType, to the socket
	Control      uint64 `json:"control"`       // link: frames of our control EtherType, to the socket
	LLDP         uint64 `json:"lldp"`          // frames of LLDP, to the kernel
	NativeSocket uint64 `json:"native_socket"` // other frames, to the socket; on an edge port all but LLDP
	NativePass   uint64 `json:"native_pass"`   // link: any other frame, to the kernel as configured
	NativeDrop   uint64 `json:"native_drop"`   // link: any other, dropped as configured
	NoSocket     uint64 `json:"no_socket"`     // for a socket, but the RX queue has none: to the kernel
	Runt         uint64 `json:"runt"`          // shorter than an Ethernet header, dropped
	Pump         uint64 `json:"pump"`          // edge: from PumpAddress, to the kernel
}

// Seen returns the total number of frames that the XDP program has received: the sum of the counts of all verdicts.
func (c Counters) Seen() uint64 {
	return c.Data + c.Control + c.LLDP + c.NativeSocket + c.NativePass + c.NativeDrop + c.NoSocket + c.Runt + c.Pump
}

// Counters returns the counts of frames by verdict, each summed over all CPUs.
func (p *Program) Counters() (Counters, error) {
	var c Counters
	// In the order of enum verdict in steer.c.
	for verdict, sum := range []*uint64{
		&c.Data, &c.Control, &c.LLDP, &c.NativeSocket, &c.NativePass, &c.NativeDrop, &c.NoSocket, &c.Runt,
		&c.Pump,
	} {
		n, err := p.sum(p.objects.Counted, verdict)
		if err != nil {
			return Counters{}, err
		}
		*sum = n
	}
	return c, nil
}

// NoSocket returns, by RX queue, how many frames were counted in Counters.NoSocket because the queue had no
// socket.
func (p *Program) NoSocket() ([]uint64, error) {
	missed := make([]uint64, p.objects.Missed.MaxEntries())
	for queue := range missed {
		n, err := p.sum(p.objects.Missed, queue)
		if err != nil {
			return nil, err
		}
		missed[queue] = n
	}
	return missed, nil
}

// sum reads the count with the given key of a per-CPU map and returns its sum over all CPUs.
func (p *Program) sum(counts *ebpf.Map, key int) (sum uint64, err error) {
	var perCPU []uint64
	if err := counts.Lookup(uint32(key), &perCPU); err != nil {
		return 0, fmt.Errorf("%s: read the counters of the XDP program: %w", p.name, err)
	}
	for _, n := range perCPU {
		sum += n
	}
	return sum, nil
}
