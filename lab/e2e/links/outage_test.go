package links

import (
	"flag"
	"fmt"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/vishvananda/netlink"

	"uelink/internal/netns"
	"uelink/lab/e2e/bed"
)

var (
	outageLasts = flag.Duration("outage.lasts", 5*time.Second, "how long an outage of the wire lasts")
	outageEnds  = flag.String("outage.to", "b", "to which ends the wire is out, one after the other, as in a,b,ab")
	outageLoss  = flag.String("outage.loss", "0.9", "shares that the wire loses, one after the other")
)

// blackhole has everything be dropped that leaves an interface of a namespace, or no longer.
func blackhole(t testing.TB, ns *netns.NS, ifname string, on bool) {
	t.Helper()
	bed.Must(t, ns.Do(func() error {
		link, err := netlink.LinkByName(ifname)
		if err != nil {
			return err
		}
		q := &netlink.GenericQdisc{QdiscAttrs: netlink.QdiscAttrs{
			LinkIndex: link.Attrs().Index, Handle: netlink.MakeHandle(1, 0), Parent: netlink.HANDLE_ROOT,
		}, QdiscType: "blackhole"}
		if on {
			return netlink.QdiscAdd(q)
		}
		return netlink.QdiscDel(q)
	}))
}

// steady is a load of a fixed rate. Edges and links can hold all frames that an outage keeps back. A frame that has not
// arrived after lossTimeout is lost.
func steady(top *bed.Topology, t testing.TB, lossTimeout time.Duration) *bed.Load {
	t.Helper()
	const waiting = 3000
	c := top.Between()
	c.Size, c.Window, c.RingSize = "imix", 4096, 4096
	c.LossTimeout, c.GiveUp, c.Rate = lossTimeout, bed.Patience+*outageLasts, waiting/outageLasts.Seconds()
	return bed.NewLoad(t, c)
}

// flushes is how often both ends have flushed.
func flushes(p bed.Pair) uint64 { return p.A.LLR().Counters.TxFlush + p.B.LLR().Counters.TxFlush }

// unharmed demands that nothing was lost, refused as too long, or flushed.
func unharmed(p bed.Pair, t testing.TB, l *bed.Load) {
	t.Helper()
	bed.NothingLost(t, l.End())
	for _, d := range []*bed.Daemon{p.A, p.B} {
		if n := d.Edge().Counters.RxOversized; n > 0 {
			t.Errorf("%s has refused %d frames as too long for the wire", d.Name, n)
		}
	}
	if n := flushes(p); n > 0 {
		t.Errorf("FLUSH %d times", n)
	}
}

// The wire is out for seconds, in one direction or in both: a link without a replay limit loses nothing, does not take
// the wire for a short one, and resumes at once.
func TestOutageOfTheWireLosesNothing(t *testing.T) {
	t.Parallel()
	for _, ends := range strings.Split(*outageEnds, ",") {
		t.Run("to "+ends, func(t *testing.T) {
			top := bed.Bridged(t, bed.LinkMTU)
			p := top.Daemons(bed.Lossless)
			l := steady(top, t, bed.Patience+*outageLasts)
			for _, end := range ends {
				blackhole(t, top.Wire, string(end), true)
			}
			time.Sleep(*outageLasts)
			for _, end := range ends {
				blackhole(t, top.Wire, string(end), false)
			}
			p.Resume(t, fmt.Sprintf("an outage of %v", *outageLasts), time.Now())
			unharmed(p, t, l)
		})
	}
}

// With the default profile a long outage is a FLUSH: both ends report the FLUSH, count every lost frame, and carry
// frames again within a second after the outage. An outage in one direction leaves the other as it is.
func TestOutageOfTheWireIsCounted(t *testing.T) {
	t.Parallel()
	for _, ends := range strings.Split(*outageEnds, ",") {
		t.Run("to "+ends, func(t *testing.T) {
			top := bed.Bridged(t, bed.LinkMTU)
			p := top.Daemons(bed.Settings{})
			events := []*bed.Events{p.A.Watch(), p.B.Watch()}
			native := []uint64{p.A.Link().Counters.TxNative, p.B.Link().Counters.TxNative}
			l := steady(top, t, *outageLasts+time.Second)
			for _, end := range ends {
				blackhole(t, top.Wire, string(end), true)
			}
			time.Sleep(*outageLasts)
			for _, end := range ends {
				blackhole(t, top.Wire, string(end), false)
			}
			p.Resume(t, fmt.Sprintf("an outage of %v", *outageLasts), time.Now())
			directions := l.End()
			bed.NeverTwice(t, directions)
			for i, d := range []*bed.Daemon{p.A, p.B} {
				sent, flushed := d.Link().Counters, d.LLR().Counters
				if n := sent.TxNative - native[i]; n > 0 {
					t.Errorf("%s has sent %d of %d frames native, and its partner drops these", d.Name, n, directions[i].Sent)
				}
				if counted := flushed.TxFlushedFrames + sent.TxBare + sent.TxNative; uint64(directions[i].Lost) > counted {
					t.Errorf("%d frames of %s are lost, and it counts %d", directions[i].Lost, d.Name, counted)
				}
				if flushed.TxFlush > 0 {
					events[i].Await("llr_tx_status", "FLUSH")
				}
			}
			if flushes(p) == 0 {
				t.Errorf("an outage of %v is no FLUSH", *outageLasts)
			}
		})
	}
}

// A wire that loses 90 % of all frames for seconds costs nothing, either.
func TestVeryBadWireLosesNothing(t *testing.T) {
	t.Parallel()
	for _, loss := range strings.Split(*outageLoss, ",") {
		t.Run(loss, func(t *testing.T) {
			_, err := strconv.ParseFloat(loss, 64)
			bed.Must(t, err)
			top := bed.Cabled(t)
			good := top.Cable()
			p := top.Daemons(bed.Lossless)
			l := steady(top, t, bed.Patience+*outageLasts)
			good.Pull()
			bad := top.Cable("--loss", loss)
			time.Sleep(*outageLasts)
			bad.Pull()
			top.Cable()
			p.Resume(t, fmt.Sprintf("a loss of %s", loss), time.Now())
			unharmed(p, t, l)
		})
	}
}

// A partner that gets no CPU for 300 ms, and for a second, is waited for: with the default profile nothing is flushed,
// and nothing lost. The default is 100 replays of 2 ms, so 200 ms of silence were a flush.
func TestPartnerWithoutCPUIsNoFlush(t *testing.T) {
	top := bed.Direct(t)
	p := top.Daemons(bed.Settings{})
	l := top.Load(t, bed.Patience)
	for _, pause := range []time.Duration{300 * time.Millisecond, time.Second} {
		p.B.Freeze()
		time.Sleep(pause)
		p.B.Signal(syscall.SIGCONT)
		p.Resume(t, fmt.Sprintf("%v without CPU", pause), time.Now())
	}
	unharmed(p, t, l)
}
