package links

import (
	"fmt"
	"testing"

	"uelink/lab/e2e/bed"
)

func TestNumberedFramesCrossADirectLink(t *testing.T) {
	top := bed.Direct(t)
	top.Daemons(bed.Settings{})
	c := top.Between()
	c.Frames = 100_000
	bed.Untouched(t, c)
}

func TestFramesOfEverySizeAndTagCrossABadWireUntouched(t *testing.T) {
	top := bed.Cabled(t)
	bad := top.Cable("--loss", "0.01", "--corrupt", "0.001", "--duplicate", "0.001", "--reorder", "0.001")
	top.Daemons(bed.Lossless)
	for _, tags := range [][]uint16{nil, {100}, {200, 100}} {
		t.Run(fmt.Sprintf("%d VLAN tags", len(tags)), func(t *testing.T) {
			c := top.Between()
			c.VLANs, c.Size, c.Frames = tags, "sweep", 5*bed.EverySize
			bed.Untouched(t, c)
		})
	}
	r := bad.Pull()
	t.Logf("cable: %+v", r.Directions)
	for _, d := range r.Directions {
		if d.Dropped == 0 || d.Corrupted == 0 || d.Duplicated == 0 || d.Reordered == 0 {
			t.Errorf("the wire from %s was not bad: %+v", d.From, d)
		}
	}
}
