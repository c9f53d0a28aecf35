package e2e

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"uelink/dataplane"
	"uelink/dataplane/ethtool"
	"uelink/netns"
	"uelink/traffic"
	"uelink/wire"
)

// incasting is the two bridges of an incast. Priority 3 is lossless: by PFC at the edges of A, by
// credits on the link. DSCP 8 is best effort, in queue 1, and is trimmed where B's edge, which sends
// 20 Mb/s, has no room for it; what was trimmed goes first.
func incasting(edges ...string) (a, b bridging) {
	a = bridging{settings: lossless}.at(edges...)
	a.link = "vcs: 4, cbfc: {mode: static, vcs: [{index: 3, lossless: true, limit: 128}]}"
	b = bridging{settings: a.settings}
	a.edge = "ring_size: 2048, qos: {trust: dscp}, " +
		"pfc: {mode: static, priorities: [3], xoff: 64, xon: 32, headroom: 512, rate: 1Gbps}"
	b.edge = "qos: {trust: dscp, rate: 20Mbps, scheduler: {2: first}, trimming: {packet_discard_action: {1: trim}}}"
	b.top = `qos: {schedulers: {first: {type: strict}}}
trimming: {size: 128, dscp_value: 16, tc_value: 2, trimmable_dscps: [8]}`
	return a, b
}

// ports gives hostB n more interfaces, to0, to1 ..., joined with eth0 by a bridge of the kernel: AF_XDP takes a whole
// interface, and each sender needs one at the other end.
func (top *topology) ports(n int) (names []string) {
	top.t.Helper()
	bridged := []string{"eth0"}
	for i := range n {
		name := fmt.Sprint("to", i)
		must(top.t, netns.Veth(top.hostB, name, top.hostB, "br-"+name, edgeMTU))
		must(top.t, top.hostB.Do(func() error { // or XDP does not see VLAN tags
			return ethtool.Disable("br-"+name, []string{"tx-vlan-hw-insert"})
		}))
		names, bridged = append(names, name), append(bridged, "br-"+name)
	}
	must(top.t, top.hostB.Bridge("br0", 0, bridged...))
	return names
}

// TestIncast: three hosts send more to one behind a link than it takes, frames of a lossless
// priority and packets of best effort. Not one of the first is lost, the others are trimmed, and
// every one of them is accounted for.
func TestIncast(t *testing.T) {
	const lossless, each = 3, 1500
	top := direct(t)
	top.host(top.A, "edge1")
	top.host(top.A, "edge2")
	senders := []*netns.NS{top.hostA, top.more[0], top.more[1]}
	ports := top.ports(len(senders) + 1)
	p := top.bridges(incasting("edge0", "edge1", "edge2"))
	p.lossless(lossless)

	da := wire.MAC{2, 'e', '2', 'e', 1, 9}
	to := open(t, top.hostB, ports[len(senders)], unix.ETH_P_IP)
	to.send(uetPacket(t, 0, broadcast, da)) // so that the bridges know where it is
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	results := make([]traffic.Result, len(senders))
	for i, from := range senders {
		c := top.between()
		c.From.NetNS, c.From.Label, c.To.Interface = from.Name(), from.Name(), ports[i]
		c.FromMAC[5], c.ToMAC[5] = byte(10+i), byte(20+i)
		c.Priorities, c.Size, c.Rate, c.Frames, c.LossTimeout = []uint8{lossless}, "1000", 1000, 0, 2*time.Second
		running.Go(func() {
			var err error
			if results[i], err = traffic.Run(ctx, c, nil); err != nil {
				t.Errorf("%s: %v", from.Name(), err)
			}
		})
	}
	top.bestEffort(senders, da, each)
	stop()
	running.Wait()
	whole, trimmed := p.b.accountFor(to, da, uint64(len(senders)*each))

	for _, r := range results {
		there, back := r.Directions[0], r.Directions[1]
		if !r.Clean() || there.PausesReceived == 0 || there.HeldBack == 0 || back.Delivered == 0 {
			t.Errorf("%s: %+v", there.From, r)
		}
		t.Logf("%s: of priority %d %d came, %d were held back", there.From, lossless, there.Delivered, there.HeldBack)
	}
	p.a.blocked(lossless)
	p.atRest(lossless)
	p.bounded(lossless)
	p.a.noDrops()
	p.noFlush(t)
	t.Logf("of %d packets of best effort %d came whole, %d trimmed", len(senders)*each, whole, trimmed)
}

// bestEffort has each sender send so many packets of DSCP 8, a thousand a second.
func (top *topology) bestEffort(senders []*netns.NS, da wire.MAC, each uint32) {
	top.t.Helper()
	var from []*packets
	for _, ns := range senders {
		from = append(from, open(top.t, ns, "eth0", probeType))
	}
	for n := range each {
		for i, p := range from {
			p.send(uetPacket(top.t, n, da, wire.MAC{2, 'e', '2', 'e', 2, byte(i)}))
		}
		time.Sleep(time.Millisecond)
	}
}

// accountFor takes the packets of best effort that come, and waits until those that came whole, and those
// that the daemon's edge has trimmed or dropped, are as many as were sent.
func (d *daemon) accountFor(to *packets, da wire.MAC, sent uint64) (whole, trimmed uint64) {
	d.t.Helper()
	var n dataplane.TrimCounters
	eventually(d.t, "every packet whole, trimmed or dropped", func() string {
		for f := to.next(); f != nil; f = to.next() {
			if wire.MAC(f) != da {
				continue // the hosts' own
			}
			switch dscp := f[15] >> 2; {
			case dscp == 8 && len(f) == 1000:
				whole++
			case dscp == 16 && len(f) == 128:
				trimmed++
			default:
				d.t.Fatalf("DSCP %d, %d octets", dscp, len(f))
			}
		}
		if n = d.trimming("edge0").Counters; whole+n.TrimPackets != sent || trimmed != n.TxTrimPackets {
			return fmt.Sprintf("%d of %d came whole, %d trimmed; %+v", whole, sent, trimmed, n)
		}
		return ""
	})
	if whole == 0 || trimmed == 0 || n.TrimPackets != trimmed+n.DroppedTrimPackets {
		d.t.Errorf("%d came whole, %d trimmed; %+v", whole, trimmed, n)
	}
	for _, q := range d.edge().QueueStats {
		if q.Queue == 3 && q.Dropped > 0 || q.Queue == 1 && q.Dropped != n.TrimPackets {
			d.t.Errorf("%+v", q)
		}
	}
	return whole, trimmed
}
