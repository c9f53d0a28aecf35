package vnet

import (
	"bytes"
	"testing"

	"uelink/dataplane/segment"
)

// TestProtocolWithoutSuperFrames: where the kernel refuses super-frames of UDP, as before Linux 6.2, datagrams leave
// one by one and segments of TCP together, all in order; and the other way round.
func TestProtocolWithoutSuperFrames(t *testing.T) {
	e := newEnd(t, 1)
	next := e.capture(t)
	segments, datagrams := framesOf(t, false), framesOf(t, true)
	for _, c := range []struct {
		loneTCP, loneUDP bool
		want             uint64 // super-frames
	}{{false, false, 2}, {false, true, 1}, {true, false, 1}, {true, true, 0}} {
		e.device.loneTCP, e.device.loneUDP = c.loneTCP, c.loneUDP
		before := e.device.Counts().TxSuper
		e.post(datagrams)
		e.post(segments)
		must(t, e.device.Kick())
		if n := e.device.Counts().TxSuper - before; n != c.want {
			t.Errorf("%+v: %d super-frames", c, n)
		}
		// A super-frame comes whole to a packet socket.
		for i, frames := range [][][]byte{datagrams, segments} {
			var want, got []byte
			for n, f := range frames {
				want = append(want, f[payloadAt[i]:]...)
				if alone := []bool{c.loneUDP, c.loneTCP}[i]; n == 0 || alone {
					f := next()
					got = append(got, f[min(len(f), payloadAt[i]):]...)
				}
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%+v: %d octets of %d, or others, came", c, len(got), len(want))
			}
		}
	}
}

// payloadAt is where the payload of the test's datagrams and segments begins, octets.
var payloadAt = [2]int{14 + 20 + 8, 14 + 20 + 32}

// framesOf returns consecutive frames of a flow.
func framesOf(t *testing.T, udp bool) (frames [][]byte) {
	t.Helper()
	super, h := superFrame(false, udp, 0x10, 5000)
	var c segment.Cutter
	must(t, c.Begin(super, h, 1518))
	for n := c.NextLen(); n > 0; n = c.NextLen() {
		f := make([]byte, n)
		c.Next(f)
		frames = append(frames, f)
	}
	return frames
}
