package hippi

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"uelink/wire"
	"uelink/wire/micropacket"
)

// crossing is a link that carries Ethernet frames from one end to the other.
type crossing struct {
	t    testing.TB
	a, b *Link
	now  wire.Time
}

func newCrossing(t testing.TB) *crossing {
	p := Software()
	p.SULAAllowed, p.VC3 = true, true
	a, b, now := ends(t, p)
	for _, l := range []*Link{a, b} {
		l.agreed, l.offered = true, true // as the heads of frames would say
	}
	return &crossing{t, a, b, now}
}

// send requests the Message of a frame.
func (c *crossing) send(vc uint8, frame []byte) {
	c.t.Helper()
	if err := c.a.TransferRequest(vc, FromFrame(frame), c.now); err != nil {
		c.t.Fatal(err)
	}
}

// take returns the frame that has arrived on a virtual channel, nil if there is none.
func (c *crossing) take(vc uint8, chunk []byte) []byte {
	c.t.Helper()
	i, ok := c.b.TransferIndicate(vc)
	if !ok {
		return nil
	}
	c.b.TransferResponse(vc, c.now)
	n, ok := i.FrameOf(chunk)
	if !ok {
		c.t.Fatalf("status %+v", i.Status)
	}
	return chunk[:n]
}

// cross carries a frame and checks that the same octets leave.
func (c *crossing) cross(frame []byte) {
	c.t.Helper()
	vc, chunk := ChannelOf(len(frame)), make([]byte, len(frame))
	c.send(vc, frame)
	for range 5000 {
		exchange(c.a, c.b, c.now)
		if h, ok := c.b.Arriving(vc); ok {
			if n, ok := FrameLength(h); !ok || n != int64(len(frame)) {
				c.t.Fatalf("length %d, %v, want %d", n, ok, len(frame))
			}
			c.b.AcceptFrame(vc, chunk, c.now)
		}
		if got := c.take(vc, chunk); got != nil {
			if !bytes.Equal(got, frame) {
				c.t.Fatalf("%X becomes %X", frame, got)
			}
			c.a.TransferConfirm(vc)
			return
		}
	}
	c.t.Fatalf("a frame of %d octets does not arrive", len(frame))
}

// randomFrame returns a frame of random octets.
func randomFrame(rng *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	return b
}

// TestFramesCross carries frames of all lengths up to those of jumbo frames on VC0 and VC1, with tags, and with
// lengths of IEEE 802.3.
func TestFramesCross(t *testing.T) {
	c, rng := newCrossing(t), rand.New(rand.NewPCG(1, 1))
	for n := wire.HeaderLen; n <= 2300; n++ {
		c.cross(randomFrame(rng, n))
	}
	for _, n := range []int{9000, 9014, 9018, 16380, wire.HeaderLen + int(LongestMessage(1))} {
		c.cross(randomFrame(rng, n))
	}
	for _, head := range []string{
		"\x81\x00\x20\x05\x08\x00", "\x88\xa8\x00\x01\x81\x00\x00\x02\x86\xdd", "\x00\x2e\xaa\xaa\x03", "\x05\xdc\x42\x42\x03",
		"\x00\x00", "\x05\xff", "\x06\x00", "\xff\xff",
	} {
		f := randomFrame(rng, 200)
		copy(f[2*wire.AddrLen:], head)
		c.cross(f)
	}
	want(t, "events", c.a.Events, Events{})
	want(t, "events", c.b.Events, Events{})
}

func TestChannelOfAFrame(t *testing.T) {
	want(t, "2198 octets", ChannelOf(wire.HeaderLen+2184), 0)
	want(t, "2199 octets", ChannelOf(wire.HeaderLen+2185), 1)
	want(t, "a runt", ChannelOf(0), 0)
}

