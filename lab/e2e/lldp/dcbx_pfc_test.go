package lldp

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"uelink/control/api"
	"uelink/internal/netns"
	"uelink/internal/netns/nstest"
	"uelink/lab/e2e/bed"
	"uelink/wire"
)

// dcbEdges is a daemon with a bridge of two edges. With the host of edge0 it speaks DCBX, and is
// willing. A pause lasts for 33 s, for the port counts it at 1 Mb/s.
type dcbEdges struct {
	pfc string // further keys of edge0's pfc
}

func (c dcbEdges) Text(socket string) string {
	return fmt.Sprintf(`log: {level: debug, format: json}
control: {socket: %q}
lldp: {chassis_id: mac}
ports:
  - {name: edge0, interface: edge0, role: edge, lldp: {mode: rx-tx, %s}, dcbx: {mode: on, version: cee},
     qos: {trust: dot1p}, pfc: {mode: dynamic, rate: 1Mbps%s}}
  - {name: edge1, interface: edge1, role: edge, qos: {trust: dot1p}}
bridges: [{name: br0, ports: [{port: edge0}, {port: edge1}]}]
`, socket, bed.Brisk, bed.AppendKeys(c.pfc))
}

// dcbBed is that daemon, the host of edge0, which is nothing but a daemon that speaks DCBX on
// link0, and another host at edge1.
type dcbBed struct {
	t          testing.TB
	ns         *netns.NS // of the daemon
	a, host    *bed.Daemon
	wire, from *bed.Packets // at the host, at the other one
	seen       [8][]uint32
}

// wants is a host that insists on PFC for some priorities.
func wants(priorities ...int) exchange { return exchange{pg: storage, pfc: priorities} }

func newDCBBed(t testing.TB, host bed.Configuration) *dcbBed {
	t.Helper()
	b := &dcbBed{t: t, ns: nstest.New(t, "A")}
	near, far := nstest.New(t, "host"), nstest.New(t, "other")
	bed.Must(t, netns.Veth(near, "link0", b.ns, "edge0", bed.EdgeMTU))
	bed.Must(t, netns.Veth(far, "eth0", b.ns, "edge1", bed.EdgeMTU))
	b.a, b.host = bed.NewDaemon(t, b.ns, "A", dcbEdges{}), bed.NewDaemon(t, near, "host", host)
	b.a.Start()
	b.host.Start()
	b.wire, b.from = bed.Open(t, near, "link0", bed.ProbeType), bed.Open(t, far, "eth0", bed.ProbeType)
	return b
}

// inForce waits until those priorities have PFC, and DCBX is that far.
func (b *dcbBed) inForce(dcbx string, priorities ...int) {
	b.t.Helper()
	bed.Eventually(b.t, fmt.Sprintf("%s, PFC of %v", dcbx, priorities), func() string {
		if p := b.a.Edge().PFC; p.DCBX != dcbx || !slices.Equal(p.Enabled, priorities) {
			return fmt.Sprintf("%+v", p)
		}
		return ""
	})
}

// stops sends PFC from the host: it stops priorities, or lets them go on with 0 quanta, and waits until the daemon's
// paused priorities are those.
func (b *dcbBed) stops(quanta uint16, priorities []int, paused ...int) {
	b.t.Helper()
	f := wire.PFC{Enable: bitmap(priorities)}
	for _, p := range priorities {
		f.Quanta[p] = quanta
	}
	before := pfcFrames(b.a.Edge().PFC.Priorities)
	var frame [wire.MinFrameLen]byte
	b.wire.Send(frame[:wire.PutPFC(frame[:], wire.MAC{2, 'e', '2', 'e', 0, 9}, f)])
	bed.Eventually(b.t, fmt.Sprintf("of %v are stopped: %v", priorities, paused), func() string {
		p := b.a.Edge().PFC
		if n := pfcFrames(p.Priorities) - before; n != uint64(len(priorities)) || !slices.Equal(p.RxPaused, paused) {
			return fmt.Sprintf("%d frames: %+v", n, p)
		}
		return ""
	})
}

// pfcFrames is how many frames of PFC have come, one for each priority in them.
func pfcFrames(priorities []api.PFCPriority) (n uint64) {
	for _, p := range priorities {
		n += p.RxPackets
	}
	return n
}

