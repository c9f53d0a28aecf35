package bpf

import "fmt"

// Counters is frames by verdict on one interface, since Attach, whatever Reconfigure did in between.
type Counters struct {
	Data         uint64 `json:"data"`          // link: our data EtherType, to the socket
	Control      uint64 `json:"control"`       // link: our control EtherType, to the socket
	LLDP         uint64 `json:"lldp"`          // to the kernel
	NativeSocket uint64 `json:"native_socket"` // any other, to the socket; on an edge port all of them
	NativePass   uint64 `json:"native_pass"`   // link: any other, to the kernel as configured
	NativeDrop   uint64 `json:"native_drop"`   // link: any other, dropped as configured
	NoSocket     uint64 `json:"no_socket"`     // for the socket, but their queue has none: to the kernel
	Runt         uint64 `json:"runt"`          // shorter than an Ethernet header, dropped
}

// Seen is all frames that the program has seen.
func (c Counters) Seen() uint64 {
	return c.Data + c.Control + c.LLDP + c.NativeSocket + c.NativePass + c.NativeDrop + c.NoSocket + c.Runt
}

// Counters reads the counts of all CPUs and adds them up.
func (p *Program) Counters() (Counters, error) {
	var c Counters
	// In the order of enum verdict in steer.c.
	for verdict, sum := range []*uint64{
		&c.Data, &c.Control, &c.LLDP, &c.NativeSocket, &c.NativePass, &c.NativeDrop, &c.NoSocket, &c.Runt,
	} {
		var perCPU []uint64
		if err := p.objects.Counted.Lookup(uint32(verdict), &perCPU); err != nil {
			return Counters{}, fmt.Errorf("%s: read the counters of the XDP program: %w", p.name, err)
		}
		for _, n := range perCPU {
			*sum += n
		}
	}
	return c, nil
}
