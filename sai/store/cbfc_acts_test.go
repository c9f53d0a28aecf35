package store

import (
	"math"
	"testing"
	"time"

	"uelink/cbfc"
	"uelink/dataplane/model"
	"uelink/dataplane/qos"
	"uelink/lab/simulated"
	"uelink/sai"
)

// The virtual channels under credits in these tests, and the classes and the DSCPs of their frames.
const (
	slowVC = 3
	freeVC = 5
)

// credited returns a world in which SAI has made two virtual channels lossless both ways: the DSCPs 8 and 16 have the
// classes 1 and 2, and these the channels 3 and 5. At A, PFC stops class 1, and B's host stops channel 3 by it. more
// changes the options of the world.
func credited(t *testing.T, more func(*simulated.Options)) (w *world, slow, free [2]sai.OID) {
	t.Helper()
	w = newWorld(t, func(o *simulated.Options) {
		o.Edge.PFC = model.PFCSettings{Priorities: 1<<1 | 1<<slowVC, XOff: 128, XOn: 64, Headroom: 384, Rate: 10e9}
		o.Edge.QoS.Queue = [qos.Classes]uint8{1: 1, 2: 2, slowVC: slowVC, freeVC: freeVC}
		more(o)
	})
	for i, e := range []simulatedEnd{w.a, w.b} {
		e.enable(attr(llrCount, number(255)), attr(llrTimer, number(2_000_000)))
		dscp := e.make(sai.TypeQoSMap, attr(mapType, number(mapDSCP)),
			attr(mapList, sai.Value{Map: []sai.Pair{pair(8, 1), pair(16, 2)}}))
		e.set(e.edge, portDSCP, sai.Value{OID: dscp})
		toVC := e.make(sai.TypeQoSMap, attr(mapType, number(mapTCToVC)),
			attr(mapList, sai.Value{Map: []sai.Pair{pair(1, slowVC), pair(2, freeVC)}}))
		e.set(e.link, portTCToVC, sai.Value{OID: toVC})
		slow[i], free[i] = e.channel(slowVC), e.channel(freeVC)
	}
	w.runs()
	w.lossless(slowVC, freeVC)
	return w, slow, free
}

// channel makes a virtual channel that is enabled both ways.
func (e *simulatedEnd) channel(vc int) sai.OID {
	e.t.Helper()
	return e.make(sai.TypeVC, attr(vcPort, sai.Value{OID: e.link}), attr(vcIndex, number(vc)),
		attr(vcReceiver, truth(true)), attr(vcSender, truth(true)))
}

// state returns the state of a virtual channel at an end.
func state(e *simulated.End, vc int) cbfc.VCState {
	if c := e.Link().CBFC; c != nil {
		for _, v := range c.VCs {
			if v.VC == vc {
				return v
			}
		}
	}
	return cbfc.VCState{}
}

// lossless waits until channels are under credits at both ends, and for the time in which a late CF_Update of before
// the start is ignored.
func (w *world) lossless(vcs ...int) {
	w.t.Helper()
	w.until("the channels are lossless", func() bool {
		for _, vc := range vcs {
			if state(w.A, vc).Phase != cbfc.Lossless || state(w.B, vc).Phase != cbfc.Lossless {
				return false
			}
		}
		return true
	})
	w.Run(12 * time.Millisecond)
}

// on returns a stream of frames with a DSCP, whose class PFC of the edges stops: 1 for the slow channel.
func (w *world) on(dscp, class uint8, frames uint64) *simulated.Stream {
	s := w.stream(frames)
	s.ID, s.DSCP, s.Class = dscp, dscp, class
	return s
}

func (w *world) slow(frames uint64) *simulated.Stream { return w.on(8, 1, frames) }

func (w *world) free(frames uint64) *simulated.Stream { return w.on(16, 2, frames) }

// carried carries a stream, of which nothing may be lost.
func (w *world) carried(s *simulated.Stream) {
	w.t.Helper()
	w.Carry(s)
	if s.Delivered != s.Frames || s.Reordered+s.Duplicated+s.Damaged > 0 {
		w.t.Errorf("sent %d, delivered %d, reordered %d, twice %d", s.Sent, s.Delivered, s.Reordered, s.Duplicated)
	}
}

