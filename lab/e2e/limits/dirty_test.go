package limits

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"maps"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"uelink/control/api"
	"uelink/internal/netns"
	"uelink/lab/e2e/bed"
	"uelink/wire"
)

// initSeq is the first number of the raw partner that sends dirty frames.
const initSeq = 100

// shim is the data frame that carries a probe of 100 octets.
func shim(d wire.Dialect, p wire.Preamble, poisoned bool) []byte {
	f := make([]byte, 200)
	return f[:wire.PutData(f, bed.Probe(1, 100), wire.EtherTypeData, d, p, poisoned)]
}

// ctl is a control frame with an LLR_ACK, whose octets may then be spoilt.
func ctl() []byte {
	f := make([]byte, wire.MaxControlLen)
	return f[:wire.PutControl(f, bed.StationMAC, wire.EtherTypeControl, []wire.CtlOS{{Type: wire.LLRAck, Seq: 1}})]
}

// spoilt sets octets of a frame.
func spoilt(frame []byte, at int, octets ...byte) []byte {
	copy(frame[at:], octets)
	return frame
}

// signed gives a control frame with one CtlOS its CRC again.
func signed(frame []byte) []byte {
	const end = wire.HeaderLen + 2 + wire.CtlOSLen
	binary.LittleEndian.PutUint32(frame[end:], crc32.ChecksumIEEE(frame[:end]))
	return frame
}

// tagged puts a VLAN tag into a frame.
func tagged(frame []byte) []byte {
	f := append([]byte{}, frame[:2*wire.AddrLen]...)
	return append(append(f, 0x81, 0x00, 0x00, 0x64), frame[2*wire.AddrLen:]...)
}

// as gives a frame another EtherType.
func as(etherType uint16, frame []byte) []byte {
	binary.BigEndian.PutUint16(frame[2*wire.AddrLen:], etherType)
	return frame
}

// Places in a data frame and in a control frame.
const (
	atSFD     = wire.HeaderLen + 3
	atFlags   = wire.HeaderLen + 7
	atPayload = wire.HeaderLen + wire.PreambleLen + 20
	atVersion = wire.HeaderLen
	atCount   = wire.HeaderLen + 1
	atCtlOS   = wire.HeaderLen + 2
)

// dirt is a frame that must not be delivered, and its counter.
type dirt struct {
	name    string
	frame   []byte
	counter string
}

func dirtyFrames() []dirt {
	seed, ue1 := wire.DialectSeed, wire.DialectUE1
	bare := wire.Preamble{FCS: true}
	numbered := wire.Preamble{FCS: true, Sequenced: true, Seq: initSeq}
	return []dirt{
		{"data frame of a header only", shim(seed, bare, false)[:wire.HeaderLen], "rx_shim_truncated"},
		{"shim cut in the preamble", shim(seed, bare, false)[:20], "rx_shim_truncated"},
		{"shim with a frame that is too short", shim(seed, bare, false)[:wire.ShimLen+wire.MinFrameLen], "rx_shim_truncated"},
		{"bad SFD", spoilt(shim(seed, bare, false), atSFD, 0xAB), "rx_shim_bad_sfd"},
		{"addressed, between other stations", spoilt(shim(seed, bare, false), atFlags, 0xC0), "rx_other_station"},
		{"another dialect", shim(ue1, bare, false), "rx_other_dialect"},
		{"bad FCS, no number", spoilt(shim(seed, bare, false), atPayload, 0xFF), "rx_bare_bad_fcs"},
		{"poisoned, no number", shim(seed, bare, true), "rx_bare_bad_fcs"},
		{"no FCS image, no number", shim(seed, wire.Preamble{}, false), "rx_bare_bad_fcs"},
		{"bad FCS, the number that is expected", spoilt(shim(seed, numbered, false), atPayload, 0xFF), "llr_rx_bad"},
		{"good FCS, a number past the window", shim(seed, wire.Preamble{FCS: true, Sequenced: true, Seq: initSeq + 5}, false), "llr_rx_missing_seq"},
		{"good FCS, a number from the past", shim(seed, wire.Preamble{FCS: true, Sequenced: true, Seq: initSeq - 5}, false), "llr_rx_duplicate_seq"},
		{"virtual channel that is not there", shim(seed, wire.Preamble{FCS: true, To: wire.To{VC: 5}}, false), "rx_vc_unknown"},

		{"control frame that is cut", ctl()[:30], "rx_control_truncated"},
		{"control frame with a count that needs more", spoilt(ctl(), atCount, 20), "rx_control_truncated"},
		{"control version", spoilt(ctl(), atVersion, 2), "rx_control_version"},
		{"control count of 0", spoilt(ctl(), atCount, 0), "rx_control_count"},
		{"control count too large", spoilt(ctl(), atCount, wire.MaxCtlOS+1), "rx_control_count"},
		{"control CRC", spoilt(ctl(), atCtlOS+3, 0xFF), "rx_control_crc"},
		{"control, reserved octet", signed(spoilt(ctl(), atCtlOS+7, 1)), "rx_control_reserved"},
		{"control, unknown type", signed(spoilt(ctl(), atCtlOS+1, 0x77)), "rx_control_type"},
		{"control, number that was never sent", ctl(), "llr_rx_ack_nack_seq_error"},
		{"control under another EtherType", signed(as(0x9999, ctl())), "rx_other_ethertype"},

		{"native frame of a known partner", bed.Probe(1, 100), "rx_native_dropped"},
		{"native frame to the address of control", append(wire.ControlDA[:], bed.Probe(1, 100)[wire.AddrLen:]...), "rx_native_dropped"},
		{"shim behind a VLAN tag", tagged(shim(seed, bare, false)), "rx_native_dropped"},
		{"control behind a VLAN tag", tagged(ctl()), "rx_native_dropped"},
		{"longer than the edge carries", oversized(), "rx_oversized"},
	}
}

