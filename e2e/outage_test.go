package e2e

import (
	"flag"
	"fmt"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/vishvananda/netlink"

	"uelink/netns"
)

var (
	outageLasts = flag.Duration("outage.lasts", 5*time.Second, "how long an outage of the wire lasts")
	outageEnds  = flag.String("outage.to", "b", "to which ends the wire is out, one after the other, as in a,b,ab")
	outageLoss  = flag.String("outage.loss", "0.9", "shares that the wire loses, one after the other")
)

// blackhole has everything be dropped that leaves an interface of a namespace, or no longer.
func blackhole(t testing.TB, ns *netns.NS, ifname string, on bool) {
	t.Helper()
	must(t, ns.Do(func() error {
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

// steady is a load of so many frames each second, whatever arrives, that edges and links hold what an outage keeps
// back. A frame that has not arrived after lossTimeout is lost.
func (top *topology) steady(t testing.TB, lossTimeout time.Duration) *load {
	t.Helper()
	const held = 3000
	c := top.between()
	c.Size, c.Window, c.RingSize = "imix", 4096, 4096
	c.LossTimeout, c.GiveUp, c.Rate = lossTimeout, patience+*outageLasts, held/outageLasts.Seconds()
	return newLoad(t, c)
}

// flushes is how often both ends have flushed.
func (p pair) flushes() uint64 { return p.a.llr().Counters.TxFlush + p.b.llr().Counters.TxFlush }

// unharmed demands that nothing was lost, refused as too long, or flushed.
func (p pair) unharmed(t testing.TB, l *load) {
	t.Helper()
	nothingLost(t, l.end())
	for _, d := range []*daemon{p.a, p.b} {
		if n := d.edge().Counters.RxOversized; n > 0 {
			t.Errorf("%s has refused %d frames as too long for the wire", d.name, n)
		}
	}
	if n := p.flushes(); n > 0 {
		t.Errorf("FLUSH %d times", n)
	}
}

// The wire is out for seconds, in one direction or in both: a link without a replay limit loses nothing, does not take
// the wire for a short one, and resumes at once.
func TestOutageOfTheWireLosesNothing(t *testing.T) {
	t.Parallel()
	for _, ends := range strings.Split(*outageEnds, ",") {
		t.Run("to "+ends, func(t *testing.T) {
			top := bridged(t, linkMTU)
			p := top.daemons(lossless)
			l := top.steady(t, patience+*outageLasts)
			for _, end := range ends {
				blackhole(t, top.wire, string(end), true)
			}
			time.Sleep(*outageLasts)
			for _, end := range ends {
				blackhole(t, top.wire, string(end), false)
			}
			p.resume(t, fmt.Sprintf("an outage of %v", *outageLasts), time.Now())
			p.unharmed(t, l)
		})
	}
}

// With the default profile a long outage is a FLUSH: both ends report it, count every frame that is lost by it, and
// carry frames again within a second after the outage.
func TestOutageOfTheWireIsCounted(t *testing.T) {
	t.Parallel()
	for _, ends := range strings.Split(*outageEnds, ",") {
		t.Run("to "+ends, func(t *testing.T) {
			top := bridged(t, linkMTU)
			p := top.daemons(settings{})
			events := []*events{p.a.watch(), p.b.watch()}
			l := top.steady(t, *outageLasts+time.Second)
			for _, end := range ends {
				blackhole(t, top.wire, string(end), true)
			}
			time.Sleep(*outageLasts)
			for _, end := range ends {
				blackhole(t, top.wire, string(end), false)
			}
			p.resume(t, fmt.Sprintf("an outage of %v", *outageLasts), time.Now())
			directions := l.end()
			neverTwice(t, directions)
			for i, d := range []*daemon{p.a, p.b} {
				sent, flushed := d.link().Counters, d.llr().Counters
				if counted := flushed.TxFlushedFrames + sent.TxBare + sent.TxNative; uint64(directions[i].Lost) > counted {
					t.Errorf("%d frames of %s are lost, and it counts %d", directions[i].Lost, d.name, counted)
				}
				if flushed.TxFlush > 0 {
					events[i].shows("llr_tx_status", "FLUSH")
				}
			}
			if p.flushes() == 0 {
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
			must(t, err)
			top := cabled(t)
			good := top.cable()
			p := top.daemons(lossless)
			l := top.steady(t, patience+*outageLasts)
			good.pull()
			bad := top.cable("--loss", loss)
			time.Sleep(*outageLasts)
			bad.pull()
			top.cable()
			p.resume(t, fmt.Sprintf("a loss of %s", loss), time.Now())
			p.unharmed(t, l)
		})
	}
}

// A partner that gets no CPU for 300 ms, and for a second, is waited for: with the default profile nothing is flushed,
// and nothing lost. The default is 100 replays of 2 ms, so 200 ms of silence were a flush.
func TestPartnerWithoutCPUIsNoFlush(t *testing.T) {
	top := direct(t)
	p := top.daemons(settings{})
	l := top.load(t, patience)
	for _, pause := range []time.Duration{300 * time.Millisecond, time.Second} {
		p.b.freeze()
		time.Sleep(pause)
		p.b.signal(syscall.SIGCONT)
		p.resume(t, fmt.Sprintf("%v without CPU", pause), time.Now())
	}
	p.unharmed(t, l)
}
