package lldp_test

import (
	"fmt"
	"math"
	"reflect"
	"testing"

	"uelink/lldp"
	"uelink/wire"
)

func wantTimes(t *testing.T, s *station, want ...wire.Time) {
	t.Helper()
	if got := s.times(); !reflect.DeepEqual(got, want) {
		t.Fatalf("frames at %v seconds, want %v", got, want)
	}
}

// DCBX 2.3.1.1: five frames a second apart, then every msgTxInterval.
func TestTxTimerFiveFastFramesThenEveryInterval(t *testing.T) {
	s := up(macA)
	s.runTo(100)
	wantTimes(t, s, 0, 1, 2, 3, 4, 34, 64, 94)
}

// "Each time LLDP is initialized, such as link up, LLDP enters this fast
// transmission mode."
func TestTxTimerLinkUpIsFastAgain(t *testing.T) {
	s := up(macA)
	s.runTo(50)
	s.SetPortEnabled(false)
	s.runTo(70)
	s.SetPortEnabled(true)
	s.runTo(80)
	wantTimes(t, s, 0, 1, 2, 3, 4, 34, 70, 71, 72, 73, 74)
}

func TestTxTimerNewNeighbourFastStart(t *testing.T) {
	s := up(macA)
	s.runTo(50)
	s.hear(frameB())
	s.runTo(90)
	wantTimes(t, s, 0, 1, 2, 3, 4, 34, 50, 51, 52, 53, 83)
}

func TestTxTimerNewNeighbourWhileFastLengthensIt(t *testing.T) {
	s := up(macA)
	s.runTo(2)
	s.hear(frameB())
	s.runTo(20)
	wantTimes(t, s, 0, 1, 2, 2, 3, 4, 5)
}

// DCBX 2.3.1.1: the first five are a second apart, also where a new neighbour, for which fewer are sent, comes during
// them: its LLDPDU is one of the five.
func TestTxTimerNewNeighbourWhileFastDoesNotShortenIt(t *testing.T) {
	for fast := 1; fast <= 4; fast++ {
		s := newStation(macA)
		timers := lldp.DefaultTimers()
		timers.TxFastInit = fast
		s.SetTimers(timers)
		s.SetPortEnabled(true)
		s.poll()
		s.hear(frameB())
		s.runTo(40)
		wantTimes(t, s, 0, 0, 1, 2, 3, 33)
	}
}

func TestTxTimerLocalChangeIsSentAtOnce(t *testing.T) {
	s := up(macA)
	s.runTo(40)
	s.LocalChange()
	s.poll()
	s.runTo(71)
	wantTimes(t, s, 0, 1, 2, 3, 4, 34, 40, 70)
}

// txCredit: a burst of txCreditMax, then one a second.
func TestTxTimerCredit(t *testing.T) {
	s := up(macA)
	s.runTo(60)
	s.frames = nil
	for range 20 {
		s.LocalChange()
		s.poll()
		s.now += second / 100
	}
	s.runTo(62)
	if n := len(s.frames); n != 6 {
		t.Fatalf("%d frames in two seconds of change, want the burst of 5 and one for the second that passed: %v", n,
			s.times())
	}
	for range 100 {
		s.LocalChange()
		s.poll()
		s.now += second / 10
		s.poll()
	}
	if n := len(s.frames); n < 15 || n > 17 {
		t.Fatalf("%d frames, want one a second from then on", n-6)
	}
}

// A credit of one is the txDelay of DCBX, 2.3.1.1: whatever changes, LLDPDUs are at
// least a second apart, and none is missing that long.
func TestTxTimerOneCreditIsTxDelay(t *testing.T) {
	s := up(macA)
	timers := lldp.DefaultTimers()
	timers.TxCreditMax = 1
	s.SetTimers(timers)
	s.runTo(60)
	s.frames = nil
	at := []wire.Time{}
	for range 1000 {
		s.LocalChange()
		before := len(s.frames)
		s.poll()
		if len(s.frames) > before {
			at = append(at, s.now)
		}
		s.now += second / 100
	}
	for i := 1; i < len(at); i++ {
		if d := at[i].Sub(at[i-1]); d < second || d > second+second/50 {
			t.Fatalf("LLDPDU %d comes %d ms after the one before", i, d/1_000_000)
		}
	}
	if len(at) != 10 {
		t.Errorf("%d LLDPDUs in ten seconds of change", len(at))
	}
}

