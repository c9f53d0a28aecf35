package edges

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"uelink/lab/e2e/bed"
)

// hold is the file that holds edges of a daemon: while it exists, the edges named in it take no frames.
type hold string

// holding has a daemon run by a uelinkd whose edges can be held.
func holding(d *bed.Daemon) hold {
	d.T.Helper()
	d.Binary = filepath.Join(d.Dir, "uelinkd")
	build := exec.Command("go", "build", "-tags", "hold", "-o", d.Binary, "uelink/cmd/uelinkd")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		d.T.Fatalf("build a uelinkd that can be held: %v\n%s", err, out)
	}
	file := filepath.Join(d.Dir, "hold")
	d.Environment = []string{"UELINK_HOLD_EDGES=" + file}
	return hold(file)
}

// on holds edges. The file is renamed into place, so that it appears with its whole contents.
func (h hold) on(t testing.TB, edges ...string) {
	t.Helper()
	next := string(h) + ".next"
	bed.Must(t, os.WriteFile(next, []byte(strings.Join(edges, "\n")), 0o600))
	bed.Must(t, os.Rename(next, string(h)))
	time.Sleep(100 * time.Millisecond) // the daemon looks every 10 ms
}

// off lets go.
func (h hold) off(t testing.TB) {
	t.Helper()
	bed.Must(t, os.Remove(string(h)))
}

// TestEdgeOfABridgeThatStandsStillHoldsUpNothingElse: hostC takes nothing for ten seconds, while
// all talk to each other and to it. Nobody else notices. Afterwards hostC gets what has waited,
// once and in order, and the counters say how much had no room.
func TestEdgeOfABridgeThatStandsStillHoldsUpNothingElse(t *testing.T) {
	t.Parallel()
	top := bed.Direct(t)
	top.Host(top.A, "edge1")
	top.Host(top.A, "edge2")
	p := bed.Pair{
		A: bed.NewDaemon(t, top.A, "A, held", bed.Switching.At("edge0", "edge1", "edge2")),
		B: bed.NewDaemon(t, top.B, "B", bed.Switching),
	}
	hostC := holding(p.A)
	p.Start()
	events := p.A.Watch()

	talkers := top.Talkers()
	held := talkers[2]
	c := bed.NewTalk(t, talkers...)
	c.EveryPair(talkers...)
	c.Stream(talkers[3], 0, talkers[:3]...) // broadcasts
	c.Start(4 * time.Millisecond)
	before := framesWithoutRoom(p.A)
	hostC.on(t, "edge1")
	time.Sleep(10 * time.Second)
	events.Await("standstill", "takes no frames")
	bed.Eventually(t, "frames that have no room", func() string {
		if framesWithoutRoom(p.A) == before {
			return "there are none"
		}
		return ""
	})
	if !p.A.Port("edge1").StandsStill || p.A.Edge().StandsStill || p.B.Edge().StandsStill {
		t.Error("edge1 does not stand still, or another edge does")
	}
	c.End(held)
	hostC.off(t)
	var sent, came, noRoom uint64
	bed.Eventually(t, "every frame for hostC delivered or counted", func() string {
		sent, came = c.Account(held)
		if noRoom = framesWithoutRoom(p.A) - before; came+noRoom != sent {
			return fmt.Sprintf("of %d %d came and %d had no room", sent, came, noRoom)
		}
		return ""
	})
	events.Await("standstill", "takes frames again")
	c.End(held)
	if n := p.A.Port("edge1").QueueStats[0].Dropped; n != noRoom {
		t.Errorf("the queue of edge1 has dropped %d frames, its ports %d", n, noRoom)
	}
	p.NoFlush(t)
	if n := p.A.Link().Counters.RxRefused; n > 0 {
		t.Errorf("a bridge has refused %d frames of its link", n)
	}
	if n := framesWithoutRoom(p.B); n > 0 {
		t.Errorf("at B %d frames had no room", n)
	}
	t.Logf("of %d frames for hostC %d came and %d had no room", sent, came, noRoom)
}

// framesWithoutRoom is how many frames the ports of a daemon have dropped for want of room to wait.
func framesWithoutRoom(d *bed.Daemon) (n uint64) {
	d.T.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), bed.Patience)
	defer cancel()
	ports, err := d.Client.Ports(ctx)
	bed.Must(d.T, err)
	for _, p := range ports {
		n += p.Counters.TxDropQueueFull + p.Counters.RxDropNoBuffer
	}
	return n
}
