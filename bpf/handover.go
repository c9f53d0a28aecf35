package bpf

import (
	"errors"
	"fmt"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"

	"uelink/dataplane/attach"
)

// The kernel keeps program, maps and bpf_link as long as a process has their descriptors. So another process that gets
// the descriptors goes on with the attached program.

// ProgramFDs is the number of descriptors of a Program: link, program, and four maps.
const ProgramFDs = 6

// Descriptors returns the file descriptors of an attached program and its maps, which another process needs for
// AdoptProgram. This process still owns and closes them.
func (p *Program) Descriptors() ([]int, error) {
	l, ok := p.link.(interface{ FD() int })
	if !ok {
		return nil, fmt.Errorf("%s: the bpf_link of the XDP program has no file descriptor: %w", p.name,
			errors.ErrUnsupported)
	}
	o := &p.objects
	return []int{l.FD(), o.UelinkSteer.FD(), o.Sockets.FD(), o.Counted.FD(), o.Missed.FD(), o.Transmitter.FD()}, nil
}

// Config returns the settings by which the program steers frames.
func (p *Program) Config() Config { return p.config }

// Transmits reports whether a Transmitter can send by runs of the program.
func (p *Program) Transmits() bool { return p.transmits }

// AdoptProgram returns the XDP program that another process has attached to an interface in a mode, by fds, the file
// descriptors that Program.Descriptors returned there; they are closed with the program. c and transmits are Config and
// Transmits of the program there; the next Reconfigure replaces the program by one loaded by this process.
func AdoptProgram(ifname string, ifindex int, c Config, mode attach.Mode, transmits bool, fds []int) (*Program, error) {
	if len(fds) != ProgramFDs {
		return nil, fmt.Errorf("%s: take over the XDP program: %d file descriptors were handed over, %d are needed",
			ifname, len(fds), ProgramFDs)
	}
	p := &Program{config: c, entry: -1, transmits: transmits}
	l, err := link.NewFromFD(fds[0])
	if err != nil {
		return nil, fmt.Errorf("%s: take over the bpf_link of the XDP program: %w", ifname, err)
	}
	p.objects.UelinkSteer, err = ebpf.NewProgramFromFD(fds[1])
	for i, m := range []**ebpf.Map{
		&p.objects.Sockets, &p.objects.Counted, &p.objects.Missed, &p.objects.Transmitter,
	} {
		var failed error
		*m, failed = ebpf.NewMapFromFD(fds[2+i])
		err = errors.Join(err, failed)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: take over the XDP program: %w", ifname, err)
	}
	p.Attachment = &Attachment{name: ifname, ifindex: ifindex, sockets: p.objects.Sockets, mode: mode, link: l}
	if present, err := p.IsAttached(); err != nil || !present {
		return nil, fmt.Errorf("%s: take over the XDP program: the interface has no such program: %w", ifname, err)
	}
	return p, nil
}

// AdoptTransmit makes runs of the program send the frames of a Transmitter that another process has already registered
// with the program (see Transmit), and readies the Transmitter for Send. blank is the length that LongestBlank returned
// in the other process. AdoptTransmit makes no trial run, because the other process may still send.
func (p *Program) AdoptTransmit(t *Transmitter, blank uint32) (err error) {
	if p.entry, err = duplicate(p.objects.UelinkSteer.FD()); err != nil {
		return fmt.Errorf("%s: duplicate the file descriptor of the XDP program: %w", p.name, err)
	}
	t.entry, t.longest = p.entry, blank
	return nil
}

// The number of descriptors of a Transmitter, program and maps: alone, and in a Sharing.
const (
	TransmitterFDs = 4
	SharingFDs     = 5
)

// Descriptors returns the file descriptors of a Transmitter, which another process needs for AdoptTransmitter. This
// process still owns and closes them.
func (t *Transmitter) Descriptors() []int {
	o := &t.objects
	fds := []int{o.UelinkTransmit.FD(), o.Slots.FD(), o.Ring.FD(), o.Devices.FD()}
	if t.shares != nil {
		fds = append(fds, o.Ports.FD())
	}
	return fds
}

// AdoptTransmitter returns a Transmitter that another process has made, from the file descriptors fds that
// Transmitter.Descriptors returned there. The other process must not use the Transmitter any more. Call Overlay to
// map its slots, slots buffers of slotSize octets each. number is its number in the Sharing of the other process: call
// Sharing.Adopt to make it share here.
func AdoptTransmitter(slots, slotSize int, number uint16, fds []int) (*Transmitter, error) {
	t := &Transmitter{slots: slots, slotSize: slotSize, number: number}
	o := &t.objects
	var err error
	o.UelinkTransmit, err = ebpf.NewProgramFromFD(fds[0])
	for i, m := range []**ebpf.Map{&o.Slots, &o.Ring, &o.Devices, &o.Ports}[:len(fds)-1] {
		var failed error
		*m, failed = ebpf.NewMapFromFD(fds[1+i])
		err = errors.Join(err, failed)
	}
	if err == nil {
		err = t.mapRing()
	}
	if err != nil {
		return nil, fmt.Errorf("take over the XDP program that sends live frames: %w", err)
	}
	t.run.prepare()
	t.timing.prepare()
	return t, nil
}
