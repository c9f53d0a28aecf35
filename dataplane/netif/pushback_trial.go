package netif

import (
	"errors"
	"fmt"
	"time"

	"uelink/dataplane/attach"
)

// The frames of a trial of push back (PushBack.try).
const (
	vethRing  = 256            // frames that the ring of a veth holds
	tryFrames = vethRing + 128 // frames sent in a trial: more than the ring holds
	discard   = 9              // their UDP port, of the Discard protocol: no socket receives them
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
		// Take the frames of the trial out of the ring again.
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
