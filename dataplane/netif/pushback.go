package netif

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"uelink/dataplane/attach"
	"uelink/dataplane/netdev"
)

// Settings of the NAPI instances of a veth that pushes back. With a shorter timeout, or without napiDefer, the kernel
// takes frames by itself under load, and drops those for which the RX ring has no room.
const (
	napiDefer = 1
	// Watchdog is the time after the last Ask or Hold after which the kernel hands frames over by itself.
	Watchdog = 200 * time.Millisecond
)

// pushRelease is the first kernel whose veth stops its queue when its ring is full.
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

// PushBack makes the veth keep the host's frames until they are asked for, and the host's senders wait: it changes the
// other end of the veth, opens a Pump for each socket, sets the NAPI instances, and tries the whole with frames of its
// own, which reach no socket. Attach comes before. After an error nothing is changed. PushBack must not be called again
// before EndPushBack.
//
// The order matters: the discipline holds the frames that the ring does not, so it comes first; a pump learns its NAPI
// instance from a frame, which would wait for the watchdog if the instance were set before. After KeepWithHost the
// discipline is opened last.
func (i *Interface) PushBack() error {
	err := i.pushBack()
	if err != nil && !errors.Is(err, errUnreached) {
		i.EndPushBack()
	}
	return err
}

// errUnreached is the error of PushBack when it cannot look at the host's end, nor change it.
var errUnreached = errors.New("the host's end of the veth is out of reach")

// pushBack sets push-back up on a veth: the host's end gets its discipline and limits, each queue its pump, and a
// trial shows that frames wait at the host's end instead of being lost. An error names the first demand that is not
// met.
func (i *Interface) pushBack() error {
	if err := Pushes(); err != nil {
		return err
	}
	switch {
	case i.link.Type() != "veth":
		return errors.New("the interface is no veth")
	case i.program == nil || i.program.Mode() != attach.ModeDriver:
		return errors.New("the XDP program is in generic mode")
	}
	if nl, err := netlink.LinkByIndex(i.index); err != nil || nl.Attrs().RawFlags&unix.IFF_UP == 0 {
		return errors.New("the interface is down")
	}
	e, err := i.HostEnd()
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w: give its network namespace a name there (ip netns attach NAME PID)",
			errUnreached, err)
	case !e.Up:
		return fmt.Errorf("%s, the host's end of the veth, is down", e.Name)
	}
	if i.shut = i.shut && e.Cuts; !i.shut { // else the end has lost its discipline meanwhile
		if err := i.changeHostEnd(e); err != nil {
			return fmt.Errorf("change %s, the host's end of the veth: %w", e.Name, err)
		}
	}
	if err := i.openPumps(e); err != nil {
		return err
	}
	for _, p := range i.pumps {
		if err := netdev.SetNAPI(netdev.NAPI{ID: p.napi, Defer: napiDefer, Timeout: Watchdog}); err != nil {
			return err
		}
	}
	if i.shut { // it was tried before
		return i.changeHostEnd(e)
	}
	return i.tryPushBack()
}

// Pumps returns the pumps, which ask the kernel for the host's frames, in the order of Sockets; nil while the
// interface does not push back.
func (i *Interface) Pumps() []*Pump { return i.pumps }

// learnTime is the longest wait for a pump's frame. The kernel handles the frame within the system call that sends it,
// or soon after under load.
const learnTime = 300 * time.Millisecond

// attempts is the most pump frames sent for each queue: the host's end chooses the queue of a frame by its UDP port.
const attempts = 16

// openPumps opens a pump for each socket. A pump learns the NAPI instance of the queue that its frame happens to come
// by. Therefore pumps are opened until each RX queue has its own; the kernel numbers the instances of a veth in the
// order of the queues.
func (i *Interface) openPumps(e HostEnd) error {
	queues, err := i.RxQueues()
	if err != nil {
		return err
	}
	var pumps []*Pump
	for n := 0; len(pumps) < queues; n++ {
		if n == attempts*queues {
			closePumps(pumps)
			return fmt.Errorf("of %d RX queues %d get no frame of the host's end: set rx and tx of both ends alike "+
				"(ethtool -L)", queues, queues-len(pumps))
		}
		p, err := i.openPump(e, uint16(1024+n))
		if err != nil {
			closePumps(pumps)
			return err
		}
		at, found := slices.BinarySearchFunc(pumps, p.napi, func(p *Pump, id int) int { return p.napi - id })
		if found {
			p.close()
			continue
		}
		pumps = slices.Insert(pumps, at, p)
	}
	return i.keepPumps(pumps)
}

// keepPumps keeps those pumps whose RX queue has a socket, with the NAPI settings to restore, and closes the others.
// pumps has one pump for each RX queue.
func (i *Interface) keepPumps(pumps []*Pump) (err error) {
	for _, s := range i.sockets {
		q := s.Info().Queue
		p := pumps[q]
		pumps[q], p.queue = nil, q
		i.pumps = append(i.pumps, p)
		if p.before, err = netdev.GetNAPI(p.napi); err != nil {
			break
		}
	}
	closePumps(pumps)
	return err
}