// oversized is a data frame whose carried frame is too long for the edge.
func oversized() []byte {
	f := make([]byte, 2000)
	return f[:wire.PutData(f, bed.Probe(1, bed.EdgeMTU+wire.HeaderLen+5), wire.EtherTypeData, wire.DialectSeed,
		wire.Preamble{FCS: true}, false)]
}

// faults is every counter of a port that is not one of ordinary traffic.
func faults(d *bed.Daemon, port string) map[string]uint64 {
	d.T.Helper()
	state := d.Port(port)
	faults := map[string]uint64{}
	objects := []any{state.Counters}
	if state.LLR != nil {
		objects = append(objects, state.LLR.Counters)
	}
	for _, object := range objects {
		for _, f := range api.Fields(object) {
			faults[f.Key] = f.Value.(uint64)
		}
	}
	for _, ordinary := range []string{"rx_frames", "rx_octets", "tx_frames", "tx_octets", "tx_kicks",
		"tx_control", "rx_control",
		"rx_bare", "llr_rx_ack_ctl_os", "llr_rx_ok", "llr_tx_ack_ctl_os", "llr_tx_nack_ctl_os", "llr_rx_expected_seq_bad", "llr_rx_replay"} {
		delete(faults, ordinary)
	}
	maps.DeleteFunc(faults, func(_ string, n uint64) bool { return n == 0 })
	return faults
}

func TestDirtyFramesAreCountedAndNeverDelivered(t *testing.T) {
	top := bed.NewTopology(t)
	bed.Must(t, netns.Veth(top.A, "link0", top.B, "link0", 2000)) // the wire carries more than the edge
	a := bed.NewDaemon(t, top.A, "A", bed.Settings{})
	a.Start()
	s := bed.NewStation(t, top)
	bed.Eventually(t, "a handshake both ways", func() string {
		s.Control(wire.CtlOS{Type: wire.LLRInit, Seq: initSeq, InitData: [2]byte{1, 2}})
		s.Answer()
		return a.Advances()
	})
	hostA := bed.Open(t, top.HostA, "eth0", unix.ETH_P_ALL)
	for _, dirty := range dirtyFrames() {
		t.Run(dirty.name, func(t *testing.T) {
			bed.Must(t, a.Client.ClearCounters(t.Context(), ""))
			s.Send(dirty.frame)
			want := map[string]uint64{dirty.counter: 1}
			bed.Eventually(t, "a count of one "+dirty.counter, func() string {
				if got := faults(a, "link0"); !maps.Equal(got, want) {
					return fmt.Sprintf("counted is %v", got)
				}
				return ""
			})
		})
	}
	s.Send(shim(wire.DialectSeed, wire.Preamble{FCS: true, Sequenced: true, Seq: initSeq}, false))
	if f := hostA.Await("the one good frame", func([]byte) bool { return true }); string(f) != string(bed.Probe(1, 100)) {
		t.Errorf("% x was delivered before it", f)
	}
	if !a.Running() {
		t.Error("the daemon has ended")
	}
}