// near demands a number of messages within a tenth and 2.
func near(t *testing.T, what string, is uint64, want float64) {
	t.Helper()
	if math.Abs(float64(is)-want) > want/10+2 {
		t.Errorf("%s: %d, want about %.0f", what, is, want)
	}
}

// TestCBFCStatisticsMove: each of the 12 statistics of CBFC moves by what it counts.
func TestCBFCStatisticsMove(t *testing.T) {
	w, slow, _ := credited(t, plain)
	w.Stop(w.B, 1<<slowVC)
	s := w.slow(400)
	w.Carry(s)
	used := w.a.stat(slow[0], "SENDER_CREDITS_USED")
	if used == 0 || used != w.a.stat(w.a.link, "CBFC_SENDER_CREDITS_USED") || used != uint64(w.A.Link().CBFC.Used) {
		t.Errorf("%d credits of the stopped channel are in use, and %d of the port", used,
			w.a.stat(w.a.link, "CBFC_SENDER_CREDITS_USED"))
	}
	for _, of := range []struct {
		e    simulatedEnd
		name string
	}{{w.a, "CBFC_NUM_CC_UPDATE_MESSAGES_TX"}, {w.b, "CBFC_NUM_CC_UPDATE_MESSAGES_RX"}} {
		if of.e.stat(of.e.link, of.name) == 0 {
			t.Errorf("%s is 0 while credits are in use", of.name)
		}
	}
	w.Stop(w.B, 0)
	w.Resume(s)
	if !w.WaitIdle() || s.Delivered != 400 {
		t.Fatalf("%d of 400 frames were delivered", s.Delivered)
	}
	for name, of := range map[string]uint64{
		"SENDER_CREDITS_CONSUMED":   w.a.stat(slow[0], "SENDER_CREDITS_CONSUMED"),
		"SENDER_CREDITS_FREED":      w.a.stat(slow[0], "SENDER_CREDITS_FREED"),
		"RECEIVER_CREDITS_CONSUMED": w.b.stat(slow[1], "RECEIVER_CREDITS_CONSUMED"),
		"RECEIVER_CREDITS_FREED":    w.b.stat(slow[1], "RECEIVER_CREDITS_FREED"),
	} {
		if of != 400 { // a frame of 1000 octets is a credit of 2048
			t.Errorf("%s is %d, want 400", name, of)
		}
	}
	if n := w.a.stat(slow[0], "SENDER_CREDITS_USED") + w.a.stat(w.a.link, "CBFC_SENDER_CREDITS_USED"); n != 0 {
		t.Errorf("%d credits are in use at the end", n)
	}
	most := w.a.stat(slow[0], "SENDER_CREDITS_USED_WATERMARK")
	if most < used || most != w.a.stat(w.a.link, "CBFC_SENDER_CREDITS_USED_WATERMARK") {
		t.Errorf("at most %d credits were in use, once %d", most, used)
	}
	sent := w.b.stat(w.b.link, "CBFC_NUM_CF_UPDATE_MESSAGES_TX")
	received := w.a.stat(w.a.link, "CBFC_NUM_CF_UPDATE_MESSAGES_RX")
	if sent == 0 || sent != received {
		t.Errorf("%d CF_Updates sent, %d received", sent, received)
	}
}

// TestCreditSizesAct: the octets of a credit and the overhead of a frame, set at both ends as the attribute of either
// direction, decide how many credits a frame costs at both.
func TestCreditSizesAct(t *testing.T) {
	const frames = 20
	w, slow, _ := credited(t, plain)
	for _, c := range []struct {
		size, overhead     int64
		sizeAt, overheadAt uint32 // of B
		cost               uint64 // of a frame of 1000 octets
	}{
		{128, 0, portReceiverSize, portReceiverOverhead, 8},
		{64, 0, portSenderSize, portSenderOverhead, 16},
		{64, 100, portReceiverSize, portSenderOverhead, 18},
		{512, -16, portReceiverSize, portReceiverOverhead, 2},
	} {
		w.a.set(w.a.link, portSenderSize, number(c.size))
		w.b.set(w.b.link, c.sizeAt, number(c.size))
		w.a.set(w.a.link, portSenderOverhead, number(c.overhead))
		w.b.set(w.b.link, c.overheadAt, number(c.overhead))
		w.lossless(slowVC, freeVC)
		w.carried(w.slow(frames))
		w.WaitIdle()
		sent, received := w.a.stat(slow[0], "SENDER_CREDITS_CONSUMED"), w.b.stat(slow[1], "RECEIVER_CREDITS_CONSUMED")
		if sent != frames*c.cost || received != sent {
			t.Errorf("credits of %d octets, overhead %d: %d and %d credits, want %d", c.size, c.overhead, sent,
				received,
				frames*c.cost)
		}
	}
}

