package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// hold is the file that holds edges of a daemon: while it exists, the edges named in it take no frames.
type hold string

// holding has a daemon run by a uelinkd whose edges can be held.
func (d *daemon) holding() hold {
	d.t.Helper()
	d.binary = filepath.Join(d.dir, "uelinkd")
	build := exec.Command("go", "build", "-tags", "hold", "-o", d.binary, "../cmd/uelinkd")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		d.t.Fatalf("build a uelinkd that can be held: %v\n%s", err, out)
	}
	file := filepath.Join(d.dir, "hold")
	d.environment = []string{"UELINK_HOLD_EDGES=" + file}
	return hold(file)
}

// on holds edges. The file is renamed into place, so that it appears with its whole contents.
func (h hold) on(t testing.TB, edges ...string) {
	t.Helper()
	next := string(h) + ".next"
	must(t, os.WriteFile(next, []byte(strings.Join(edges, "\n")), 0o600))
	must(t, os.Rename(next, string(h)))
	time.Sleep(100 * time.Millisecond) // the daemon looks every 10 ms
}

// off lets go.
func (h hold) off(t testing.TB) {
	t.Helper()
	must(t, os.Remove(string(h)))
}

// TestEdgeOfABridgeThatStandsStillHoldsUpNothingElse: hostC takes nothing for ten seconds, while
// all talk to each other and to it. Nobody else notices. Afterwards hostC gets what has waited,
// once and in order, and the counters say how much had no room.
func TestEdgeOfABridgeThatStandsStillHoldsUpNothingElse(t *testing.T) {
	t.Parallel()
	top := direct(t)
	top.host(top.A, "edge1")
	top.host(top.A, "edge2")
	p := pair{newDaemon(t, top.A, "A, held", switching.at("edge0", "edge1", "edge2")), newDaemon(t, top.B, "B", switching)}
	hostC := p.a.holding()
	p.start()
	events := p.a.watch()

	talkers := top.talkers()
	held := talkers[2]
	c := newTalk(t, talkers...)
	c.everyPair(talkers...)
	c.stream(talkers[3], 0, talkers[:3]...) // broadcasts
	c.start(4 * time.Millisecond)
	before := p.a.noRoom()
	hostC.on(t, "edge1")
	time.Sleep(10 * time.Second)
	events.shows("standstill", "takes no frames")
	eventually(t, "frames that have no room", func() string {
		if p.a.noRoom() == before {
			return "there are none"
		}
		return ""
	})
	if !p.a.port("edge1").StandsStill || p.a.edge().StandsStill || p.b.edge().StandsStill {
		t.Error("edge1 does not stand still, or another edge does")
	}
	c.end(held)
	hostC.off(t)
	var sent, came, noRoom uint64
	eventually(t, "every frame for hostC delivered or counted", func() string {
		sent, came = c.account(held)
		if noRoom = p.a.noRoom() - before; came+noRoom != sent {
			return fmt.Sprintf("of %d %d came and %d had no room", sent, came, noRoom)
		}
		return ""
	})
	events.shows("standstill", "takes frames again")
	c.end(held)
	if n := p.a.port("edge1").QueueStats[0].Dropped; n != noRoom {
		t.Errorf("the queue of edge1 has dropped %d frames, its ports %d", n, noRoom)
	}
	p.noFlush(t)
	if n := p.a.link().Counters.RxRefused; n > 0 {
		t.Errorf("a bridge has refused %d frames of its link", n)
	}
	if n := p.b.noRoom(); n > 0 {
		t.Errorf("at B %d frames had no room", n)
	}
	t.Logf("of %d frames for hostC %d came and %d had no room", sent, came, noRoom)
}

// noRoom is how many frames the ports of a daemon have dropped for want of room to wait.
func (d *daemon) noRoom() (n uint64) {
	d.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	ports, err := d.client.Ports(ctx)
	must(d.t, err)
	for _, p := range ports {
		n += p.Counters.TxDropQueueFull + p.Counters.RxDropNoBuffer
	}
	return n
}
