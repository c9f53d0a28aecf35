package e2e

import (
	"fmt"
	"slices"
	"testing"

	"uelink/control"
	"uelink/netns"
)

// queued returns a topology whose link is a veth with four queues at each end.
func queued(t testing.TB) *topology {
	t.Helper()
	top := newTopology(t)
	must(t, netns.QueuedVeth(top.A, "link0", top.B, "link0", edgeMTU, 4))
	return top
}

// on demands that a link's sockets are on these RX queues, and that frames leave by one of them.
func (d *daemon) on(leaves int, queues ...int) {
	d.t.Helper()
	eventually(d.t, d.name+": the queues", func() string {
		is := d.link()
		if !slices.Equal(is.RxQueues, queues) || is.TxQueue != leaves || is.Queues != len(queues) || is.OperStatus != "up" {
			return fmt.Sprintf("%d sockets on %v, frames leave by %d, want %v, %d", is.Queues, is.RxQueues, is.TxQueue, queues,
				leaves)
		}
		return ""
	})
}

// A link on two queues of four, neither of them the first, moves to others under load, and back to all: nothing is
// lost. Queues that do not exist are refused, and the link stays as it was.
func TestLinkOnOtherQueuesThanTheFirst(t *testing.T) {
	top := queued(t)
	on := func(keys string) settings {
		s := lossless
		s.link = keys
		return s
	}
	p := top.daemons(on("queues: [1, 3], tx_queue: 3"))
	l := top.load(t, patience)
	for _, d := range []*daemon{p.a, p.b} {
		d.on(3, 1, 3)
	}
	if shown := p.a.tool("port", "link0").succeeds().objects()[0]["tx_queue"]; shown != 3.0 {
		t.Errorf("uelink port shows tx_queue %v", shown)
	}
	p.b.reload(on("queues: [0, 1-2, 3], tx_queue: 3").text(p.b.socket))
	p.b.on(3, 0, 1, 2, 3)
	for keys, said := range map[string]string{
		"queues: [1, 4]":              "link0: queues: 1, 4, but the interface has 4 RX queues, numbered from 0: name others",
		"queues: 0, tx_queue: 4":      "link0: tx_queue: 4, but sockets are on the queues 0-3: name others",
		"queues: [0], tx_queue: 1":    "frames leave by a queue with a socket, and queues names 0",
		"queues: [2, x], tx_queue: 2": "is not an RX queue: write 0 to 1023",
	} {
		p.a.reload(on(keys).text(p.a.socket))
		p.a.on(3, 1, 3)
		p.a.logs(said)
	}
	p.a.reload(on("queues: [2], tx_queue: 2").text(p.a.socket))
	p.a.on(2, 2)
	p.b.reload(on("tx_queue: 2").text(p.b.socket))
	p.b.on(2, 0, 1, 2, 3)
	l.reach(l.least() + 1000)
	nothingLost(t, l.end())
	for _, d := range []*daemon{p.a, p.b} {
		if is := d.link(); is.Fault != "" || len(is.NoSocket) > 0 && d == p.b {
			t.Errorf("%s: fault %q, frames by %v", d.name, is.Fault, is.NoSocket)
		}
	}
	p.noFlush(t)
}

// A partner that sends by a queue without a socket is reported, with the queue, until it sends by another queue.
func TestPartnerSendsByAQueueWithoutASocket(t *testing.T) {
	t.Parallel()
	top := queued(t)
	a := newDaemon(t, top.A, "A", settings{link: "queues: [1, 3]"})
	b := newDaemon(t, top.B, "B", settings{link: "queues: [0, 1]"})
	a.start()
	b.start()
	const said = "frames come by RX queues that have no socket (0), and go to the host's network: the interface has 4 " +
		"RX queues, and sockets are on 1, 3 (queues): name these in queues, too, or have the interface use fewer queues " +
		"(ethtool -L link0)"
	eventually(t, "a fault", func() string {
		if is := a.link(); is.Fault != said || !slices.Equal(is.NoSocket, control.Numbers{0}) || is.Counters.RxNoSocket == 0 {
			return fmt.Sprintf("it is %q, queues %v, rx_no_socket %d", is.Fault, is.NoSocket, is.Counters.RxNoSocket)
		}
		return ""
	})
	b.reload(settings{link: "queues: [0, 1], tx_queue: 1"}.text(b.socket))
	pair{a, b}.advance()
	eventually(t, "the end of the fault", func() string { return a.link().Fault })
	c := top.between()
	c.Frames = 5000
	untouched(t, c)
}