// TestCCMessageTimerActs: while credits are in use, a CC_Update is sent each CBFC_CC_MESSAGE_TIMER.
func TestCCMessageTimerActs(t *testing.T) {
	w, _, _ := credited(t, plain)
	w.Stop(w.B, 1<<slowVC)
	s := w.slow(100)
	w.Begin(s)
	w.Run(time.Millisecond, s)
	for _, timer := range []int64{256, 1000, 5000} { // µs
		w.a.set(w.a.link, portCCTimer, number(timer))
		w.Run(10*time.Millisecond, s) // the timer that runs is the former
		before := w.a.stat(w.a.link, "CBFC_NUM_CC_UPDATE_MESSAGES_TX")
		w.Run(50*time.Millisecond, s)
		n := w.a.stat(w.a.link, "CBFC_NUM_CC_UPDATE_MESSAGES_TX") - before
		near(t, "CC_Updates in 50 ms", n, 50_000/float64(timer))
	}
}

// TestCFSpacingsAct: under load the spacing of CF_Updates is at least CBFC_CF_MIN_SPACING. Of few frames, whose credits
// are less than an eighth of the limit, they are reported after CBFC_CF_MAX_SPACING. Both are octets of the link's
// time, at 10 Gb/s 1.25 in a nanosecond.
func TestCFSpacingsAct(t *testing.T) {
	updates := func(w *world, s ...*simulated.Stream) uint64 {
		before := w.b.stat(w.b.link, "CBFC_NUM_CF_UPDATE_MESSAGES_TX")
		w.Begin(s...)
		w.Run(10*time.Millisecond, s...)
		return w.b.stat(w.b.link, "CBFC_NUM_CF_UPDATE_MESSAGES_TX") - before
	}
	const octets = 12_500_000 // in 10 ms
	w, _, _ := credited(t, plain)
	for _, spacing := range []int64{64 << 10, 128 << 10} { // an eighth of the limit are 32 frames, 32 KiB
		w.b.set(w.b.link, portCFMinSpacing, number(spacing))
		near(t, "CF_Updates under load", updates(w, w.slow(12_500)), octets/float64(spacing))
		w.WaitIdle()
	}
	w.b.set(w.b.link, portCFMinSpacing, number(800))
	for _, spacing := range []int64{64 << 10, 256 << 10} {
		w.b.set(w.b.link, portCFMaxSpacing, number(spacing))
		few, others := w.slow(400), w.stream(2000)
		few.Interval, others.Interval = 25_000, 5000 // 25 µs, and 5 µs, so that the link is never idle
		near(t, "CF_Updates of few frames", updates(w, few, others), octets/float64(spacing))
		w.WaitIdle()
	}
}

