package credits

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"uelink/dataplane/ethtool"
	"uelink/dataplane/model"
	"uelink/internal/netns"
	"uelink/lab/e2e/bed"
	"uelink/lab/traffic"
	"uelink/wire"
)

// incasting is the two bridges of an incast. Priority 3 is lossless: by PFC at the edges of A, by
// credits on the link. DSCP 8 is best effort, in queue 1, and is trimmed where B's edge, which sends
// 20 Mb/s, has no room for it; what was trimmed goes first.
func incasting(edges ...string) (a, b bed.Bridging) {
	a = bed.Bridging{Settings: bed.Lossless}.At(edges...)
	a.Link = "vcs: 4, cbfc: {mode: static, vcs: [{index: 3, lossless: true, limit: 128}]}"
	b = bed.Bridging{Settings: a.Settings}
	a.Edge = "ring_size: 2048, qos: {trust: dscp}, " +
		"pfc: {mode: static, priorities: [3], xoff: 64, xon: 32, headroom: 512, rate: 1Gbps}"
	b.Edge = "qos: {trust: dscp, rate: 20Mbps, scheduler: {2: first}, trimming: {packet_discard_action: {1: trim}}}"
	b.Top = `qos: {schedulers: {first: {type: strict}}}
trimming: {size: 128, dscp_value: 16, tc_value: 2, trimmable_dscps: [8]}`
	return a, b
}

// ports gives hostB n more interfaces, to0, to1 ..., joined with eth0 by a bridge of the kernel: AF_XDP takes a whole
// interface, and each sender needs one at the other end.
func ports(top *bed.Topology, n int) (names []string) {
	top.T.Helper()
	bridged := []string{"eth0"}
	for i := range n {
		name := fmt.Sprint("to", i)
		bed.Must(top.T, netns.Veth(top.HostB, name, top.HostB, "br-"+name, bed.EdgeMTU))
		bed.Must(top.T, top.HostB.Do(func() error { // or XDP does not see VLAN tags
			return ethtool.Disable("br-"+name, []string{"tx-vlan-hw-insert"})
		}))
		names, bridged = append(names, name), append(bridged, "br-"+name)
	}
	bed.Must(top.T, top.HostB.Bridge("br0", 0, bridged...))
	return names
}

// TestIncast: three hosts send more to one behind a link than it takes, frames of a lossless
// priority and packets of best effort. Not one of the first is lost, the others are trimmed, and
// every one of them is accounted for.
func TestIncast(t *testing.T) {
	const lossless, each = 3, 1500
	top := bed.Direct(t)
	top.Host(top.A, "edge1")
	top.Host(top.A, "edge2")
	senders := []*netns.NS{top.HostA, top.MoreHosts[0], top.MoreHosts[1]}
	ports := ports(top, len(senders)+1)
	p := top.Bridges(incasting("edge0", "edge1", "edge2"))
	underCredits(p, lossless)

	da := wire.MAC{2, 'e', '2', 'e', 1, 9}
	to := bed.Open(t, top.HostB, ports[len(senders)], unix.ETH_P_IP)
	to.Send(uetPacket(t, 0, bed.Broadcast, da)) // so that the bridges know where it is
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	results := make([]traffic.Result, len(senders))
	for i, from := range senders {
		c := top.Between()
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
	bestEffort(top, senders, da, each)
	stop()
	running.Wait()
	whole, trimmed := accountFor(p.B, to, da, uint64(len(senders)*each))

	for _, r := range results {
		forth, back := r.Directions[0], r.Directions[1]
		if !r.Clean() || forth.PausesReceived == 0 || forth.HeldBack == 0 || back.Delivered == 0 {
			t.Errorf("%s: %+v", forth.From, r)
		}
		t.Logf("%s: of priority %d %d came, %d were held back", forth.From, lossless, forth.Delivered, forth.HeldBack)
	}
	blocked(p.A, lossless)
	atRest(p, lossless)
	bounded(p, lossless)
	noDrops(p.A)
	p.NoFlush(t)
	t.Logf("of %d packets of best effort %d came whole, %d trimmed", len(senders)*each, whole, trimmed)
}

// bestEffort has each sender send so many packets of DSCP 8, a thousand a second.
func bestEffort(top *bed.Topology, senders []*netns.NS, da wire.MAC, each uint32) {
	top.T.Helper()
	var from []*bed.Packets
	for _, ns := range senders {
		from = append(from, bed.Open(top.T, ns, "eth0", bed.ProbeType))
	}
	for n := range each {
		for i, p := range from {
			p.Send(uetPacket(top.T, n, da, wire.MAC{2, 'e', '2', 'e', 2, byte(i)}))
		}
		time.Sleep(time.Millisecond)
	}
}

// accountFor takes the packets of best effort that come, and waits until those that came whole, and those
// that the daemon's edge has trimmed or dropped, are as many as were sent.
func accountFor(d *bed.Daemon, to *bed.Packets, da wire.MAC, sent uint64) (whole, trimmed uint64) {
	d.T.Helper()
	var n model.TrimCounters
	bed.Eventually(d.T, "every packet whole, trimmed or dropped", func() string {
		for f := to.Next(); f != nil; f = to.Next() {
			if wire.MAC(f) != da {
				continue // the hosts' own
			}
			switch dscp := f[15] >> 2; {
			case dscp == 8 && len(f) == 1000:
				whole++
			case dscp == 16 && len(f) == 128:
				trimmed++
			default:
				d.T.Fatalf("DSCP %d, %d octets", dscp, len(f))
			}
		}
		if n = trimming(d, "edge0").Counters; whole+n.TrimPackets != sent || trimmed != n.TxTrimPackets {
			return fmt.Sprintf("%d of %d came whole, %d trimmed; %+v", whole, sent, trimmed, n)
		}
		return ""
	})
	if whole == 0 || trimmed == 0 || n.TrimPackets != trimmed+n.DroppedTrimPackets {
		d.T.Errorf("%d came whole, %d trimmed; %+v", whole, trimmed, n)
	}
	for _, q := range d.Edge().QueueStats {
		if q.Queue == 3 && q.Dropped > 0 || q.Queue == 1 && q.Dropped != n.TrimPackets {
			d.T.Errorf("%+v", q)
		}
	}
	return whole, trimmed
}
