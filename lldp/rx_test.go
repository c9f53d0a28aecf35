package lldp_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"uelink/lldp"
	"uelink/wire"
)

func wantKinds(t *testing.T, s *station, want string) {
	t.Helper()
	if got := s.kinds(); got != want {
		t.Fatalf("events %q, want %q", got, want)
	}
}

func frameTTL(ttl byte, tlvs ...[]byte) []byte {
	all := append([][]byte{chassisB, portB, tlv(lldp.TypeTTL, 0, ttl)}, tlvs...)
	return raw(append(all, end)...)
}

// rxInfoTTL: a neighbour stays for exactly the TTL.
func TestRxAgeing(t *testing.T) {
	s := up(macA)
	s.runTo(10)
	s.hear(frameTTL(5))
	s.now = 15*second - 1
	s.poll()
	if len(s.neighbors()) != 1 {
		t.Fatal("aged before its time")
	}
	s.runTo(15)
	wantKinds(t, s, "neighbor_added, neighbor_deleted aged")
	if n := s.Counters(); n.Rx.TotalAgeouts != 1 || n.Remote != (lldp.RemoteCounters{Inserts: 1, Deletes: 1, Ageouts: 1}) {
		t.Errorf("%+v", n)
	}
	if n := s.events[1].Neighbor; n.Since != 10*second || n.Expires != 15*second {
		t.Errorf("%+v", n)
	}
}

func TestRxRefreshIsNoChange(t *testing.T) {
	s := up(macA)
	for range 20 {
		s.hear(frameTTL(5))
		s.runTo(int(s.now/second) + 4)
	}
	wantKinds(t, s, "neighbor_added")
	if n := s.Counters().Remote; n.Inserts != 1 || n.Deletes != 0 {
		t.Errorf("%+v", n)
	}
}

func TestRxOtherTTLIsNoChangeButIsTaken(t *testing.T) {
	s := up(macA)
	s.hear(frameTTL(5))
	s.hear(frameTTL(9))
	wantKinds(t, s, "neighbor_added")
	n := s.neighbors()[0]
	if n.Info.TTL != 9 || n.Expires != 9*second || n.Changed != 0 {
		t.Errorf("TTL %d, %+v", n.Info.TTL, n)
	}
}

func TestRxUpdate(t *testing.T) {
	s := up(macA)
	s.hear(frameB(sysName))
	before := s.neighbors()[0]
	s.now = 3 * second
	s.hear(frameB(tlv(lldp.TypeSystemName, []byte("two")...)))
	wantKinds(t, s, "neighbor_added, neighbor_updated")
	after := s.neighbors()[0]
	if string(before.Info.SystemName) != "one" || string(after.Info.SystemName) != "two" {
		t.Errorf("%q then %q", before.Info.SystemName, after.Info.SystemName)
	}
	if after.Since != 0 || after.Changed != 3*second || after.Heard != 3*second {
		t.Errorf("%+v", after)
	}
	if at, ok := s.LastChange(); !ok || at != 3*second {
		t.Errorf("last change at %d, %v", at, ok)
	}
}

// A shutdown LLDPDU deletes its sender at once; that of an unknown sender is ignored.
func TestRxShutdown(t *testing.T) {
	s := up(macA)
	s.hear(frameTTL(0))
	s.hear(frameTTL(100))
	s.hear(frameTTL(0))
	wantKinds(t, s, "neighbor_added, neighbor_deleted shutdown")
	if n := s.Counters(); n.Remote.Deletes != 1 || n.Rx.TotalAgeouts != 0 || n.Rx.TotalFrames != 3 ||
		n.Rx.TotalDiscardedFrames != 0 {
		t.Errorf("%+v", n)
	}
}

// The key is chassis id and port id with their subtypes, and nothing else.
func TestRxMSAP(t *testing.T) {
	s := up(macA)
	ifname := tlv(lldp.TypeChassisID, append([]byte{6}, "same"...)...)
	local := tlv(lldp.TypeChassisID, append([]byte{7}, "same"...)...)
	for _, tlvs := range [][][]byte{
		{ifname, portB}, {local, portB}, // another subtype
		{ifname, tlv(lldp.TypePortID, append([]byte{5}, "eth1"...)...)},
		{ifname, tlv(lldp.TypePortID, append([]byte{7}, "eth0"...)...)},
	} {
		s.hear(raw(append(tlvs, ttl120, end)...))
	}
	if n := len(s.neighbors()); n != 4 {
		t.Fatalf("%d neighbours, want 4", n)
	}
	moved := raw(ifname, portB, ttl120, end)
	moved[11] = 0x77 // the same station, another source address
	s.hear(moved)
	n := s.neighbors()
	if len(n) != 4 || n[0].Source != (wire.MAC{2, 0, 0, 0, 0, 0x77}) {
		t.Fatalf("%d neighbours, source % X", len(n), n[0].Source)
	}
	if s.Counters().Remote.Inserts != 4 {
		t.Errorf("%+v", s.Counters().Remote)
	}
}