// TestMapsAct: frames have the class of DOT1P_TO_TC and DSCP_TO_TC, and go by the channel of TC_TO_VC; also of a map
// that is changed, or left out.
func TestMapsAct(t *testing.T) {
	w, slow, free := credited(t, plain)
	counts := func() [2]uint64 {
		w.WaitIdle()
		return [2]uint64{w.a.stat(slow[0], "SENDER_CREDITS_CONSUMED"), w.a.stat(free[0], "SENDER_CREDITS_CONSUMED")}
	}
	moved := func(what string, s *simulated.Stream, slowly, freely uint64) {
		t.Helper()
		before := counts()
		w.carried(s)
		after := counts()
		if after[0]-before[0] != slowly || after[1]-before[1] != freely {
			t.Errorf("%s: %v frames by the two channels, want %d and %d", what, after, slowly, freely)
		}
	}
	moved("DSCP 8", w.slow(50), 50, 0)
	moved("DSCP 16", w.free(50), 0, 50)
	tagged := func() *simulated.Stream {
		s := w.stream(50)
		s.Tagged, s.PCP = true, 6
		return s
	}
	moved("PCP 6 without a map", tagged(), 0, 0)
	dot1p := w.a.make(sai.TypeQoSMap, attr(mapType, number(mapDot1p)),
		attr(mapList, sai.Value{Map: []sai.Pair{pair(6, 2)}}))
	w.a.set(w.a.edge, portDot1p, sai.Value{OID: dot1p})
	moved("PCP 6 of IP: the DSCP counts", tagged(), 0, 0)
	w.a.set(w.a.edge, portDSCP, sai.Value{})
	moved("PCP 6", tagged(), 0, 50)
	moved("DSCP 8 without a map", w.slow(50), 0, 0)
	w.a.set(dot1p, mapList, sai.Value{Map: []sai.Pair{pair(6, 1)}})
	moved("PCP 6 of a changed map", tagged(), 50, 0)
	toVC := w.a.get(w.a.link, portTCToVC).OID
	w.a.set(toVC, mapList, sai.Value{Map: []sai.Pair{pair(1, freeVC), pair(2, slowVC)}})
	moved("class 1 of a changed map", tagged(), 0, 50)
	w.a.set(w.a.link, portTCToVC, sai.Value{})
	moved("no map of channels", tagged(), 0, 0)
}

// TestPoolAndProfilesAct: a channel that stands still uses the credits that its profile reserves, and of the shared
// ones of its pool those that the mode allows.
func TestPoolAndProfilesAct(t *testing.T) {
	for _, c := range []struct {
		name                         string
		size, reserved, mode, static int64
		want                         uint64
	}{
		{"reserved alone", 120, 20, 0, 0, 20},
		{"a part of the shared", 120, 20, thresholdStatic, 30, 50},
		{"all of the shared", 120, 20, thresholdStatic, 0, 100}, // the other channel reserves 20
		{"a smaller pool", 60, 20, thresholdStatic, 0, 40},
	} {
		w, slow, free := credited(t, plain)
		pool := w.a.make(sai.TypeCreditPool, attr(poolPort, sai.Value{OID: w.a.link}), attr(poolSize, number(c.size)))
		list := []sai.Set{attr(creditPool, sai.Value{OID: pool}), attr(creditReserved, number(c.reserved)),
			attr(creditMode, number(c.mode))}
		if c.mode == thresholdStatic {
			list = append(list, attr(creditStatic, number(c.static)))
		}
		w.a.set(slow[0], vcProfile, sai.Value{OID: w.a.make(sai.TypeCreditProfile, list...)})
		other := w.a.make(sai.TypeCreditProfile, attr(creditPool, sai.Value{OID: pool}),
			attr(creditReserved, number(20)))
		w.a.set(free[0], vcProfile, sai.Value{OID: other})
		w.lossless(slowVC, freeVC)
		w.Stop(w.B, 1<<slowVC)
		w.Carry(w.slow(500))
		if n := w.a.stat(slow[0], "SENDER_CREDITS_USED"); n < c.want-1 || n > c.want {
			t.Errorf("%s: %d credits are in use, want %d", c.name, n, c.want)
		}
		w.carried(w.free(200))
		if shared := w.a.get(pool, poolShared).Number; shared != c.size-c.reserved-20 {
			t.Errorf("%s: SHARED_SIZE is %d", c.name, shared)
		}
	}
}

