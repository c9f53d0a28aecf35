package path

import (
	"bytes"
	"testing"
	"time"

	"uelink/dataplane/model"
	"uelink/llr"
	"uelink/wire"
)

// pdelay is a Pdelay_Req of IEEE 802.1AS, which has the destination of control frames.
func pdelay() []byte { return to(wire.ControlDA, 0x88, 0xF7, 0x12, 0x02, 0, 54) }

// behindTag puts a priority tag before the EtherType of a frame.
func behindTag(f []byte) []byte {
	return append(append(bytes.Clone(f[:2*wire.AddrLen]), 0x81, 0, 0xE0, 0), f[2*wire.AddrLen:]...)
}

// A frame to the address of control frames that is no control frame crosses as any other frame does: as it is while LLR
// is off or the partner is not known, in a shim afterwards.
func TestTimeSynchronisationCrosses(t *testing.T) {
	for name, mode := range map[string]model.LLRMode{"LLR off": model.LLROff, "partner unknown": model.LLRStatic} {
		for form, f := range map[string][]byte{"plain": pdelay(), "behind a tag": behindTag(pdelay())} {
			o := defaults()
			o.ports.LLR.Mode = mode
			l := newLone(t, o)
			l.give(f)
			if got := l.host.Recv(); !bytes.Equal(got, f) {
				t.Errorf("%s, %s: the host got % x", name, form, got)
			}
			if c := l.l.Port.Counters; c.RxNative != 1 || c.RxNativeDropped != 0 {
				t.Errorf("%s, %s: %d taken, %d dropped", name, form, c.RxNative, c.RxNativeDropped)
			}
		}
	}
	o := defaults()
	o.ports.LLR.Mode = model.LLROff
	if p := newPair(o, 7); !p.crosses(pdelay()) || p.b.l.Port.Counters.RxNative != 1 {
		t.Error("LLR off: it does not cross from host to host")
	}
	if p := up(t, defaults()); !p.crosses(pdelay()) || p.b.l.Port.Counters.RxBare != 1 {
		t.Error("partner known: it does not cross in a shim")
	}
}

// From a partner that shims every frame, and on an addressed link, such a frame is none of the partner's.
func TestTimeSynchronisationOfOthersIsDropped(t *testing.T) {
	l := newLone(t, defaults())
	l.meetPartner()
	l.shims()
	addressed := defaults()
	addressed.ports.Encapsulation = model.Addressed
	for name, l := range map[string]*lone{"partner shims": l, "addressed link": newLone(t, addressed)} {
		l.give(pdelay(), behindTag(pdelay()))
		if f := l.host.Recv(); f != nil {
			t.Errorf("%s: the host got % x", name, f)
		}
		if n := l.l.Port.Counters.RxNativeDropped; n != 2 {
			t.Errorf("%s: %d dropped", name, n)
		}
	}
}

// What is control stays on the link in every mode, also under another EtherType, behind a tag, or damaged.
func TestStrayControlIsNotDelivered(t *testing.T) {
	damaged := control(initFrame)
	damaged[13] ^= 1
	for _, mode := range []model.LLRMode{model.LLROff, model.LLRStatic} {
		for name, f := range map[string][]byte{
			"behind a tag": behindTag(control(initFrame)), "under another EtherType": otherType(), "damaged": damaged,
		} {
			o := defaults()
			o.ports.LLR.Mode = mode
			l := newLone(t, o)
			l.give(f)
			if got := l.host.Recv(); got != nil {
				t.Errorf("LLR %s, %s: the host got % x", mode, name, got)
			}
			if c := l.l.Port.Counters; c.RxNative != 0 || c.RxNativeDropped+c.RxOtherEtherType != 1 {
				t.Errorf("LLR %s, %s: %d taken, %d dropped, %d of another EtherType", mode, name, c.RxNative,
					c.RxNativeDropped, c.RxOtherEtherType)
			}
		}
	}
}

// A bridge on the wire that speaks for itself, to a reserved address, does not end a receiver that retires.
func TestNativeReservedFrameDoesNotEndARetiringReceiver(t *testing.T) {
	for _, c := range []struct {
		frame []byte
		want  llr.RxState
	}{{pdelay(), llr.RxSendAcks}, {to(lacpDA, 0x88, 0x09, 1), llr.RxSendAcks}, {to(unicast, 0x88, 0x99), llr.RxOff}} {
		l := newLone(t, defaults())
		l.meetPartner()
		l.give(shimmed(wire.DialectSeed, wire.Preamble{Seq: 100, Sequenced: true, FCS: true}, false))
		s := l.l.Port.settings
		s.LLR.Local = false
		l.l.configure(s, l.p.o.profile, 2*time.Second, l.p.now)
		l.give(c.frame)
		if got := l.l.LLR.Rx.State(); got != c.want {
			t.Errorf("% x: the receiver is %v, want %v", c.frame[:14], got, c.want)
		}
	}
}
