package tester

import (
	"encoding/binary"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"uelink/internal/netns"
	"uelink/internal/netns/nstest"
	"uelink/lab/e2e/bed"
	"uelink/wire"
)

// quanta returns a check that a PFC has another time for priority 3.
func quanta(want uint16) func(d [2]difference) string {
	return func(d [2]difference) string {
		if got := binary.BigEndian.Uint16([]byte(d[0].added[0].octets[24:])); got != want {
			return fmt.Sprintf("%d", got)
		}
		return ""
	}
}

// paused is a stimulus: ten PFCs from the host, each with another time, about priority 3.
func paused(s *stage) {
	mac := interfaceMAC(s.t, s.top.HostA, "eth0")
	for range 10 {
		s.sent++
		p := wire.PFC{Enable: 1 << 3}
		p.Quanta[3] = uint16(1 + s.sent)
		f := make([]byte, wire.MinFrameLen)
		wire.PutPFC(f, mac, p)
		s.hosts[0].Send(f)
	}
	time.Sleep(calm)
}

// halted is a stimulus: two PAUSEs of the host.
func halted(s *stage) {
	for range 2 {
		s.sent++
		f := make([]byte, wire.MinFrameLen)
		wire.PutPFC(f, interfaceMAC(s.t, s.top.HostA, "eth0"), wire.Pause(uint16(1+s.sent)))
		s.hosts[0].Send(f)
	}
	time.Sleep(calm)
}

func interfaceMAC(t *testing.T, ns *netns.NS, ifname string) wire.MAC {
	t.Helper()
	l, err := ns.Link(ifname)
	bed.Must(t, err)
	return wire.MAC(l.HardwareAddr)
}

// pauseInjections are the actions on PFC and PAUSE.
var pauseInjections = []injection{
	struckBy("PFC lost", paused, on("from=a kind=pfc pri=3 nth=4 drop", 1).loses("MAC CTRL"), nil),
	struckBy("PFC without an end", paused,
		on("from=a kind=pfc pri=3 nth=4 rewrite=quanta:65535", 1).loses("MAC CTRL").adds("MAC CTRL"), quanta(65535)),
	struckBy("PFC repeated", paused, on("from=a kind=pfc nth=4 duplicate=2", 1).adds("MAC CTRL,MAC CTRL"), nil),
	struckBy("PFC late", paused, on("from=a kind=pfc nth=4 hold=20ms", 1).moves("MAC CTRL"), late(0, 20*time.Millisecond)),
	struckBy("PAUSE lost", halted, on("from=a kind=pause nth=1 drop", 1).loses("MAC CTRL"), nil),
	struckBy("PFC made", func(*stage) {}, on("from=b inject=pfc:3:500 first=3", 3).adds("MAC CTRL"), nil),
}

// Each injection of PFC, on a wire between a host and an edge, does to the wire what its rule says, and nothing else:
// by a capture of the kernel at the host, and one of the daemon at the edge.
func TestInjectionsOfPFC(t *testing.T) {
	needsTshark(t)
	top := &bed.Topology{T: t, HostA: nstest.New(t, "hostA"), Wire: nstest.New(t, "wire"), A: nstest.New(t, "A"),
		B: nstest.New(t, "B")}
	bed.Must(t, netns.Veth(top.HostA, "eth0", top.Wire, "a", bed.EdgeMTU))
	bed.Must(t, netns.Veth(top.A, "edge0", top.Wire, "b", bed.EdgeMTU))
	bed.Must(t, netns.Veth(top.A, "link0", top.B, "link0", bed.LinkMTU))
	dir := t.TempDir()
	s := &stage{t: t, top: top}
	s.plug(filepath.Join(dir, "control"))
	capture := filepath.Join(dir, "edge0.pcapng")
	d := bed.NewDaemon(t, top.A, "A", bed.Settings{Edge: "offload: off, capture: " + capture + ", qos: {trust: dot1p}, " +
		"pfc: {mode: static, priorities: [3], xoff: 64, xon: 32, headroom: 256, rate: 1Gbps}"})
	d.Start()
	// There is no partner: frames of the host leave by the link as they are, and others come back.
	s.hosts = [2]*bed.Packets{bed.Open(t, top.HostA, "eth0", unix.ETH_P_ALL), bed.Open(t, top.B, "link0", unix.ETH_P_ALL)}
	host := newTap(t, top.HostA, "eth0")
	s.run(pauseInjections, func() string { return "" })
	if code := d.Terminate(); code != 0 {
		t.Fatalf("exit %d", code)
	}
	judge(t, pauseInjections, [2][]unit{host.end("MAC CTRL", "LOOP"), look(t, capture)})
}
