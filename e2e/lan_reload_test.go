package e2e

import (
	"testing"
	"time"
)

// TestReloadOfABridgeUnderLoad: a reload takes one port out of the bridge and puts another one
// in, and a second reload does the reverse. What is under way between the ports that stay does
// not notice.
func TestReloadOfABridgeUnderLoad(t *testing.T) {
	top := direct(t)
	for _, edge := range []string{"edge1", "edge2", "edge3"} {
		top.host(top.A, edge)
	}
	p := top.bridges(switching.at("edge0", "edge1", "edge2"), switching)
	talkers := top.talkers()
	caller, out, in := talkers[1], talkers[2], talkers[4]
	c := newTalk(t, talkers...)
	c.say(c.stream(out, 0), 1)
	p.a.knows(out.String(), "edge1")
	stay := []*talker{talkers[0], talkers[1], talkers[3]}
	c.everyPair(stay...)
	c.start(time.Millisecond)

	for _, edges := range [][]string{{"edge0", "edge2", "edge3"}, {"edge0", "edge1", "edge2"}} {
		p.a.reload(switching.at(edges...).text(p.a.socket))
		p.a.knows(out.String(), "")
		gone, there := c.stream(caller, 0), c.stream(caller, 0, in)
		gone.da = out.mac
		c.say(gone, 20)
		c.say(there, 20)
		c.complete(there, in)
		if n := c.at(gone, out).frames; n > 0 {
			t.Errorf("%d frames came to %s, which is not in the bridge", n, out.name)
		}
		out, in = in, out
	}
	c.end()
	p.noFlush(t)
}
