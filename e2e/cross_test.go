package e2e

import (
	"fmt"
	"testing"

	"uelink/wire"
)

func TestNumberedFramesCrossADirectLink(t *testing.T) {
	top := direct(t)
	top.daemons(settings{})
	c := top.between()
	c.Frames = 100_000
	untouched(t, c)
}

// everySize is how many sizes a frame can have, from the least to that of the MTU.
const everySize = wire.HeaderLen + edgeMTU - wire.MinFrameLen + 1

func TestFramesOfEverySizeAndTagCrossABadWireUntouched(t *testing.T) {
	top := cabled(t)
	bad := top.cable("--loss", "0.01", "--corrupt", "0.001", "--duplicate", "0.001", "--reorder", "0.001")
	top.daemons(lossless)
	for _, tags := range [][]uint16{nil, {100}, {200, 100}} {
		t.Run(fmt.Sprintf("%d VLAN tags", len(tags)), func(t *testing.T) {
			c := top.between()
			c.VLANs, c.Size, c.Frames = tags, "sweep", 5*everySize
			untouched(t, c)
		})
	}
	r := bad.pull()
	t.Logf("cable: %+v", r.Directions)
	for _, d := range r.Directions {
		if d.Dropped == 0 || d.Corrupted == 0 || d.Duplicated == 0 || d.Reordered == 0 {
			t.Errorf("the wire from %s was not bad: %+v", d.From, d)
		}
	}
}