func TestTxTimerParameters(t *testing.T) {
	for _, c := range []struct {
		timers lldp.Timers
		want   string
		ttl    uint16
	}{
		{lldp.Timers{TxInterval: 5, TxHold: 2, FastTx: 1, TxFastInit: 1, ReinitDelay: 1, TxCreditMax: 5}, "[0 1 2 3 4 9 14 19]", 11},
		{lldp.Timers{TxInterval: 10, TxHold: 10, FastTx: 2, TxFastInit: 8, ReinitDelay: 1, TxCreditMax: 1}, "[0 2 4 6 8 18]", 101},
		{lldp.Timers{TxInterval: 3600, TxHold: 10, FastTx: 3600, TxFastInit: 8, ReinitDelay: 10, TxCreditMax: 10}, "[0]", 36001},
	} {
		s := &station{Agent: lldp.NewAgent(lldp.Config{Destination: lldp.NearestBridge, Timers: c.timers}, lldp.RxTx,
			localOf(macA, "eth0"))}
		if err := c.timers.Validate(); err != nil {
			t.Error(err)
		}
		s.SetPortEnabled(true)
		s.poll()
		s.runTo(20)
		if got := fmt.Sprint(s.times()); got != c.want {
			t.Errorf("%+v: %s, want %s", c.timers, got, c.want)
		}
		if got := pduOf(t, s.frames[0].frame).TTL; got != c.ttl {
			t.Errorf("%+v: TTL %d, want %d", c.timers, got, c.ttl)
		}
	}
}

func TestTxTimerSetTimersWhileRunning(t *testing.T) {
	s := up(macA)
	s.runTo(40)
	p := lldp.DefaultTimers()
	p.TxInterval = 5
	s.SetTimers(p)
	s.runTo(51)
	wantTimes(t, s, 0, 1, 2, 3, 4, 34, 40, 45, 50)
	if ttl := pduOf(t, s.frames[6].frame).TTL; ttl != 21 {
		t.Errorf("TTL %d", ttl)
	}
}

// TX_SHUTDOWN_FRAME and txShutdownWhile.
func TestTxShutdownAndReinit(t *testing.T) {
	s := up(macA)
	s.runTo(10)
	s.SetAdminStatus(lldp.Off)
	s.poll()
	wantTimes(t, s, 0, 1, 2, 3, 4, 10)
	last := s.frames[5].frame
	want := append(append(lldp.NearestBridge[:], macA[:]...),
		unhex(t, "88cc 020704 02000000000a 040505 65746830 06020000 0000")...)
	for len(want) < 60 {
		want = append(want, 0)
	}
	if !reflect.DeepEqual(last, want) {
		t.Errorf("shutdown frame\n% X, want\n% X", last, want)
	}
	if s.TxState() != lldp.TxShutdownFrame {
		t.Error(s.TxState())
	}
	s.runTo(11)
	s.SetAdminStatus(lldp.RxTx)
	s.runTo(20)
	wantTimes(t, s, 0, 1, 2, 3, 4, 10, 12, 13, 14, 15, 16)
	if n := s.Counters().Tx; n.TotalFrames != 11 || n.Shutdowns != 1 {
		t.Errorf("%+v", n)
	}
}

func TestTxOffStaysOff(t *testing.T) {
	s := up(macA)
	s.SetAdminStatus(lldp.Off)
	s.runTo(100)
	wantTimes(t, s, 0, 0)
	if s.TxState() != lldp.TxInitialize || s.Deadline() != wire.Never {
		t.Errorf("%v, deadline %d", s.TxState(), s.Deadline())
	}
}

// An agent that never sent does not say good-bye (openlldp issues 68 and 69).
func TestTxRxOnlySendsNothing(t *testing.T) {
	s := newStation(macA)
	s.SetAdminStatus(lldp.RxOnly)
	s.SetPortEnabled(true)
	s.poll()
	s.hear(frameB())
	s.runTo(100)
	s.SetAdminStatus(lldp.Off)
	s.runTo(200)
	wantTimes(t, s)
}

func TestTxRxOnlyAfterTxSaysGoodBye(t *testing.T) {
	s := up(macA)
	s.SetAdminStatus(lldp.RxOnly)
	s.runTo(10)
	wantTimes(t, s, 0, 0)
	if !pduOf(t, s.frames[1].frame).Shutdown() {
		t.Error("no shutdown LLDPDU")
	}
}

func TestTxPortDownSendsNothing(t *testing.T) {
	s := up(macA)
	s.SetPortEnabled(false)
	s.SetAdminStatus(lldp.Off)
	s.runTo(100)
	wantTimes(t, s, 0)
}

