package bpf

import (
	"errors"
	"fmt"

	"github.com/cilium/ebpf/link"
)

// There tells whether the program is on its interface. It is not if somebody has detached its
// bpf_link (bpftool link detach), or if the interface has gone. No notice comes of either.
func (a *Attachment) There() (bool, error) {
	if a.link == nil {
		return false, nil
	}
	info, err := a.link.Info()
	if err != nil {
		return false, fmt.Errorf("%s: ask for the XDP program's link: %w", a.name, err)
	}
	xdp := info.XDP()
	return xdp != nil && xdp.Ifindex != 0, nil
}

// Reattach takes the program off its interface, if it is there, and puts it there again in the
// same mode. Its sockets stay registered, and its counters go on. After an error there may be no
// program on the interface; it may be tried again. Errors are those of Attach.
func (p *Program) Reattach() error {
	if err := p.takeOff(); err != nil {
		return err
	}
	flags := link.XDPGenericMode
	if p.mode == ModeDriver {
		flags = link.XDPDriverMode
	}
	if err := p.attachAs(p.ifindex, p.objects.UelinkSteer, p.mode, flags); err != nil {
		return occupied(p.ifindex, explain(p.name+": attach the XDP program", err))
	}
	return nil
}

// takeOff detaches the program at once. Closing the link alone may leave that to a later moment.
func (a *Attachment) takeOff() error {
	if a.link == nil {
		return nil
	}
	// Detaching one that is detached already, or whose interface has gone, is no error of ours.
	there, err := a.There()
	if err == nil && there {
		err = a.link.Detach()
	}
	l := a.link
	a.link = nil
	if err = errors.Join(err, l.Close()); err != nil {
		return fmt.Errorf("%s: take off the XDP program: %w", a.name, err)
	}
	return nil
}
