package simulated

import (
	"math"
	"testing"
	"time"

	"uelink/cbfc"
	"uelink/dataplane/model"
	"uelink/dataplane/qos"
	"uelink/wire"
)

const testRate = 10e9

// lossless returns options with VC 1 (DSCP 8) under credits, and with PFC of the hosts.
func lossless() Options {
	o := Defaults()
	o.Link.VCs = 2
	o.Link.QoS.Queue[1], o.Edge.QoS.Queue[1] = 1, 1
	o.Link.CBFC = cbfc.Settings{
		On: true, Size: cbfc.Size{Credit: 2048}, Lossless: 1 << 1, CCTimer: 10e6, CFMinSpacing: 6400, CFMaxSpacing: 262144,
	}
	o.Link.CBFC.Limit[1] = 128
	o.Edge.QoS.Trust = qos.TrustDSCP
	o.Edge.QoS.DSCP[8] = 1
	o.Edge.PFC = model.PFCSettings{Priorities: 1 << 1, XOff: 128, XOn: 64, Headroom: 384, Rate: testRate}
	return o
}

// fast returns a stream on VC 1 at the line rate.
func fast(b *Bench, from *End, id uint8, frames uint64) *Stream {
	const size = 1000
	return &Stream{
		ID: id, From: from, To: b.B, Frames: frames, Size: size, DSCP: 8, Class: 1,
		Interval: (size - wire.FCSLen) * 8 / testRate * 1e9,
	}
}

func whole(t *testing.T, s *Stream) {
	t.Helper()
	if s.Delivered != s.Frames || s.Duplicated+s.Reordered+s.Damaged != 0 {
		t.Errorf("stream %d: sent %d, delivered %d, %d doubled, %d out of order, %d damaged",
			s.ID, s.Sent, s.Delivered, s.Duplicated, s.Reordered, s.Damaged)
	}
}

// A host that stops a priority stops the host at the other end, too; both go on when the stop ends.
func TestStopReachesTheOtherHost(t *testing.T) {
	b := up(t, lossless())
	b.Stop(b.B, 1<<1)
	s := fast(b, b.A, 1, 3000)
	b.Carry(s)
	if s.Delivered != 0 || b.A.Host.Paused(b.Now()) != 1<<1 || s.Sent == s.Frames {
		t.Errorf("delivered %d, sent %d, paused %b", s.Delivered, s.Sent, b.A.Host.Paused(b.Now()))
	}
	if b.WaitIdle() {
		t.Error("no credits are in use")
	}
	other := &Stream{ID: 2, From: b.A, To: b.B, Frames: 100, Size: 500}
	b.Carry(other)
	whole(t, other)
	b.Stop(b.B, 0)
	b.Resume(s)
	whole(t, s)
	if !b.WaitIdle() || b.A.Link().CBFC.VCs[0].Sender.Consumed != 3000 {
		t.Errorf("%+v", b.A.Link().CBFC.VCs[0])
	}
}

// The edge of B has a rate, and a stream does not make up for the time of a stop.
func TestDrain(t *testing.T) {
	o := lossless()
	o.Drain = testRate / 4
	b := up(t, o)
	s := fast(b, b.A, 1, 4000)
	b.Carry(s)
	whole(t, s)
	if got, want := s.FramesPerSecond(), testRate/4/(996*8); math.Abs(got-want) > want/50 {
		t.Errorf("%.0f frames a second, want %.0f", got, want)
	}
	if s.Latency > 2*time.Millisecond {
		t.Errorf("latency %v: it counts from when a frame was to be sent", s.Latency)
	}
}

// Several ends send to one, which is a bridge.
func TestSenders(t *testing.T) {
	o := lossless()
	o.Senders, o.Drain = 3, testRate
	b := up(t, o)
	var streams []*Stream
	for i, e := range b.Senders {
		streams = append(streams, fast(b, e, uint8(i), 1000))
	}
	back := &Stream{ID: 9, From: b.B, To: b.Senders[2], Frames: 100, Size: 300}
	b.Carry(append(streams, back)...)
	for _, s := range streams {
		whole(t, s)
	}
	for i := range b.Senders {
		if rx := b.B.LinkTo(i).LLR.Counters.RxOK; rx < 1000 || rx > 1010 {
			t.Errorf("link %d: %d frames", i, rx)
		}
	}
}

// The frames of a stream have its fields in the right places.
func TestFramesAreClassified(t *testing.T) {
	b := New(Defaults())
	byTag, byDSCP := qos.Map{Trust: qos.TrustDot1p}, qos.Map{Trust: qos.TrustDSCP}
	for i := range byTag.Dot1pDEI {
		byTag.Dot1pDEI[i] = uint8(i)
	}
	for i := range byDSCP.DSCP {
		byDSCP.DSCP[i] = uint8(i % 32)
	}
	for _, v6 := range []bool{false, true} {
		for n := range uint8(64) {
			s := &Stream{
				ID: n, From: b.A, To: b.B, Frames: 10, Size: 86, Tagged: true, PCP: n % 8, DEI: n%3 == 1, V6: v6, DSCP: n,
			}
			s.begin(0)
			f := s.frame(5)
			tag := n % 8 << 1
			if s.DEI {
				tag++
			}
			if got, of := byTag.Class(f), byDSCP.Class(f); got != tag || of != n%32 {
				t.Errorf("PCP %d DEI %v DSCP %d IPv6 %v: %d and %d", s.PCP, s.DEI, n, v6, got, of)
			}
			if id, ok := streamOf(f); !ok || id != n || len(f) < s.least() {
				t.Errorf("a frame of stream %d is of %d, %v", n, id, ok)
			}
		}
	}
}

// A frame of no stream has no stream ID.
func TestFramesOfNoStream(t *testing.T) {
	for n := range 60 {
		f := make([]byte, n)
		if n >= wire.HeaderLen {
			f[12], f[13] = 0x86, 0xDD
		}
		if _, ok := streamOf(f); ok && n < wire.HeaderLen+ipv6Len+udpLen {
			t.Errorf("%d octets are of a stream", n)
		}
	}
}