// 802.1AB: a shutdown LLDPDU before the MSAP changes.
func TestTxNewIdentity(t *testing.T) {
	s := up(macA)
	s.runTo(10)
	s.SetLocal(localOf(macA, "eth7"))
	s.poll()
	if p := pduOf(t, s.frames[5].frame); !p.Shutdown() || p.Port.String() != "eth0" {
		t.Errorf("%v TTL %d", p.Port, p.TTL)
	}
	if s.Local().Port.String() != "eth0" {
		t.Error("the new identity is in use before reinitDelay")
	}
	s.runTo(20)
	wantTimes(t, s, 0, 1, 2, 3, 4, 10, 12, 13, 14, 15, 16)
	if p := pduOf(t, s.frames[6].frame); p.Shutdown() || p.Port.String() != "eth7" {
		t.Errorf("%v TTL %d", p.Port, p.TTL)
	}
}

func TestTxNewIdentityTakenBack(t *testing.T) {
	s := up(macA)
	s.runTo(10)
	s.SetLocal(localOf(macA, "eth7"))
	s.SetLocal(localOf(macA, "eth0"))
	s.runTo(20)
	wantTimes(t, s, 0, 1, 2, 3, 4)
}

func TestTxNewIdentityWhileSilent(t *testing.T) {
	s := newStation(macA)
	s.poll()
	s.SetLocal(localOf(macA, "eth7"))
	s.poll()
	if s.Local().Port.String() != "eth7" {
		t.Error("the port is down, nobody knows the old identity")
	}
	s.SetPortEnabled(true)
	s.poll()
	wantTimes(t, s, 0)
}

func TestTxNewDescriptionKeepsIdentity(t *testing.T) {
	s := up(macA)
	s.runTo(10)
	l := localOf(macA, "eth0")
	l.SystemName, l.Source = "renamed", macB
	s.SetLocal(l)
	s.SetLocal(l)
	s.runTo(20)
	wantTimes(t, s, 0, 1, 2, 3, 4, 10)
	p := pduOf(t, s.frames[5].frame)
	if string(p.SystemName) != "renamed" || p.Shutdown() {
		t.Errorf("%q TTL %d", p.SystemName, p.TTL)
	}
}

// A clock that steps neither floods nor silences the agent, whichever way.
func TestClockSteps(t *testing.T) {
	s := up(macA)
	s.runTo(40)
	s.hear(frameB())
	s.runTo(50)
	base := len(s.frames)
	s.now = -1000 * second
	s.poll()
	if d := s.Deadline().Sub(s.now); d <= 0 || d > 30*second {
		t.Fatalf("after a step back the next deadline is in %d s", d/second)
	}
	s.runTo(-900)
	if n := len(s.frames) - base; n < 3 || n > 4 {
		t.Errorf("%d frames in the 100 s after a step back", n)
	}
	s.hear(frameB())
	s.now = math.MaxInt64 / 2
	s.poll()
	if len(s.neighbors()) != 0 {
		t.Error("a neighbour outlived an eternity")
	}
	base = len(s.frames)
	s.runTo(int(s.now/second) + 100)
	if n := len(s.frames) - base; n < 3 || n > 4 {
		t.Errorf("%d frames in the 100 s after a step forward", n)
	}
	s.now = math.MinInt64
	s.poll()
	s.now = math.MaxInt64 - 200*second
	s.poll()
}

// The same local system data again is no change; any other is.
func TestTxSetLocalSendsOnlyChanges(t *testing.T) {
	full := func() lldp.Local {
		l := localOf(macA, "eth0")
		l.Management = []lldp.Management{{Family: 1, Address: []byte{10, 0, 0, 1}}}
		l.Custom = []lldp.Org{{OUI: lldp.OUI{1, 2, 3}, Subtype: 1, Info: []byte("x")}}
		return l
	}
	for want, change := range map[int][]func(*lldp.Local){
		0: {func(*lldp.Local) {}},
		1: {
			func(l *lldp.Local) { l.SystemDescription = "other" },
			func(l *lldp.Local) { l.Management[0].Address[3]++ },
			func(l *lldp.Local) { l.Management = nil },
			func(l *lldp.Local) { l.Custom[0].Info[0]++ },
			func(l *lldp.Local) { l.HasCapabilities = true },
		},
	} {
		for i, f := range change {
			s := up(macA)
			s.SetLocal(full())
			s.runTo(20)
			before := len(s.frames)
			l := full()
			f(&l)
			s.SetLocal(l)
			s.poll()
			if n := len(s.frames) - before; n != want {
				t.Errorf("change %d: %d frames, want %d", i, n, want)
			}
		}
	}
}
