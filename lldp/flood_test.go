package lldp_test

import (
	"encoding/binary"
	"math/rand/v2"
	"runtime"
	"testing"

	"uelink/lldp"
)

// randomStation returns a frame of a new random station.
func randomStation(rng *rand.Rand, ttl uint16) []byte {
	var mac [6]byte
	binary.BigEndian.PutUint32(mac[2:], rng.Uint32())
	port := binary.BigEndian.AppendUint64([]byte{7}, rng.Uint64())
	return raw(tlv(lldp.TypeChassisID, append([]byte{4}, mac[:]...)...), tlv(lldp.TypePortID, port...),
		tlv(lldp.TypeTTL, byte(ttl>>8), byte(ttl)), tlv(lldp.TypeSystemName, make([]byte, 200)...), end)
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// A flood of random stations over a minute: the table stays bounded, the
// neighbour that was there stays, and nothing is sent for the flood's sake.
func TestFloodKeepsTheRealNeighbour(t *testing.T) {
	s, rng := up(macA), rand.New(rand.NewPCG(1, 2))
	s.runTo(10)
	real := frameB(sysName)
	s.hear(real)
	before, frames := heap(), len(s.frames)
	for i := range 100_000 {
		if i%50_000 == 0 {
			s.hear(real)
		}
		s.now += 60 * second / 100_000
		s.events = s.Receive(randomStation(rng, 65535), s.now, s.events)
		if s.Deadline() <= s.now {
			s.poll()
		}
	}
	if grown := heap() - before; grown > 256<<10 {
		t.Errorf("%d octets for a flood", grown)
	}
	list := s.neighbors()
	if len(list) != lldp.DefaultMaxNeighbors || string(list[0].Info.SystemName) != "one" {
		t.Fatalf("%d neighbours, the first is %v", len(list), list[0].Info.Chassis)
	}
	if n := s.Counters(); n.Remote.Inserts != 32 || n.Remote.Drops != 100_000-31 || n.Remote.Deletes != 0 {
		t.Errorf("%+v", n.Remote)
	}
	if n := len(s.events); n != 32+1 {
		t.Errorf("%d events", n)
	}
	if !s.TooManyNeighbors() {
		t.Error("tooManyNeighbors is not set")
	}
	if n := len(s.frames) - frames; n > 10 {
		t.Errorf("%d frames sent", n)
	}
}

// What a flood has left is displaced when it has been silent for as long as our
// own frames are good for.
func TestFloodIsForgotten(t *testing.T) {
	s, rng := up(macA), rand.New(rand.NewPCG(3, 4))
	for range 1000 {
		s.hear(randomStation(rng, 65535))
	}
	s.runTo(121)
	s.hear(frameB())
	if n := s.Counters().Remote; n.Inserts != 32 {
		t.Fatalf("%+v", n)
	}
	s.runTo(122)
	s.hear(frameB())
	list := s.neighbors()
	if n := s.Counters().Remote; n.Inserts != 33 || n.Deletes != 1 || list[len(list)-1].Source != macB {
		t.Fatalf("%+v", n)
	}
	last := s.events[len(s.events)-2]
	if last.Kind != lldp.NeighborDeleted || last.Cause != lldp.Displaced {
		t.Errorf("%v %v", last.Kind, last.Cause)
	}
}

// tooManyNeighborsTimer: the longest TTL of those dropped.
func TestTooManyNeighbors(t *testing.T) {
	c := lldp.Config{Destination: lldp.NearestBridge, Timers: lldp.DefaultTimers(), MaxNeighbors: 1}
	s, rng := &station{Agent: lldp.NewAgent(c, lldp.RxTx, localOf(macA, "eth0"))}, rand.New(rand.NewPCG(5, 6))
	s.SetPortEnabled(true)
	s.poll()
	s.hear(frameB())
	s.hear(randomStation(rng, 50))
	s.hear(randomStation(rng, 20))
	s.runTo(49)
	if !s.TooManyNeighbors() {
		t.Error("over too early")
	}
	s.runTo(50)
	wantKinds(t, s, "neighbor_added, too_many_neighbors, too_many_neighbors_ended")
	if n := s.Counters(); s.TooManyNeighbors() || n.Remote.Drops != 2 || n.Rx.TotalDiscardedFrames != 2 ||
		n.Rx.ErrorFrames != 0 {
		t.Errorf("%+v", n)
	}
}

func TestTooManyNeighborsEndsWithTheLink(t *testing.T) {
	c := lldp.Config{Destination: lldp.NearestBridge, Timers: lldp.DefaultTimers(), MaxNeighbors: 1}
	s, rng := &station{Agent: lldp.NewAgent(c, lldp.RxTx, localOf(macA, "eth0"))}, rand.New(rand.NewPCG(7, 8))
	s.SetPortEnabled(true)
	s.poll()
	s.hear(frameB())
	s.hear(randomStation(rng, 50))
	s.SetPortEnabled(false)
	s.poll()
	s.SetPortEnabled(true)
	s.poll()
	if s.TooManyNeighbors() || len(s.neighbors()) != 0 {
		t.Error("not forgotten")
	}
}

// A flood of new and leaving stations makes the agent send no more frames than its credit allows.
func TestFloodOfComingAndGoing(t *testing.T) {
	s, rng := up(macA), rand.New(rand.NewPCG(9, 10))
	s.runTo(60)
	frames := len(s.frames)
	for range 10_000 {
		f := randomStation(rng, 100)
		s.hear(f)
		shutdown := pduOf(t, f)
		shutdown.TTL = 0
		f, _ = lldp.AppendFrame(nil, lldp.NearestBridge, macB, shutdown)
		s.hear(f)
		s.now += second / 1000
		s.events = s.events[:0]
	}
	if n := len(s.frames) - frames; n > 5+10 {
		t.Errorf("%d frames in ten seconds", n)
	}
	if len(s.neighbors()) != 0 || s.Counters().Remote.Inserts != 10_000 {
		t.Errorf("%+v", s.Counters().Remote)
	}
}

// No frame of a station that is dropped, refreshed or looped allocates.
func TestReceiveDoesNotAllocate(t *testing.T) {
	s, rng := up(macA), rand.New(rand.NewPCG(11, 12))
	for range 40 {
		s.hear(randomStation(rng, 65535))
	}
	stored, late, own := frameB(), randomStation(rng, 65535), s.frames[0].frame
	s.now += 200 * second
	s.hear(stored)
	for _, f := range [][]byte{stored, late, own, frameB(chassisB)} {
		if n := testing.AllocsPerRun(100, func() { s.events = s.Receive(f, s.now, s.events[:0]) }); n != 0 {
			t.Errorf("%v allocations", n)
		}
	}
}

func BenchmarkFloodedReceive(b *testing.B) {
	s, rng := up(macA), rand.New(rand.NewPCG(13, 14))
	var frames [][]byte
	for range 1000 {
		frames = append(frames, randomStation(rng, 65535))
	}
	for i := 0; b.Loop(); i++ {
		s.events = s.Receive(frames[i%1000], s.now, s.events[:0])
	}
}