func TestHostThatSendsOurEtherTypesIsNotHeard(t *testing.T) {
	top := bed.Direct(t)
	a := bed.NewDaemon(t, top.A, "A", bed.Settings{})
	a.Start()
	s := bed.NewStation(t, top)
	hostA := bed.Open(t, top.HostA, "eth0", bed.ProbeType)
	forged := [][]byte{shim(wire.DialectSeed, wire.Preamble{FCS: true}, false), ctl(),
		tagged(ctl()), tagged(tagged(ctl())), tagged(shim(wire.DialectSeed, wire.Preamble{FCS: true}, false))}
	for i, frame := range forged {
		hostA.Send(frame)
		bed.Eventually(t, "a count", func() string {
			if got := faults(a, "edge0"); got["rx_own_ethertype"] != uint64(i+1) {
				return fmt.Sprint(got)
			}
			return ""
		})
	}
	hostA.Send(bed.Probe(2, 100))
	s.Await("an honest frame, and no forged one before it", func(f []byte) bool {
		if slices.ContainsFunc(forged, func(o []byte) bool { return string(o) == string(f) }) {
			t.Errorf("a forged frame got onto the link: % x", f)
		}
		return string(f) == string(bed.Probe(2, 100))
	})
	if l := a.LLR(); l.PartnerKnown {
		t.Error("the daemon took its host for its partner")
	}
	if f := bed.Open(t, top.HostB, "eth0", bed.ProbeType).Next(); f != nil {
		t.Errorf("host B got % x", f)
	}
}

// LLDP behind a VLAN tag, of priority 7 and no VLAN say, does not cross either: it is for this end. Behind two tags
// nobody hears it.
func TestTaggedLLDPOfAHostIsNotCarried(t *testing.T) {
	top := bed.Direct(t)
	for _, llr := range []string{"mode: \"off\"", "mode: static, local: true, remote: true"} {
		a, b := bed.NewDaemon(t, top.A, "A", bed.Settings{LLR: llr}), bed.NewDaemon(t, top.B, "B", bed.Settings{LLR: llr})
		a.Start()
		b.Start()
		b.OperStatus("link0", "up")
		hostA, hostB := bed.Open(t, top.HostA, "eth0", bed.ProbeType), bed.Open(t, top.HostB, "eth0", unix.ETH_P_ALL)
		lldp := as(wire.EtherTypeLLDP, bed.Probe(1, 100))
		copy(lldp, wire.ControlDA[:])
		hostA.Send(tagged(lldp))
		hostA.Send(tagged(tagged(lldp)))
		bed.Eventually(t, "a count", func() string {
			if n := a.Edge().Counters.RxLLDP; n != 1 {
				return fmt.Sprint(n)
			}
			return ""
		})
		hostA.Send(bed.Probe(2, 100))
		if f := hostB.Await("the frame after it", func([]byte) bool { return true }); string(f) != string(bed.Probe(2, 100)) {
			t.Errorf("%s: there came % x", llr, f)
		}
		a.Terminate()
		b.Terminate()
	}
}

// Once the partners know each other, a host may send any EtherType: the frame crosses inside a shim.
func TestOurEtherTypesOfAHostCrossInsideTheShim(t *testing.T) {
	top := bed.Direct(t)
	p := top.Daemons(bed.Settings{})
	hostA, hostB := bed.Open(t, top.HostA, "eth0", bed.ProbeType), bed.Open(t, top.HostB, "eth0", unix.ETH_P_ALL)
	before := faults(p.B, "link0")
	for _, frame := range [][]byte{shim(wire.DialectSeed, wire.Preamble{FCS: true, Sequenced: true,
		Seq: 7}, false), ctl()} {
		hostA.Send(frame)
		if f := hostB.Await("the frame", func([]byte) bool { return true }); string(f) != string(frame) {
			t.Errorf("it came as % x", f)
		}
	}
	after := faults(p.B, "link0")
	// On a busy machine an ACK may come after A's replay timer, and A then sends a frame again.
	if repeat, replayed := after["llr_rx_duplicate_seq"], faults(p.A, "link0")["llr_tx_replay"]; repeat > replayed {
		t.Errorf("%d frames came twice, of which A replayed %d", repeat, replayed)
	}
	for _, ordinary := range []string{"llr_rx_expected_seq_good", "llr_tx_ok", "llr_rx_replay", "llr_tx_replay",
		"llr_rx_duplicate_seq"} {
		delete(before, ordinary)
		delete(after, ordinary)
	}
	if !maps.Equal(before, after) {
		t.Errorf("counters of the link went from %v to %v", before, after)
	}
}