// TestSenderCreditLimitActs: all channels of a port together use no more credits than SENDER_CREDIT_LIMIT; with 0 each
// has its own limit.
func TestSenderCreditLimitActs(t *testing.T) {
	w, slow, free := credited(t, plain)
	w.carried(w.free(50))
	w.a.set(w.a.link, portSenderLimit, number(50))
	w.lossless(slowVC, freeVC)
	w.Stop(w.B, 1<<slowVC)
	s := w.slow(500)
	w.Carry(s)
	used := func() uint64 { return w.a.stat(w.a.link, "CBFC_SENDER_CREDITS_USED") }
	if n := used(); n != 50 || n != w.a.stat(slow[0], "SENDER_CREDITS_USED") {
		t.Errorf("%d credits are in use, want 50", n)
	}
	others := w.free(10)
	w.Carry(others)
	if others.Delivered != 0 || w.a.stat(free[0], "SENDER_CREDITS_USED") != 0 {
		t.Errorf("the other channel has sent %d frames without credits", others.Delivered)
	}
	w.Stop(w.B, 0)
	w.Resume(s, others)
	if s.Delivered != 500 || others.Delivered != 10 {
		t.Errorf("%d and %d frames were delivered, want 500 and 10", s.Delivered, others.Delivered)
	}
	w.a.set(w.a.link, portSenderLimit, number(0))
	w.lossless(slowVC, freeVC)
	w.Stop(w.B, 1<<slowVC)
	w.Carry(w.slow(500))
	if n := used(); n != grantedFrames {
		t.Errorf("%d credits are in use without a limit of the port, want %d", n, grantedFrames)
	}
	w.carried(w.free(50))
	w.a.refused("a limit below a frame", w.a.SetAttribute(w.a.link, attr(portSenderLimit, number(1))), sai.Failure)
}

// TestChannelEnablesAct: a channel is under credits while the sender's end and the receiver's end are both enabled.
func TestChannelEnablesAct(t *testing.T) {
	w, slow, _ := credited(t, plain)
	consumed := func() uint64 {
		before := w.a.stat(slow[0], "SENDER_CREDITS_CONSUMED")
		w.carried(w.slow(50))
		return w.a.stat(slow[0], "SENDER_CREDITS_CONSUMED") - before
	}
	limit := func() int64 { return w.b.get(slow[1], vcNativeLimit).Number }
	if n := consumed(); n != 50 || limit() != int64(state(w.A, slowVC).Sender.Limit) {
		t.Errorf("%d credits; a limit of %d, and of %d at the sender", n, limit(), state(w.A, slowVC).Sender.Limit)
	}
	w.a.set(slow[0], vcSender, truth(false))
	w.until("no credits", func() bool { return state(w.A, slowVC).Phase == cbfc.BestEffort })
	if n := consumed(); n != 0 {
		t.Errorf("%d credits without CBFC_SENDER_ENABLE", n)
	}
	w.a.set(slow[0], vcSender, truth(true))
	w.lossless(slowVC)
	if n := consumed(); n != 50 {
		t.Errorf("%d credits of a channel that is enabled again", n)
	}
	w.b.set(slow[1], vcReceiver, truth(false))
	w.until("no credits", func() bool { return state(w.A, slowVC).Phase == cbfc.BestEffort })
	if n := consumed(); n != 0 || limit() != 0 {
		t.Errorf("%d credits, and a limit of %d, without CBFC_RECEIVER_ENABLE", n, limit())
	}
}

// TestEachChannelEnablePutsCBFCOn: on a link without CBFC in the configuration, each direction of a channel alone puts
// CBFC on at its end.
func TestEachChannelEnablePutsCBFCOn(t *testing.T) {
	for name, enable := range map[string]uint32{"sender": vcSender, "receiver": vcReceiver} {
		w := newWorld(t, plain)
		w.a.make(sai.TypeVC, attr(vcPort, sai.Value{OID: w.a.link}), attr(vcIndex, number(slowVC)),
			attr(enable, truth(true)))
		if w.A.Link().CBFC == nil || w.B.Link().CBFC != nil {
			t.Errorf("%s: CBFC at A %+v, at B %+v", name, w.A.Link().CBFC, w.B.Link().CBFC)
		}
	}
}

// TestCreditTotalIsRead: the total that an end grants reads at that end as RECEIVER_NATIVE_TOTAL_CREDITS, and at the
// partner as SENDER_CREDIT_LIMIT.
func TestCreditTotalIsRead(t *testing.T) {
	const total = 300
	w, _, _ := credited(t, func(o *simulated.Options) {
		o.Link.CBFC = cbfc.Settings{On: true, Size: cbfc.Size{Credit: 2048}, Total: total,
			CCTimer:      10 * time.Millisecond,
			CFMinSpacing: 6400, CFMaxSpacing: 1 << 18, Timeout: time.Second}
	})
	if is, said := w.b.get(w.b.link, 0xcd).Number, w.a.get(w.a.link, 0xd3).Number; is != total || said != total {
		t.Errorf("B grants %d, and A has %d", is, said)
	}
}
