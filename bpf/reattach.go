package bpf

import (
	"errors"
	"fmt"

	"github.com/cilium/ebpf/link"

	"uelink/dataplane/attach"
)

// IsAttached reports whether the program is on its interface. The program is gone if somebody has detached its
// bpf_link (bpftool link detach), or if the interface has gone. The kernel sends no notice of either.
func (a *Attachment) IsAttached() (bool, error) {
	if a.link == nil {
		return false, nil
	}
	info, err := a.link.Info()
	if err != nil {
		return false, fmt.Errorf("%s: read the bpf_link of the XDP program: %w", a.name, err)
	}
	xdp := info.XDP()
	return xdp != nil && xdp.Ifindex != 0, nil
}

// Reattach takes the program off its interface, if attached, and attaches it again in the same mode. The sockets
// stay registered, and the counters go on. After an error the interface may be without a program, and Reattach may
// be called again. Errors are those of Attach.
func (p *Program) Reattach() error {
	if err := p.TakeOff(); err != nil {
		return err
	}
	flags := link.XDPGenericMode
	if p.mode == attach.ModeDriver {
		flags = link.XDPDriverMode
	}
	if err := p.attachAs(p.ifindex, p.objects.UelinkSteer, p.mode, flags); err != nil {
		return occupied(p.ifindex, explain(p.name+": attach the XDP program", err))
	}
	return nil
}

// TakeOff detaches the program from its interface at once; Reattach puts it back. Closing the bpf_link alone may detach
// the program later.
func (a *Attachment) TakeOff() error {
	if a.link == nil {
		return nil
	}
	// A link already detached, or a deleted interface, is no error.
	present, err := a.IsAttached()
	if err == nil && present {
		err = a.link.Detach()
	}
	l := a.link
	a.link = nil
	if err = errors.Join(err, l.Close()); err != nil {
		return fmt.Errorf("%s: detach the XDP program: %w", a.name, err)
	}
	return nil
}
