package netif

import (
	"errors"
	"fmt"
	"time"

	"github.com/vishvananda/netlink"
	"go.uber.org/zap"
	"golang.org/x/sys/unix"

	"uelink/dataplane/attach"
	"uelink/dataplane/netdev"
)

// Settings of the NAPI instances of a veth that pushes back. With a shorter timeout, or without napiDefer, the kernel
// takes frames by itself under load, and drops those for which the RX ring has no room.
const (
	// napiDefer is the value of napi_defer_hard_irqs: any value but 0 lets the kernel wait for a pump.
	napiDefer = 1
	// Watchdog is the time after the last Ask or Hold after which the kernel hands frames over by itself.
	Watchdog = 200 * time.Millisecond
)

// The first Linux version whose veth stops its queue when its ring is full.
const (
	pushMajor = 6
	pushMinor = 16
)

// Pushes returns nil if this kernel's version has a veth that can push back (leave frames with the host), else an
// error with the reason.
func Pushes() error {
	release, older, err := olderThan(pushMajor, pushMinor)
	if older {
		return fmt.Errorf("a veth stops its queue from Linux %d.%d on, and this is %s", pushMajor, pushMinor, release)
	}
	return err
}

// PushBack is the push back of a veth: while it is on, the kernel leaves the host's frames with the host until a Pump
// asks for them.
type PushBack struct {
	host       *HostEnd
	attachment *attachment
	pumps      []*Pump // none: the veth does not push back
}

// Start makes the veth keep the host's frames until they are asked for, and the host's senders wait: it changes the
// other end of the veth, opens a Pump for each socket, sets the NAPI instances, and tries push back with frames of its
// own, which reach no socket. Call Start after Attach. After an error nothing is changed. Start must not be called
// again before End.
//
// The order matters: the discipline holds the frames that the ring does not, so it comes first; a pump learns its NAPI
// instance from a frame, which would wait for the watchdog if the instance were set before. After KeepWithHost the
// discipline is opened last.
func (b *PushBack) Start() error {
	err := b.setUp()
	if err != nil && !errors.Is(err, errUnreached) {
		b.End()
	}
	return err
}

// errUnreached is the error of Start when the host's end can be neither read nor changed.
var errUnreached = errors.New("the host's end of the veth is out of reach")

// setUp does the work of Start, without End after an error: the host's end gets its discipline and limits, each queue
// its pump, and a trial shows that frames wait at the host's end instead of being lost. After KeepWithHost it opens the
// discipline instead of the trial. An error names the first demand that is not met.
func (b *PushBack) setUp() error {
	if err := Pushes(); err != nil {
		return err
	}
	switch {
	case !b.host.veth:
		return errors.New("the interface is no veth")
	case b.attachment.program == nil || b.attachment.program.Mode() != attach.ModeDriver:
		return errors.New("the XDP program is in generic mode")
	}
	if nl, err := netlink.LinkByIndex(b.host.index); err != nil || nl.Attrs().RawFlags&unix.IFF_UP == 0 {
		return errors.New("the interface is down")
	}
	e, err := b.host.State()
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w: name that namespace (ip netns attach NAME PID)",
			errUnreached, err)
	case !e.Up:
		return fmt.Errorf("%s, the host's end of the veth, is down", e.Name)
	}
	if b.host.shut = b.host.shut && e.Cuts; !b.host.shut { // a shut discipline may have gone meanwhile
		if err := b.host.change(e); err != nil {
			return fmt.Errorf("change %s, the host's end of the veth: %w", e.Name, err)
		}
	}
	if err := b.openPumps(e); err != nil {
		return err
	}
	for _, p := range b.pumps {
		if err := netdev.SetNAPI(netdev.NAPI{ID: p.napi, Defer: napiDefer, Timeout: Watchdog}); err != nil {
			return err
		}
	}
	if b.host.shut { // push back was tried before KeepWithHost
		return b.host.change(e)
	}
	return b.try()
}

// Pumps returns the pumps, which ask the kernel for the host's frames, in the order of Sockets; nil while the
// interface does not push back.
func (b *PushBack) Pumps() []*Pump { return b.pumps }

// KeepWithHost makes the frames of the host stay in the queueing discipline of the other end of the veth, and waits
// until the ring of the veth is empty: the kernel frees the frames in it when the XDP program leaves. It ends the
// pumps, and leaves the changed settings at the host's end for the next Start. If the discipline is not this process's,
// or is a pfifo, or the veth has several queues, the host's frames go on coming, and a few may be lost. With several
// queues the discipline must stay open: past waiting frames, a frame by which a pump learns its queue cannot be sent to
// a chosen queue.
func (b *PushBack) KeepWithHost() {
	if len(b.pumps) == 0 {
		return
	}
	err := atPeer(b.host.index, func(ifname string) error {
		e, err := readHostEnd(ifname)
		if err != nil || !e.Cuts || len(b.pumps) > 1 || e.queues > 1 {
			return err
		}
		longest, err := b.host.longest(e)
		if err != nil {
			return err
		}
		return b.host.setValve(e, longest, valveShut)
	})
	if err != nil {
		b.host.log.Warn("frames of the host in the ring of the veth may be lost", zap.Error(err))
	}
	b.emptyRing()
	b.endPumps()
}

// End ends push back: the kernel hands over the host's frames without being asked, and the host's end of the
// veth gets its previous settings. No goroutine may use the pumps any more.
func (b *PushBack) End() {
	b.endPumps()
	b.host.Free()
}

// endPumps closes the pumps, and restores the settings of the NAPI instances. After a kill nothing has to be restored:
// an instance of a veth ends with the XDP program.
func (b *PushBack) endPumps() {
	for _, p := range b.pumps {
		_ = netdev.SetNAPI(p.before) // the instance may have gone
		p.Rest()
		p.Rest()
		p.close()
	}
	b.pumps = nil
}