// openPump opens a pump for an RX queue of the veth, by sending a frame to it from the host's end e. The UDP source
// port from decides by which queue the frame arrives.
func (i *Interface) openPump(e HostEnd, from uint16) (*Pump, error) {
	p, port, err := openPump(i.link.Attrs().Name)
	if err != nil {
		return nil, err
	}
	err = atPeer(i.index, func(string) error {
		if i.shut {
			return sendPast(e.index, pumpFrame(from, uint16(port)))
		}
		return sendFrames(e.index, pumpFrame(from, uint16(port)), 1)
	})
	if err == nil {
		err = p.learn(learnTime)
	}
	if err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

func closePumps(pumps []*Pump) {
	for _, p := range pumps {
		if p != nil {
			p.close()
		}
	}
}

// Frames of a trial: more than the veth's ring holds.
const (
	vethRing  = 256
	tryFrames = vethRing + 128
	discard   = 9 // UDP port
)

// tryPushBack stops asking, sends more frames at the host's end than the veth holds, and expects that the rest waits in
// the queueing discipline and none is dropped. The XDP program passes the frames to the kernel, which discards them.
func (i *Interface) tryPushBack() error {
	var before, after HostEnd
	for range 3 { // the watchdog ends a trial that takes too long
		for _, p := range i.pumps {
			p.Ask()
		}
		began := time.Now()
		err := atPeer(i.index, func(ifname string) (err error) {
			if before, err = readHostEnd(ifname); err != nil {
				return err
			}
			if err = sendFrames(before.index, pumpFrame(discard, discard), tryFrames); err != nil {
				return err
			}
			after, err = readHostEnd(ifname)
			return err
		})
		took := time.Since(began)
		for range (tryFrames + attach.MostAsked) / attach.MostAsked {
			for _, p := range i.pumps {
				p.Ask()
			}
		}
		switch {
		case err != nil:
			return fmt.Errorf("try it: %w", err)
		case after.dropped() > before.dropped():
			return fmt.Errorf("in a trial with %d frames %s dropped %d: its queue is not stopped", tryFrames, after.Name,
				after.dropped()-before.dropped())
		case after.Backlog > 0:
			return nil
		case took < Watchdog:
			return fmt.Errorf("in a trial with %d frames none waited at %s (queueing discipline %s)", tryFrames, after.Name,
				after.Qdisc)
		}
	}
	return errors.New("this machine has too little CPU for a trial")
}

// PushFault is what CheckPushBack finds.
type PushFault uint8

// The findings.
const (
	PushWorks   PushFault = iota
	PushStale             // the NAPI instances are others: the interface was down
	PushChanged           // settings were changed by others, and are restored
	PushLost              // settings were changed by others, and cannot be restored
)

// CheckPushBack checks whether the pumps still poll the kernel's present NAPI instances, and restores settings of the
// instances that somebody has changed; text says which.
func (i *Interface) CheckPushBack() (fault PushFault, text string) {
	for _, p := range i.pumps {
		want := netdev.NAPI{ID: p.napi, Defer: napiDefer, Timeout: Watchdog}
		n, err := netdev.GetNAPI(p.napi)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return PushStale, "the interface was down"
		case err != nil:
			return PushLost, err.Error()
		case n == want:
			continue
		}
		fault, text = PushChanged, fmt.Sprintf("napi_defer_hard_irqs was %d and gro_flush_timeout %d ns", n.Defer,
			n.Timeout.Nanoseconds())
		if err := netdev.SetNAPI(want); err != nil {
			return PushLost, fmt.Sprintf("%s: %v", text, err)
		}
	}
	return fault, text
}

// CheckHostEnd checks the settings that push back needs at the host's end of the veth, and restores those that
// somebody has changed; text says which. The length at which the queueing discipline cuts packets of TCP follows the
// MTU. CheckHostEnd returns the end's state before that.
func (i *Interface) CheckHostEnd() (e HostEnd, fault PushFault, text string) {
	e, err := i.HostEnd()
	var longest int
	if err == nil {
		longest, err = i.longest(e)
	}
	fault = PushChanged
	switch {
	case err != nil:
		return e, PushLost, err.Error()
	case e.Qdisc == noQdisc:
		text = "it had no queueing discipline"
	case !e.Cuts && e.Segments != hostSegments:
		text = fmt.Sprintf("gso_max_segs was %d with the queueing discipline %s", e.Segments, e.Qdisc)
	case e.Cuts && i.cutAt != longest:
		fault = PushWorks
	default:
		return e, PushWorks, ""
	}
	if err := i.changeHostEnd(e); err != nil {
		return e, PushLost, strings.TrimPrefix(fmt.Sprintf("%s: %v", text, err), ": ")
	}
	return e, fault, text
}

// EndPushBack ends push back: the kernel hands over the host's frames without being asked, and the host's end of the
// veth gets its previous settings. No goroutine may use the pumps any more.
func (i *Interface) EndPushBack() {
	i.endPumps()
	i.FreeHostEnd()
}

// FreeHostEnd gives the host's end of the veth its previous settings, after the frames there have left, but not for
// longer than 2 * drained. While that lasts a goroutine may use the pumps, so that frames come no faster than it asks
// for them: EndPushBack does the rest.
func (i *Interface) FreeHostEnd() {
	if i.record.PeerQdisc || i.record.PeerSegments != nil {
		i.putBackHostEnd()
		_ = i.save(&i.record)
	}
}

// endPumps closes the pumps, and restores the settings of the NAPI instances. After a kill nothing has to be restored:
// an instance of a veth ends with the XDP program.
func (i *Interface) endPumps() {
	for _, p := range i.pumps {
		_ = netdev.SetNAPI(p.before) // the instance may have gone
		p.Rest()
		p.Rest()
		p.close()
	}
	i.pumps = nil
}