// numbered is a frame of a priority.
func numbered(priority int, n uint32) []byte {
	return bed.Tag(bed.Probe(uint32(priority)<<16|n, wire.MinFrameLen), 0x8100, uint16(priority)<<13|1)
}

// sends has the other host send frames of priorities.
func (b *dcbBed) sends(first, n uint32, priorities ...int) {
	for _, p := range priorities {
		for i := range n {
			b.from.Send(numbered(p, first+i))
		}
	}
}

// gets waits until the host has got the frames of a priority up to n, in order.
func (b *dcbBed) gets(priority int, n uint32) {
	b.t.Helper()
	bed.Eventually(b.t, fmt.Sprintf("%d frames of priority %d", n, priority), func() string {
		for f := b.wire.Next(); f != nil; f = b.wire.Next() {
			number := bed.ProbeNumber(f) // the kernel has taken the tag out
			of := &b.seen[number>>16&7]
			*of = append(*of, number&0xFFFF)
		}
		if got := uint32(len(b.seen[priority])); got < n {
			return fmt.Sprintf("%d", got)
		}
		return ""
	})
	for i, number := range b.seen[priority] {
		if uint32(i) != number {
			b.t.Fatalf("priority %d: %v", priority, b.seen[priority])
		}
	}
}

// A host agrees by DCBX on PFC for a priority. It can then stop this priority and no other. It changes its mind, and
// withdraws while a priority is stopped: the priority goes on.
func TestDCBXAgreesOnPFCOfAnEdge(t *testing.T) {
	b := newDCBBed(t, wants(3))
	seen := b.a.Watch()
	b.inForce("agreed", 3)
	if list := b.a.Tool("pfc").Succeeds().Objects(); len(list) != 1 || list[0]["pfc_dcbx"] != "agreed" {
		t.Errorf("%v", list)
	}
	b.stops(0xFFFF, []int{3, 4}, 3)
	b.sends(0, 100, 3, 4)
	b.gets(4, 100)
	if n := len(b.seen[3]); n > 0 {
		t.Errorf("%d frames of the priority that is stopped", n)
	}
	b.a.Reload(dcbEdges{pfc: "xon: 100"}.Text(b.a.Socket))
	if p := b.a.Edge().PFC; p.XOn != 100 || !slices.Equal(p.RxPaused, []int{3}) || !slices.Equal(p.Enabled, []int{3}) {
		t.Errorf("after a reload: %+v", p)
	}
	b.stops(0, []int{3})
	b.gets(3, 100)

	b.host.Reload(wants(4, 5).Text(b.host.Socket))
	b.inForce("agreed", 4, 5)
	seen.Await("pfc", "priorities 4, 5")
	b.stops(0xFFFF, []int{3, 4}, 4)
	b.sends(100, 50, 3, 4)
	b.gets(3, 150)
	if n := len(b.seen[4]); n != 100 {
		t.Errorf("%d frames of the priority that is stopped came", n-100)
	}
	b.host.Reload(bed.LLDPOnly{}.Text(b.host.Socket))
	b.inForce("not_agreed")
	seen.Await("pfc", "DCBX has not agreed")
	b.gets(4, 150)
	if p := b.a.Edge(); len(p.PFC.RxPaused) > 0 || p.QueuedFrames > 0 {
		t.Errorf("%d frames wait, %+v", p.QueuedFrames, p.PFC)
	}
	b.stops(0xFFFF, []int{4})
}

// PFC goes with the peer, however that goes, and comes back with it.
func TestPFCOfAnEdgeGoesWithItsPeer(t *testing.T) {
	t.Parallel()
	b := newDCBBed(t, wants(3))
	b.inForce("agreed", 3)
	if code := b.host.Terminate(); code != 0 {
		t.Errorf("exit %d", code)
	}
	b.inForce("not_agreed")
	b.host.Start()
	b.inForce("agreed", 3)
	b.host.Kill()
	b.inForce("not_agreed")
	b.host.Start()
	b.inForce("agreed", 3)

	bed.Must(t, b.ns.SetLink("edge0", false))
	b.inForce("not_running")
	bed.Must(t, b.ns.SetLink("edge0", true))
	b.inForce("agreed", 3)
	b.a.Reload(strings.Replace(dcbEdges{}.Text(b.a.Socket), "interface: edge0", "interface: edge0, ring_size: 512", 1))
	b.inForce("agreed", 3)
	b.stops(0xFFFF, []int{3, 4}, 3)
}
