package netif

import (
	"errors"
	"fmt"
	"time"

	"uelink/dataplane/attach"
)

// Frames of a trial: more than the veth's ring holds.
const (
	vethRing  = 256
	tryFrames = vethRing + 128
	discard   = 9 // UDP port
)

// try sends more frames at the host's end than the veth holds, while no pump asks for frames, and expects that frames
// without room in the veth wait in the queueing discipline and that no frame is dropped. The XDP program passes the
// frames to the kernel, which discards them.
func (b *PushBack) try() error {
	var before, after HostEndState
	for range 3 { // a trial that takes longer than Watchdog has no result
		for _, p := range b.pumps {
			p.Ask()
		}
		began := time.Now()
		err := atPeer(b.host.index, func(ifname string) (err error) {
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
			for _, p := range b.pumps {
				p.Ask()
			}
		}
		switch {
		case err != nil:
			return fmt.Errorf("send frames of a trial: %w", err)
		case after.dropped() > before.dropped():
			return fmt.Errorf("in a trial with %d frames %s dropped %d: the kernel does not stop its TX queue", tryFrames,
				after.Name, after.dropped()-before.dropped())
		case after.Backlog > 0:
			return nil
		case took < Watchdog:
			return fmt.Errorf("in a trial with %d frames none waited at %s (queueing discipline %s)", tryFrames, after.Name,
				after.Qdisc)
		}
	}
	return errors.New("this machine has too little CPU for a trial")
}
