package guest

import (
	"errors"
	"fmt"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"github.com/cilium/ebpf/link"
	"github.com/vishvananda/netlink"
)

// programFaults act on the daemon and its XDP program.
var programFaults = []fault{
	{name: "another program", do: func(t *trial) error { return t.a.ns.Do(func() error { return replaceProgram("link0") }) }},
	{name: "program taken off", do: func(t *trial) error {
		if err := t.a.ns.Do(func() error { return detach("link0") }); err != nil {
			return err
		}
		return t.flows()
	}},
	{name: "kill -9", exempt: "LLR's unacknowledged frames were in the memory of the killed daemon", do: func(t *trial) error {
		t.a.kill()
		if err := t.a.start(); err != nil {
			return err
		}
		return t.flows()
	}},
}

// passAll is an XDP program that passes all frames to the kernel, as that of another owner beside uelinkd might.
var passAll = &ebpf.ProgramSpec{
	Name: "somebody", Type: ebpf.XDP, License: "GPL",
	Instructions: asm.Instructions{asm.Mov.Imm(asm.R0, 2), asm.Return()}, // XDP_PASS
}

// replaceProgram tries to replace the daemon's XDP program on an interface by another, in every mode. It returns an
// error if the kernel allows that. Then it waits for a while, in which frames must still flow.
func replaceProgram(ifname string) error {
	p, err := ebpf.NewProgram(passAll)
	if err != nil {
		return err
	}
	defer p.Close()
	l, err := netlink.LinkByName(ifname)
	if err != nil {
		return err
	}
	for _, flags := range []link.XDPAttachFlags{0, link.XDPDriverMode, link.XDPGenericMode} {
		o := link.XDPOptions{Program: p, Interface: l.Attrs().Index, Flags: flags}
		other, err := link.AttachXDP(o)
		if err == nil {
			err = fmt.Errorf("another XDP program could be attached beside the daemon's, with flags %d", flags)
			return errors.Join(err, other.Close())
		}
		if err := netlink.LinkSetXdpFdWithFlags(l, p.FD(), int(flags)); err == nil {
			return fmt.Errorf("another XDP program could replace the daemon's, with flags %d", flags)
		}
	}
	time.Sleep(away)
	return nil
}

// detach detaches the daemon's XDP program from an interface, as `bpftool link detach` does.
func detach(ifname string) error {
	l, err := netlink.LinkByName(ifname)
	if err != nil {
		return err
	}
	links := new(link.Iterator)
	defer links.Close()
	for links.Next() {
		info, err := links.Link.Info()
		if err == nil && info.XDP() != nil && info.XDP().Ifindex == uint32(l.Attrs().Index) {
			return links.Link.Detach()
		}
	}
	return errors.Join(links.Err(), fmt.Errorf("no XDP program is attached to interface %s by a BPF link", ifname))
}
