package netif

import (
	"fmt"
	"slices"
	"time"

	"github.com/vishvananda/netlink"

	"uelink/dataplane/attach"
	"uelink/dataplane/netdev"
)

// learnTime is the longest wait for the frame from which a pump learns its NAPI instance. The kernel handles the frame
// within the system call that sends it, or soon after under load.
const learnTime = 300 * time.Millisecond

// attempts is the most pump frames sent for each queue: the host's end chooses the queue of a frame by its UDP port.
const attempts = 16

// openPumps opens a pump for each socket. A pump learns the NAPI instance of the queue that its frame happens to come
// by. Therefore pumps are opened until each RX queue has its own; the kernel numbers the instances of a veth in the
// order of the queues.
func (b *PushBack) openPumps(e HostEndState) error {
	queues, _, err := channels(b.host.name())
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
		p, err := b.openPump(e, uint16(1024+n))
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
	return b.keepPumps(pumps)
}

// keepPumps keeps in b.pumps those pumps whose RX queue has a socket, with the NAPI settings to restore, and closes the
// others. pumps has one pump for each RX queue. After an error the caller closes those in b.pumps (End).
func (b *PushBack) keepPumps(pumps []*Pump) (err error) {
	for _, s := range b.attachment.sockets {
		q := s.Info().Queue
		p := pumps[q]
		pumps[q], p.queue = nil, q
		b.pumps = append(b.pumps, p)
		if p.before, err = netdev.GetNAPI(p.napi); err != nil {
			break
		}
	}
	closePumps(pumps)
	return err
}

// openPump opens a pump for an RX queue of the veth, by sending a frame to it from the host's end e. The UDP source
// port from decides by which queue the frame arrives.
func (b *PushBack) openPump(e HostEndState, from uint16) (*Pump, error) {
	p, port, err := openPump(b.host.name())
	if err != nil {
		return nil, err
	}
	err = atPeer(b.host.index, func(string) error {
		if b.host.shut {
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

// closePumps closes the pumps of a list, in which a pump that PushBack keeps is replaced by nil.
func closePumps(pumps []*Pump) {
	for _, p := range pumps {
		if p != nil {
			p.close()
		}
	}
}

// received returns how many frames the kernel has taken from the ring of the veth.
func (b *PushBack) received() uint64 {
	nl, err := netlink.LinkByIndex(b.host.index)
	if err != nil || nl.Attrs().Statistics == nil {
		return 0
	}
	return nl.Attrs().Statistics.RxPackets
}

// emptied is the longest wait for the frames in the ring of a veth to be received.
const emptied = 20 * time.Millisecond

// emptyRing asks for the frames in the ring of the veth until no more come, for the time emptied at most: the kernel
// counts a frame as received when it leaves the ring. While the discipline is open, frames go on coming: then emptyRing
// asks once for as many as the ring holds.
func (b *PushBack) emptyRing() {
	last := uint64(0)
	for end := time.Now().Add(emptied); time.Now().Before(end); time.Sleep(emptied / 100) {
		for range (vethRing + attach.MostAsked - 1) / attach.MostAsked {
			for _, p := range b.pumps {
				p.Ask()
			}
		}
		n := b.received()
		if n == last || !b.host.shut {
			return
		}
		last = n
	}
}
