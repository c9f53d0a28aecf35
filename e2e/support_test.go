package e2e

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
	"unsafe"

	"github.com/cilium/ebpf/link"
	"golang.org/x/sys/unix"
)

// topOfSupport is the first twenty lines of what `uelink support` writes about a daemon.
func (d *daemon) topOfSupport() string {
	d.t.Helper()
	out := d.text("support", "-")
	return strings.Join(strings.SplitAfter(out, "\n")[:20], "")
}

// tells waits until the first twenty lines of a report tell of something.
func (d *daemon) tells(want string) {
	d.t.Helper()
	eventually(d.t, d.name+": support tells: "+want, func() string {
		if top := d.topOfSupport(); !strings.Contains(top, want) {
			return top
		}
		return ""
	})
}

// A link on which all is well, and what can be done to it from outside: the cause is in
// the first twenty lines.
func TestSupportTellsTheCause(t *testing.T) {
	top := direct(t)
	p := top.daemons(settings{})
	p.a.tells("- nothing: the ports are up")
	t.Run("interface", func(t *testing.T) {
		must(t, top.B.SetLink("link0", false))
		p.a.tells("port link0: the interface is down")
		must(t, top.B.SetLink("link0", true))
		p.advance()
	})
	t.Run("RX queues", func(t *testing.T) {
		if err := top.A.Do(func() error { return setRxQueues("link0", 2) }); err != nil {
			t.Skipf("a veth with one queue on this machine, without a second CPU: %v", err)
		}
		p.a.tells("the interface has 2 RX queues and 1 have a socket")
		must(t, top.A.Do(func() error { return setRxQueues("link0", 1) }))
		p.a.tells("- nothing: ")
	})
	t.Run("XDP program", func(t *testing.T) {
		l, err := top.A.Link("link0")
		must(t, err)
		must(t, detachXDP(l.Xdp.ProgId))
		p.a.tells("port link0: no XDP program is attached: somebody has detached it")
	})
	t.Run("silence", func(t *testing.T) {
		p.b.kill()
		p.a.tells("partner is silent: is uelinkd running there with LLR on?")
	})
	t.Run("no daemon", func(t *testing.T) {
		p.a.kill()
		p.a.tells("no daemon: nobody listens on " + p.a.socket)
	})
}

// Ends that do not fit together.
func TestSupportTellsOfMismatches(t *testing.T) {
	for name, c := range map[string]struct {
		b    settings
		want string
	}{
		"dialect":   {settings{link: "dialect: ue1"}, "partner speaks dialect ue1, this port seed"},
		"FCS image": {settings{link: "fcs: false"}, "partner sends no FCS image and this port demands one"},
		"LLR":       {settings{llr: `mode: "off"`}, "partner does not accept LLR from this port"},
		"EtherType of data": {settings{link: "ethertypes: {data: 0x9101, control: 0x88B6}"},
			"partner sends data under EtherType 0x9101"},
		"EtherTypes swapped": {settings{link: "ethertypes: {data: 0x88B6, control: 0x88B5}"},
			"partner sends under EtherType 0x88b5"},
	} {
		t.Run(name, func(t *testing.T) {
			top := direct(t)
			p := pair{newDaemon(t, top.A, "A", settings{}), newDaemon(t, top.B, "B", c.b)}
			p.a.start()
			p.b.start()
			p.a.tells(c.want)
		})
	}
}

// Peers of DCBX, and one direction of LLDP.
func TestSupportTellsOfDCBX(t *testing.T) {
	for name, c := range map[string]struct {
		a, b lldpOnly
		want string
	}{
		"priorities": {lldpOnly{dcbx: "mode: on, pfc: {willing: false, priorities: [3]}"},
			lldpOnly{dcbx: "mode: on, pfc: {willing: false, priorities: [4]}"},
			"port link0: DCBX PFC: the peer's settings are not compatible with ours"},
		"disabled there": {lldpOnly{dcbx: "mode: on"}, lldpOnly{dcbx: "mode: on, pfc: {enabled: false}"},
			"port link0: DCBX PFC: the peer has it disabled"},
		"one way": {lldpOnly{lldp: "mode: tx-only", dcbx: "mode: on"}, lldpOnly{dcbx: "mode: on"},
			"DCBX is disabled because LLDP does not go both ways"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWired(t)
			p := pair{newDaemon(t, w.A, "A", c.a), newDaemon(t, w.B, "B", c.b)}
			p.a.start()
			p.b.start()
			p.a.tells(c.want)
		})
	}
}

// setRxQueues is `ethtool -L IF rx N`, in this thread's namespace.
func setRxQueues(ifname string, n uint32) error {
	const getChannels, setChannels, rxCount = 0x3c, 0x3d, 5 // of linux/ethtool.h, struct ethtool_channels
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	channels := make([]byte, 36)
	request := struct {
		name [unix.IFNAMSIZ]byte
		data unsafe.Pointer
		_    [24 - unsafe.Sizeof(uintptr(0))]byte
	}{data: unsafe.Pointer(&channels[0])}
	copy(request.name[:], ifname)
	for _, command := range []uint32{getChannels, setChannels} {
		binary.NativeEndian.PutUint32(channels, command)
		if command == setChannels {
			binary.NativeEndian.PutUint32(channels[4*rxCount:], n)
		}
		pointer := uintptr(unsafe.Pointer(&request))
		if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.SIOCETHTOOL, pointer); errno != 0 {
			return errno
		}
	}
	return nil
}

// detachXDP takes the program with that number off its interface, as `bpftool link detach`
// does.
func detachXDP(program uint32) error {
	for links := new(link.Iterator); links.Next(); {
		info, err := links.Link.Info()
		if err != nil || info.XDP() == nil || uint32(info.Program) != program {
			continue
		}
		return links.Link.Detach()
	}
	return fmt.Errorf("no link of program %d", program)
}
