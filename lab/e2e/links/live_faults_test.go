package links

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"uelink/internal/netns"
	"uelink/lab/e2e/bed"
)

// underLive is a link on which frames leave live, and a load on it.
type underLive struct {
	bed.Pair
	top  *bed.Topology
	load *bed.Load
	a, b *bed.Events
}

// newUnderLive starts a link and a load. The load writes off a frame that has not arrived after lossTimeout.
func newUnderLive(t *testing.T, lossTimeout time.Duration) underLive {
	t.Helper()
	top := bed.Direct(t)
	p := top.Daemons(bed.Lossless)
	u := underLive{Pair: p, top: top, a: p.A.Watch(), b: p.B.Watch(), load: top.Batches(t, lossTimeout)}
	u.A.SendsLive()
	u.B.SendsLive()
	return u
}

// log logs the state of either end.
func (u underLive) log(t *testing.T) {
	t.Helper()
	for _, d := range []*bed.Daemon{u.A, u.B} {
		got := d.Link()
		t.Logf("%s sends by %s: %s; notice %q; %d live frames dropped, %d replayed of %d", d.Name, got.TxPath,
			got.TxPathReason, got.Notice, got.Socket.TxLiveDropped, got.LLR.Counters.TxReplay, got.Counters.TxFrames)
	}
}

// dropping is the text of the notice that live frames are lost.
const dropping = "live frames were dropped"

// liveFaults are faults under live frames, what the daemons report of them, and their ends.
var liveFaults = []struct {
	name     string
	begin    func(u underLive)
	reported func(u underLive)
	end      func(u underLive)
}{
	{"receiver stopped",
		func(u underLive) { u.B.Signal(syscall.SIGSTOP) },
		func(u underLive) { u.a.Await("llr_stalled", "is not acknowledged") },
		func(u underLive) { u.B.Signal(syscall.SIGCONT) }},
	{"other end down",
		func(u underLive) { bed.Must(u.top.T, u.top.B.SetLink("link0", false)) },
		func(u underLive) { u.a.Await("oper_status", "down"); u.b.Await("oper_status", "down") },
		func(u underLive) { bed.Must(u.top.T, u.top.B.SetLink("link0", true)) }},
	{"this end down",
		func(u underLive) { bed.Must(u.top.T, u.top.A.SetLink("link0", false)) },
		func(u underLive) { u.a.Await("oper_status", "down"); u.b.Await("oper_status", "down") },
		func(u underLive) { bed.Must(u.top.T, u.top.A.SetLink("link0", true)) }},
	{"MTU of the other end lowered", // the daemon there raises it again
		func(u underLive) { bed.Must(u.top.T, u.top.B.SetMTU("link0", 600)) },
		func(u underLive) {
			bed.Eventually(u.top.T, "the MTU of the link", func() string {
				l, err := u.top.B.Link("link0")
				bed.Must(u.top.T, err)
				if l.MTU != bed.LinkMTU {
					return fmt.Sprintf("it is %d", l.MTU)
				}
				return ""
			})
		},
		func(underLive) {}},
	{"other end polled by a thread",
		func(u underLive) { bed.SetAttribute(u.top.T, u.top.B, "link0", "threaded", "1") },
		func(u underLive) { u.a.Await("notice", dropping); u.A.SendsBy("af_xdp", dropping) },
		func(u underLive) { bed.SetAttribute(u.top.T, u.top.B, "link0", "threaded", "0") }},
}

// Live frames that are lost without an error of the kernel are replayed: whatever happens to the link, no frame is
// lost, frames go on, and the fault is reported.
func TestFaultsUnderLiveFrames(t *testing.T) {
	for _, f := range liveFaults {
		t.Run(f.name, func(t *testing.T) {
			u := newUnderLive(t, bed.Patience)
			f.begin(u)
			f.reported(u)
			f.end(u)
			u.load.Reach(u.load.Least() + 10_000)
			u.log(t)
			bed.NothingLost(t, u.load.End())
			u.NoFlush(t)
		})
	}
}

// written is the time after which a load writes off frames that were lost with a daemon or an interface.
const written = 500 * time.Millisecond

// A daemon is killed while its frames leave live, and starts again: nothing of its partner is lost but what the partner
// counts as unacknowledged, and the partner reports the restart.
func TestKillUnderLiveFrames(t *testing.T) {
	u := newUnderLive(t, written)
	u.A.Kill()
	u.A.Start()
	u.Advance()
	u.b.Await("partner_start", "")
	u.A.SendsBy("live", "")
	u.B.SendsLive()
	u.log(t)
	directions, counted := u.load.End(), u.B.LLRCounters().TxUnconfirmed+u.B.Edge().RxDropped+u.B.Link().TxDropped
	bed.NeverTwice(t, directions)
	if lost := directions[1].Lost; lost > counted {
		t.Errorf("%d frames of B are lost, and it counts %d", lost, counted)
	}
}

// The interfaces of a link are deleted while frames leave live, and made again: no frame is lost but those that were
// not acknowledged, which each end counts, and frames leave live again.
func TestInterfaceDeletedUnderLiveFrames(t *testing.T) {
	u := newUnderLive(t, written)
	bed.Must(t, u.top.A.DeleteLink("link0"))
	u.a.Await("oper_status", "absent")
	u.b.Await("oper_status", "absent")
	bed.Must(t, netns.Veth(u.top.A, "link0", u.top.B, "link0", bed.EdgeMTU))
	u.Advance()
	u.A.SendsLive()
	u.B.SendsLive()
	u.log(t)
	directions := u.load.End()
	bed.NeverTwice(t, directions)
	for i, d := range []*bed.Daemon{u.A, u.B} {
		if lost, counted := directions[i].Lost, d.Link().TxDropped+d.Edge().RxDropped; lost > counted {
			t.Errorf("%d frames of %s are lost, and it counts %d", lost, d.Name, counted)
		}
	}
}