func TestMessagesThatAreNoFrames(t *testing.T) {
	for _, h := range []micropacket.Head{
		{MLen: 7, SNAP: micropacket.SNAP(0x800)}, {MLen: 100, SNAP: 0xAAAA03_000001_0800}, {MLen: 100},
	} {
		if n, ok := FrameLength(h); ok {
			t.Errorf("%+v: %d octets", h, n)
		}
	}
	i := Indication{Status: Status{ECRC: true}}
	_, ok := i.FrameOf(make([]byte, 100))
	want(t, "frame of a damaged Message", ok, false)
	c := newCrossing(t)
	want(t, "AcceptFrame of nothing", c.b.AcceptFrame(0, make([]byte, 100), c.now), false)
	want(t, "AcceptFrame without room for a header", c.b.AcceptFrame(0, nil, c.now), false)
}

// TestStalledChannelsHoldUpNoOther carries a frame of 16,380 octets (16,366 behind the header: more than a VC buffer)
// on VC1 while nobody takes the frames of the other three virtual channels: their Messages hold credits until there
// are chunks, and nothing is lost. Then VC1 has no chunk while the others go on.
func TestStalledChannelsHoldUpNoOther(t *testing.T) {
	c, rng := newCrossing(t), rand.New(rand.NewPCG(2, 2))
	jumbo := randomFrame(rng, 16380)
	stalled := map[uint8][]byte{0: randomFrame(rng, 2000), 2: randomFrame(rng, 16380), 3: randomFrame(rng, 16380)}
	for vc, f := range stalled {
		c.send(vc, f)
	}
	for range 100 {
		exchange(c.a, c.b, c.now)
	}
	c.cross(jumbo)
	want(t, "credit of VC2 while it stalls", c.a.src.Credit(2), 0)
	for vc, f := range stalled {
		chunk := make([]byte, len(f))
		want(t, "AcceptFrame", c.b.AcceptFrame(vc, chunk, c.now), true)
		exchange(c.a, c.b, c.now)
		if got := c.take(vc, chunk); !bytes.Equal(got, f) {
			t.Errorf("VC%d: %d octets arrive of %d", vc, len(got), len(f))
		}
		c.a.TransferConfirm(vc)
	}
	c.send(1, jumbo)
	exchange(c.a, c.b, c.now)
	want(t, "credit of VC1 while it stalls", c.a.src.Credit(1), 0)
	for range 100 {
		c.cross(randomFrame(rng, 1000))
	}
	chunk := make([]byte, len(jumbo))
	c.b.AcceptFrame(1, chunk, c.now)
	exchange(c.a, c.b, c.now)
	if got := c.take(1, chunk); !bytes.Equal(got, jumbo) {
		t.Errorf("VC1: %d octets arrive of %d", len(got), len(jumbo))
	}
	for vc := range uint8(VCs) {
		want(t, "credit at rest", c.a.src.Credit(vc), MaxCredits)
	}
	want(t, "events", c.b.Events, Events{})
}

// TestShortFramePassesAJumboFrame sends a short frame on VC0 behind a jumbo frame on VC1: the short one arrives first.
func TestShortFramePassesAJumboFrame(t *testing.T) {
	c, rng := newCrossing(t), rand.New(rand.NewPCG(3, 3))
	jumbo, short := randomFrame(rng, 9000), randomFrame(rng, 100)
	c.send(1, jumbo)
	c.send(0, short)
	chunk := make([]byte, 100)
	for n := 1; ; n++ {
		var m micropacket.Micropacket
		if !c.a.Transmit(c.now, &m) {
			t.Fatal("the frame does not arrive")
		}
		c.b.Receive(c.now, &m, Whole)
		c.b.AcceptFrame(0, chunk, c.now)
		if got := c.take(0, chunk); got != nil {
			want(t, "the same octets", bytes.Equal(got, short), true)
			if n > 2*4 { // by turns with VC1
				t.Errorf("the short frame arrives with micropacket %d", n)
			}
			return
		}
	}
}

// FuzzFrames carries frames of any octets.
func FuzzFrames(f *testing.F) {
	f.Add([]byte("\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x81\x00\x00"))
	c := newCrossing(f)
	f.Fuzz(func(t *testing.T, frame []byte) {
		if len(frame) < wire.HeaderLen || len(frame) > 60_000 {
			return
		}
		c.t = t
		c.cross(frame)
	})
}