// LLDP_WAIT_PORT_OPERATIONAL keeps and ages; RX_LLDP_INITIALIZE forgets.
func TestRxPortDownKeepsUntilUp(t *testing.T) {
	s := up(macA)
	s.hear(frameTTL(100))
	s.SetPortEnabled(false)
	s.runTo(10)
	if len(s.neighbors()) != 1 || s.RxState() != lldp.RxWaitPortOperational {
		t.Fatalf("%d neighbours in %v", len(s.neighbors()), s.RxState())
	}
	s.hear(frameTTL(200))
	if s.Counters().Rx.TotalFrames != 1 {
		t.Error("a frame was received on a disabled port")
	}
	s.SetPortEnabled(true)
	s.poll()
	wantKinds(t, s, "neighbor_added, neighbor_deleted initialized")
	if s.RxState() != lldp.RxWaitForFrame {
		t.Error(s.RxState())
	}
}

func TestRxPortDownAges(t *testing.T) {
	s := up(macA)
	s.hear(frameTTL(5))
	s.SetPortEnabled(false)
	s.runTo(10)
	wantKinds(t, s, "neighbor_added, neighbor_deleted aged")
}

func TestRxDisabledForgets(t *testing.T) {
	s := up(macA)
	s.hear(frameTTL(100))
	s.SetAdminStatus(lldp.TxOnly)
	s.poll()
	wantKinds(t, s, "neighbor_added, neighbor_deleted initialized")
	s.hear(frameTTL(100))
	if s.RxState() != lldp.RxInitialize || len(s.neighbors()) != 0 || s.Counters().Rx.TotalFrames != 1 {
		t.Errorf("%v, %d neighbours", s.RxState(), len(s.neighbors()))
	}
	s.SetAdminStatus(lldp.RxTx)
	s.poll()
	s.hear(frameTTL(100))
	if len(s.neighbors()) != 1 {
		t.Error("reception did not come back")
	}
}

func TestRxOtherDestinationIsAnotherAgents(t *testing.T) {
	s := up(macA)
	f := frameB()
	copy(f, lldp.NearestCustomerBridge[:])
	s.hear(f)
	if len(s.neighbors()) != 0 || s.Counters().Rx != (lldp.RxCounters{}) {
		t.Errorf("%+v", s.Counters().Rx)
	}
}

func TestRxOwnFrames(t *testing.T) {
	s := up(macA)
	s.hear(s.frames[0].frame)
	s.hear(s.frames[0].frame)
	wantKinds(t, s, "loop")
	n := s.Counters().Rx
	if len(s.neighbors()) != 0 || n.Looped != 2 || n.TotalDiscardedFrames != 2 || n.ErrorFrames != 0 || !s.Loop() {
		t.Errorf("%+v", n)
	}
	s.runTo(121)
	wantKinds(t, s, "loop, loop_ended")
	if s.Loop() {
		t.Error("the loop is still reported")
	}
}

// The other port of the same station is a neighbour, if they are cabled together.
func TestRxOwnStationOtherPort(t *testing.T) {
	s, other := up(macA), newStation(macA)
	other.SetLocal(localOf(macA, "eth1"))
	other.SetPortEnabled(true)
	other.poll()
	s.hear(other.frames[0].frame)
	if len(s.neighbors()) != 1 || s.Loop() {
		t.Errorf("%d neighbours", len(s.neighbors()))
	}
}

// An LLDPDU is heard behind a priority tag (VID 0), and behind the tag of a switch's native VLAN.
func TestRxTagged(t *testing.T) {
	tagged := func(tci ...byte) []byte { return slices.Insert(frameB(), 12, append([]byte{0x81, 0x00}, tci...)...) }
	for _, vid := range []byte{0, 1} {
		s := up(macA)
		s.hear(tagged(0xE0, vid)[:16])
		s.hear(slices.Insert(tagged(0xE0, vid), 12, 0x81, 0x00, 0x00, 0x05)) // two tags
		if len(s.neighbors()) != 0 || s.Counters().Rx.Discards[lldp.FaultHeader] != 2 {
			t.Errorf("%+v", s.Counters().Rx)
		}
		s.hear(tagged(0xE0, vid))
		if len(s.neighbors()) != 1 {
			t.Errorf("a frame with VID %d was not heard", vid)
		}
	}
}

func TestRxRunts(t *testing.T) {
	s := up(macA)
	whole := frameB()
	for n := range whole {
		s.hear(whole[:n])
	}
	if len(s.neighbors()) != 0 || s.Counters().Rx.TotalDiscardedFrames != uint64(len(whole)) {
		t.Errorf("%+v", s.Counters().Rx)
	}
}

func TestCountersAreNamedAsInYANG(t *testing.T) {
	s := up(macA)
	s.hear(frameB(chassisB))
	got, err := json.Marshal(s.Counters())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"tx_statistics":{"total_frames":1,"total_length_errors":0`,
		`"total_discarded_frames":1,"error_frames":1,"total_frames":1`, `"repeated":1`, `"ttl":0`, `"remote_inserts":0`} {
		if !strings.Contains(string(got), want) {
			t.Errorf("%s lacks %s", got, want)
		}
	}
}
