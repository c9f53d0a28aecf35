package bridges

import (
	"testing"
	"time"

	"uelink/lab/e2e/bed"
)

// TestReloadOfABridgeUnderLoad: a reload takes one port out of the bridge and puts another one
// in, and a second reload does the reverse. What is under way between the ports that stay does
// not notice.
func TestReloadOfABridgeUnderLoad(t *testing.T) {
	top := bed.Direct(t)
	for _, edge := range []string{"edge1", "edge2", "edge3"} {
		top.Host(top.A, edge)
	}
	p := top.Bridges(bed.Switching.At("edge0", "edge1", "edge2"), bed.Switching)
	talkers := top.Talkers()
	caller, out, in := talkers[1], talkers[2], talkers[4]
	c := bed.NewTalk(t, talkers...)
	c.SendNext(c.Stream(out, 0), 1)
	knows(p.A, out.String(), "edge1")
	stay := []*bed.Talker{talkers[0], talkers[1], talkers[3]}
	c.EveryPair(stay...)
	c.Start(time.Millisecond)

	for _, edges := range [][]string{{"edge0", "edge2", "edge3"}, {"edge0", "edge1", "edge2"}} {
		p.A.Reload(bed.Switching.At(edges...).Text(p.A.Socket))
		knows(p.A, out.String(), "")
		removed, forth := c.Stream(caller, 0), c.Stream(caller, 0, in)
		removed.DA = out.MAC
		c.SendNext(removed, 20)
		c.SendNext(forth, 20)
		c.Complete(forth, in)
		if n := c.At(removed, out).Frames; n > 0 {
			t.Errorf("%d frames came to %s, which is not in the bridge", n, out.Name)
		}
		out, in = in, out
	}
	c.End()
	p.NoFlush(t)
}
