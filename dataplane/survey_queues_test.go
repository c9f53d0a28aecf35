package dataplane

import (
	"slices"
	"strings"
	"testing"

	"github.com/vishvananda/netlink"

	"uelink/dataplane/attach"
	"uelink/dataplane/model"
	"uelink/llr"
)

// fourQueues makes the veth of the links anew, with four queues at each end.
func (l *linkBed) fourQueues() {
	l.t.Helper()
	l.must(netlink.LinkDel(l.link("la")))
	attrs := netlink.LinkAttrs{Name: "la", NumTxQueues: 4, NumRxQueues: 4}
	l.must(netlink.LinkAdd(&netlink.Veth{LinkAttrs: attrs, PeerName: "lb", PeerNumTxQueues: 4, PeerNumRxQueues: 4}))
	for _, name := range []string{"la", "lb"} {
		l.must(netlink.LinkSetUp(l.link(name)))
	}
	l.a.reconcile()
	l.b.reconcile()
}

// on is the queues that the port of a data plane has sockets on, the one that frames leave by first.
func (l *linkBed) on(d *Dataplane, port string) []int {
	l.t.Helper()
	s := l.state(d, port).Sockets
	if s == nil {
		return nil
	}
	return append([]int{s.TxQueue}, s.RxQueues...)
}

// A reload that names other queues has the sockets opened there, and what LLR holds comes across.
func TestReloadMovesTheSocketsToOtherQueues(t *testing.T) {
	l := newLinkBed(t, func(*model.PortSettings) {})
	l.fourQueues()
	l.eventually("LLR", func() bool {
		l.a.reconcile()
		l.b.reconcile()
		return l.state(l.a, "la").LLR.TxStatus == llr.TxAdvance
	})
	if queues := l.on(l.a, "la"); !slices.Equal(queues, []int{0, 0, 1, 2, 3}) {
		t.Fatalf("the sockets are on %d", queues)
	}
	events, end := l.a.Subscribe()
	defer end()
	goOn := l.holdFrames(40)
	move := func(queues []int, leaves attach.TxQueue) error {
		s := l.a.settings
		s.Ports = slices.Clone(s.Ports)
		s.Ports[0].Queues, s.Ports[0].TxQueue = attach.QueuesOf(queues), leaves
		return l.a.Reload(s)
	}
	l.must(move([]int{1, 3}, attach.TxQueue{Given: true, Number: 3}))
	if queues := l.on(l.a, "la"); !slices.Equal(queues, []int{3, 1, 3}) {
		t.Errorf("the sockets are on %d", queues)
	}
	l.expectEvent(events, model.EventNotice, "the sockets are reopened, on the RX queues 1, 3: frames leave by queue 3")
	for text, wrong := range map[string][]int{"queues: 4, but the interface has 4 RX queues": {4},
		"tx_queue: 3, but sockets are on the queues 0-1": {0, 1}} {
		if err := move(wrong, attach.TxQueue{Given: true, Number: 3}); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("queues %d: %v", wrong, err)
		}
		if queues := l.on(l.a, "la"); !slices.Equal(queues, []int{3, 1, 3}) {
			t.Errorf("after a reload that is refused the sockets are on %d", queues)
		}
	}
	if n := l.waiting(); n != 40 { // on a busy machine the first replay begins before LLR has all of them
		t.Errorf("LLR has %d frames, or they wait for it", n)
	}
	l.must(move(nil, attach.TxQueue{})) // b sends by its first queue
	goOn()
	l.send(20)
	l.whole()
	if c := l.state(l.a, "la").LLR.Counters; c.TxFlush+c.TxReinit+c.TxFlushedFrames != 0 {
		t.Errorf("%+v", c)
	}
}
