package credits

import (
	"context"
	"encoding/binary"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"golang.org/x/sys/unix"

	"uelink/control/api"
	"uelink/internal/netns/nstest"
	"uelink/lab/e2e/bed"
	"uelink/wire"
)

// trimmingBridge is a bridge whose edges send 20 Mb/s. DSCP 8 has queue 1, which trims; DSCP 16, that of
// trimmed frames, has queue 2, which goes first.
var trimmingBridge = bed.Bridging{Settings: bed.Settings{
	Edge: "qos: {trust: dscp, rate: 20Mbps, scheduler: {2: first}, trimming: {packet_discard_action: {1: trim}}}",
	Top: `qos: {schedulers: {first: {type: strict}}}
trimming: {size: 128, dscp_value: 16, tc_value: 2, trimmable_dscps: [8]}`,
}}

// uetPacket is a numbered packet of UET over UDP and IPv4, in a frame of 1000 octets.
func uetPacket(t testing.TB, number uint32, da, sa wire.MAC) []byte {
	t.Helper()
	ip := &layers.IPv4{
		Version: 4, TTL: 64, TOS: 8<<2 | 2, Protocol: layers.IPProtocolUDP,
		SrcIP: []byte{192, 0, 2, 1}, DstIP: []byte{192, 0, 2, 2},
	}
	udp := &layers.UDP{SrcPort: 49152, DstPort: 4793}
	bed.Must(t, udp.SetNetworkLayerForChecksum(ip))
	payload := binary.BigEndian.AppendUint32(nil, number)
	payload = append(payload, make([]byte, 1000-wire.HeaderLen-20-8-len(payload))...)
	ethernet := &layers.Ethernet{DstMAC: da[:], SrcMAC: sa[:], EthernetType: layers.EthernetTypeIPv4}
	buffer := gopacket.NewSerializeBuffer()
	bed.Must(t, gopacket.SerializeLayers(buffer, gopacket.SerializeOptions{FixLengths: true, ComputeChecksums: true},
		ethernet, ip, udp, gopacket.Payload(payload)))
	return buffer.Bytes()
}

// uetNumber is the number of such a packet, whole or trimmed.
func uetNumber(f []byte) uint32 { return binary.BigEndian.Uint32(f[wire.HeaderLen+20+8:]) }

// trimming waits until nothing waits at a port, and returns what was trimmed.
func trimming(d *bed.Daemon, port string) (s api.SwitchTrimming) {
	d.T.Helper()
	bed.Eventually(d.T, "nothing waits", func() string {
		if n := d.Port(port).QueuedFrames; n > 0 {
			return fmt.Sprintf("%d frames do", n)
		}
		return ""
	})
	ctx, cancel := context.WithTimeout(context.Background(), bed.Patience)
	defer cancel()
	s, err := d.Client.SwitchTrimming(ctx)
	bed.Must(d.T, err)
	return s
}

