package dataplane

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"uelink/dataplane/attach"
	"uelink/dataplane/frame/frametest"
	"uelink/dataplane/model"
	"uelink/llr"
)

// flow has host a send numbered frames, some 1,000 a second, until the result is called.
func (l *linkBed) flow() (end func()) {
	stop, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		var buf [256]byte
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
			}
			if _, err := unix.Write(l.from, frametest.Numbered(buf[:], l.sent)); err != nil {
				l.t.Error(err)
				return
			}
			l.sent++
		}
	}()
	return func() {
		close(stop)
		<-ended
	}
}

// A reload that opens sockets anew costs no frame of a steady flow, at either end of a link: what LLR holds and what
// waits goes on, and what comes meanwhile is caught. The partner sees no restart, and the counters go on.
func TestSocketsAreOpenedAnewWithoutLoss(t *testing.T) {
	l := newLinkBed(t, func(*model.PortSettings) {})
	l.must(unix.SetsockoptInt(int(l.to.Fd()), unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, 16<<20)) // nobody reads during a flow
	l.must(unix.SetNonblock(int(l.to.Fd()), true))
	sent := uint64(0)
	for _, d := range []*Dataplane{l.a, l.b} { // rings for seconds of the flow: the machine may be busy
		l.must(d.Reload(d.changed(func(lnk, edge *model.PortSettings) { lnk.RingSize, edge.RingSize = 1024, 1024 })))
		l.must(d.ClearCounters("")) // a partner that starts first sends when there is no socket yet
	}
	for _, c := range []struct {
		name   string
		change func(lnk, edge *model.PortSettings)
	}{
		{"ring_size of the link", func(lnk, _ *model.PortSettings) { lnk.RingSize = 2048 }},
		{"ring_size of the edge", func(_, edge *model.PortSettings) { edge.RingSize = 2048 }},
		{"smaller rings", func(lnk, edge *model.PortSettings) { lnk.RingSize, edge.RingSize = 1024, 1024 }},
		{"tx_path", func(lnk, edge *model.PortSettings) { lnk.TxPath, edge.TxPath = attach.PathAFXDP, attach.PathLive }},
		{"opener", func(lnk, edge *model.PortSettings) {
			lnk.Opener, edge.Opener = attach.OpenerNative, attach.OpenerNative
		}},
		{"bind", func(lnk, _ *model.PortSettings) { lnk.Bind = attach.BindCopy }},
		{"larger chunks", func(lnk, edge *model.PortSettings) { lnk.ChunkSize, edge.ChunkSize = 4096, 4096 }},
		{"smaller chunks", func(lnk, edge *model.PortSettings) { lnk.ChunkSize, edge.ChunkSize = 2048, 0 }},
		{"generic XDP of the link", func(lnk, _ *model.PortSettings) { lnk.XDP = attach.ModeGeneric }},
		{"generic XDP of the edge", func(_, edge *model.PortSettings) { edge.XDP = attach.ModeGeneric }},
		{"XDP in the driver", func(lnk, edge *model.PortSettings) { lnk.XDP, edge.XDP = attach.ModeDriver, attach.ModeDriver }},
		{"promiscuous", func(lnk, _ *model.PortSettings) { lnk.Promiscuous = model.PromiscuousOn }},
		{"offloads", func(lnk, _ *model.PortSettings) { lnk.Offloads = model.OffloadsLeave }},
	} {
		for _, d := range []*Dataplane{l.a, l.b} {
			end := l.flow()
			l.eventually("a flow", func() bool { return l.state(l.a, "ea").Counters.RxFrames > sent+20 })
			began := time.Now()
			l.must(d.Reload(d.changed(c.change)))
			took := time.Since(began)
			received := l.state(l.a, "ea").Counters.RxFrames
			l.eventually("the flow", func() bool { return l.state(l.a, "ea").Counters.RxFrames > received+20 })
			end()
			t.Logf("%s: %d frames, the reload took %v", c.name, l.sent, took.Round(time.Millisecond))
			l.whole()
			sent, l.sent = sent+l.sent, 0
		}
	}
	for _, d := range []*Dataplane{l.a, l.b} {
		for _, st := range d.Ports() {
			if rx, tx := st.Dropped(); rx+tx > 0 {
				t.Errorf("%s: %d and %d frames count as dropped: %+v", st.Name, rx, tx, st.Counters)
			}
			if st.LLR != nil && (st.LLR.Counters.PartnerRestart > 0 || st.LLR.TxStatus != llr.TxAdvance) {
				t.Errorf("%s: %+v", st.Name, st.LLR)
			}
		}
	}
	if st := l.state(l.a, "ea"); st.Counters.RxFrames != sent || st.Counters.TxKicks > 1<<40 || st.RingSize != 1024 {
		t.Errorf("the edge has received %d frames of %d, %+v", st.Counters.RxFrames, sent, st)
	}
}

// A dialect, an encapsulation or a partner that a reload changes has the link begin anew, and nothing else: the edge
// keeps its sockets, and the counters of the link go on.
func TestALinkThatBeginsAnewKeepsItsCounters(t *testing.T) {
	l := newLinkBed(t, func(*model.PortSettings) {})
	for _, change := range []func(lnk, _ *model.PortSettings){
		func(lnk, _ *model.PortSettings) { lnk.Dialect = lnk.Dialect.Other() },
		func(lnk, _ *model.PortSettings) { lnk.Encapsulation = model.Addressed },
		func(lnk, _ *model.PortSettings) { lnk.Partner[0] = 2 }, // nobody's: the link does not come up
	} {
		l.send(20)
		l.whole()
		l.sent = 0
		edge := l.identity(l.a)[1]
		before := l.state(l.a, "la")
		for _, d := range []*Dataplane{l.a, l.b} {
			l.must(d.Reload(d.changed(change)))
		}
		if now := l.identity(l.a)[1]; now != edge {
			t.Errorf("the edge was %+v, and is %+v", edge, now)
		}
		now := l.state(l.a, "la")
		if now.Counters.TxFrames < before.Counters.TxFrames || now.LLR.Counters.TxOK < before.LLR.Counters.TxOK {
			t.Errorf("%+v, %+v before", now.Counters, before.Counters)
		}
		if l.a.settings.Ports[0].Partner[0] == 0 {
			l.eventually("LLR", func() bool {
				return l.state(l.a, "la").LLR.TxStatus == llr.TxAdvance && l.state(l.b, "lb").LLR.TxStatus == llr.TxAdvance
			})
		}
	}
}

// A reload that fails when the sockets are opened, which nobody could have looked up, is taken back: the port is there
// again with the settings of before, what it counted before goes on, and frames cross.
func TestReloadThatFailsIsTakenBack(t *testing.T) {
	l := newLinkBed(t, func(*model.PortSettings) {})
	l.send(20)
	l.whole()
	l.sent = 0
	err := l.a.Reload(l.a.changed(func(lnk, _ *model.PortSettings) { lnk.RingSize = 63 })) // no power of two
	if err == nil {
		t.Fatal("the reload was accepted")
	}
	l.eventually("LLR", func() bool {
		st := l.state(l.a, "la")
		return st.LLR.TxStatus == llr.TxAdvance && st.OperStatus == model.OperUp && st.RingSize == 64 && st.Fault == ""
	})
	l.send(20)
	l.whole()
	if st := l.state(l.a, "ea"); st.Counters.RxFrames != 40 {
		t.Errorf("the edge has received %d frames of 40", st.Counters.RxFrames)
	}
}