// TestTrimmingAtASlowEdge: more comes for an edge than it may send. What finds no room arrives
// trimmed, ahead of what was sent before, with a DSCP of its own and with a header that tshark
// finds right. The counters of SAI say so at every level.
func TestTrimmingAtASlowEdge(t *testing.T) {
	if _, err := exec.LookPath("tshark"); err != nil {
		nstest.Missing(t, "package tshark")
	}
	top := bed.Direct(t)
	hostC := top.Host(top.A, "edge1")
	d := bed.NewDaemon(t, top.A, "A", trimmingBridge.At("edge0", "edge1"))
	d.Start()
	from, to := bed.Open(t, top.HostA, "eth0", unix.ETH_P_IP), bed.Open(t, hostC, "eth0", unix.ETH_P_IP)
	a, c := wire.MAC{2, 'e', '2', 'e', 1, 1}, wire.MAC{2, 'e', '2', 'e', 1, 3}
	to.Send(uetPacket(t, 0, a, c)) // so that the bridge knows where C is
	from.Await("a packet from C", func(f []byte) bool { return wire.EtherType(f) == 0x0800 })

	const count = 5000
	for n := range uint32(count) {
		from.Send(uetPacket(t, n, c, a))
	}
	s := trimming(d, "edge1")
	n, queues := s.Counters, trimQueues(d)
	if n.TxTrimPackets == 0 || n.TrimPackets != n.TxTrimPackets+n.DroppedTrimPackets {
		t.Errorf("%+v", n)
	}
	want := []api.PortTrimming{
		{Port: "edge0", DSCPValue: 16, Queues: api.Numbers{1}},
		{Port: "edge1", DSCPValue: 16, Queues: api.Numbers{1}, Counters: n},
	}
	if diff := cmp.Diff(want, s.Ports); diff != "" {
		t.Errorf("by port (-want +got): %s", diff)
	}
	whole, trimmed := sorted(to, int(queues[1]["tx_frames"]+queues[2]["tx_frames"]), a)
	wantQueues := map[float64]map[string]float64{
		1: {"queue": 1, "queued_frames": 0, "occupancy_octets": 0, "queue_octets": 0,
			"tx_frames": float64(len(whole)), "tx_octets": float64(1000 * len(whole)),
			"dropped": float64(n.TrimPackets), "dropped_octets": float64(1000 * n.TrimPackets),
			"trim_packets": float64(n.TrimPackets), "tx_trim_packets": float64(n.TxTrimPackets),
			"dropped_trim_packets": float64(n.DroppedTrimPackets)},
		2: {"queue": 2, "queued_frames": 0, "occupancy_octets": 0, "queue_octets": 0,
			"tx_frames": float64(len(trimmed)), "tx_octets": float64(128 * len(trimmed)),
			"dropped": 0, "dropped_octets": 0,
			"trim_packets": 0, "tx_trim_packets": 0, "dropped_trim_packets": 0},
	}
	if diff := cmp.Diff(wantQueues, queues); diff != "" || uint64(len(trimmed)) != n.TxTrimPackets {
		t.Errorf("%d packets came trimmed, %d were sent; by queue (-want +got): %s", len(trimmed), n.TxTrimPackets, diff)
	}
	tsharkFindsRight(t, trimmed)
	t.Logf("of %d packets %d came whole, %d trimmed; %+v", count, len(whole), len(trimmed), n)

	// Reloaded without trimming: the ports go on, and what finds no room is dropped.
	drops := trimmingBridge
	drops.Edge = strings.Replace(drops.Edge, "trim}", "drop}", 1)
	d.Reload(drops.At("edge0", "edge1").Text(d.Socket))
	for n := range uint32(count) {
		from.Send(uetPacket(t, n, c, a))
	}
	want = []api.PortTrimming{{Port: "edge1", Queues: api.Numbers{}, Counters: n}}
	if diff := cmp.Diff(want, trimming(d, "edge1").Ports); diff != "" {
		t.Errorf("by port, without trimming (-want +got): %s", diff)
	}
	// Of the frames that are dropped some find their queue full, and others no chunk to wait in.
	if got := d.Port("edge1").Counters.TxDropQueueFull + d.Port("edge0").Counters.RxDropNoBuffer; got <= n.TrimPackets {
		t.Errorf("%d frames dropped, %d before", got, n.TrimPackets)
	}
}

// trimQueues is the queues 1 and 2 of the slow edge, as the tool shows them.
func trimQueues(d *bed.Daemon) map[float64]map[string]float64 {
	d.T.Helper()
	queues := map[float64]map[string]float64{}
	for _, q := range d.Tool("queue", "counters", "edge1", "--trim").Succeeds().Objects() {
		number := q["queue"].(float64)
		if number != 1 && number != 2 {
			continue // frames of the hosts themselves
		}
		queues[number] = map[string]float64{}
		for key, value := range q {
			if n, ok := value.(float64); ok && key != "watermark_octets" { // how many waited for a moment is chance
				queues[number][key] = n
			}
		}
	}
	return queues
}

// sorted receives n packets from an address, and separates whole from trimmed ones. A trimmed packet must overtake a
// whole one with a smaller number.
func sorted(p *bed.Packets, n int, from wire.MAC) (whole, trimmed [][]byte) {
	p.T.Helper()
	highest, overtaken := uint32(0), 0
	for len(whole)+len(trimmed) < n {
		f := p.Await(fmt.Sprintf("packet %d of %d", len(whole)+len(trimmed), n), func(f []byte) bool {
			return wire.MAC(f[wire.AddrLen:]) == from
		})
		switch dscp := f[15] >> 2; {
		case dscp == 16 && len(f) == 128:
			trimmed = append(trimmed, f)
			highest = max(highest, uetNumber(f))
		case dscp == 8 && len(f) == 1000:
			whole = append(whole, f)
			if uetNumber(f) < highest {
				overtaken++
			}
		default:
			p.T.Fatalf("DSCP %d, %d octets: %x", dscp, len(f), f)
		}
	}
	if overtaken == 0 {
		p.T.Error("no trimmed packet has overtaken a whole one")
	}
	return whole, trimmed
}

// tsharkFindsRight demands that tshark finds length, checksum and DSCP of IP right.
func tsharkFindsRight(t *testing.T, frames [][]byte) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "trimmed.pcap")
	bed.WriteCapture(t, path, frames)
	right := fmt.Sprintf("ip.checksum.status == 1 && ip.len == %d && ip.dsfield.dscp == 16 && udp.length == %d",
		128-wire.HeaderLen, 1000-wire.HeaderLen-20)
	out := bed.Tshark(t, path, "-n", "-o", "ip.check_checksum:TRUE", "-Y", right, "-T", "fields", "-e", "frame.number")
	if got := strings.Count(out, "\n"); got != len(frames) {
		t.Errorf("tshark finds %d of %d frames right", got, len(frames))
	}
}
