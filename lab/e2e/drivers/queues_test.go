package drivers

import (
	"fmt"
	"slices"
	"testing"

	"uelink/control/api"
	"uelink/lab/e2e/bed"
)

// A link on two queues of four, neither of them the first, moves to others under load, and back to all: nothing is
// lost. Queues that do not exist are refused, and the link stays as it was.
func TestLinkOnOtherQueuesThanTheFirst(t *testing.T) {
	top := bed.Queued(t)
	on := func(keys string) bed.Settings {
		s := bed.Lossless
		s.Link = keys
		return s
	}
	p := top.Daemons(on("queues: [1, 3], tx_queue: 3"))
	l := top.Load(t, bed.Patience)
	for _, d := range []*bed.Daemon{p.A, p.B} {
		d.OnQueues(3, 1, 3)
	}
	if shown := p.A.Tool("port", "link0").Succeeds().Objects()[0]["tx_queue"]; shown != 3.0 {
		t.Errorf("uelink port shows tx_queue %v", shown)
	}
	p.B.Reload(on("queues: [0, 1-2, 3], tx_queue: 3").Text(p.B.Socket))
	p.B.OnQueues(3, 0, 1, 2, 3)
	for keys, text := range map[string]string{
		"queues: [1, 4]":              "link0: queues: 1, 4, but the interface has 4 RX queues, numbered from 0: name other queues",
		"queues: 0, tx_queue: 4":      "link0: tx_queue: 4, but sockets are on the queues 0-3: name other queues",
		"queues: [0], tx_queue: 1":    "queue 1 has no socket (queues: 0)",
		"queues: [2, x], tx_queue: 2": "is not an RX queue: write 0 to 1023",
	} {
		p.A.Reload(on(keys).Text(p.A.Socket))
		p.A.OnQueues(3, 1, 3)
		p.A.AwaitLogWords(text)
	}
	p.A.Reload(on("queues: [2], tx_queue: 2").Text(p.A.Socket))
	p.A.OnQueues(2, 2)
	p.B.Reload(on("tx_queue: 2").Text(p.B.Socket))
	p.B.OnQueues(2, 0, 1, 2, 3)
	l.Reach(l.Least() + 1000)
	bed.NothingLost(t, l.End())
	for _, d := range []*bed.Daemon{p.A, p.B} {
		if got := d.Link(); got.Fault != "" || len(got.NoSocket) > 0 && d == p.B {
			t.Errorf("%s: fault %q, frames by %v", d.Name, got.Fault, got.NoSocket)
		}
	}
	p.NoFlush(t)
}

// A partner that sends by a queue without a socket is reported, with the queue, until it sends by another queue.
func TestPartnerSendsByAQueueWithoutASocket(t *testing.T) {
	t.Parallel()
	top := bed.Queued(t)
	a := bed.NewDaemon(t, top.A, "A", bed.Settings{Link: "queues: [1, 3]"})
	b := bed.NewDaemon(t, top.B, "B", bed.Settings{Link: "queues: [0, 1]"})
	a.Start()
	b.Start()
	const text = "frames come by RX queues that have no socket (0), and go to the host's network: the interface has 4 " +
		"RX queues, and the sockets are on 1, 3 (key queues): add these RX queues to the key queues, or put the " +
		"sockets on queue 0 and up, and have the interface use only as many queues (ethtool -L)"
	bed.Eventually(t, "a fault", func() string {
		if got := a.Link(); got.Fault != text || !slices.Equal(got.NoSocket, api.Numbers{0}) || got.Counters.RxNoSocket == 0 {
			return fmt.Sprintf("it is %q, queues %v, rx_no_socket %d", got.Fault, got.NoSocket, got.Counters.RxNoSocket)
		}
		return ""
	})
	b.Reload(bed.Settings{Link: "queues: [0, 1], tx_queue: 1"}.Text(b.Socket))
	bed.Pair{A: a, B: b}.Advance()
	bed.Eventually(t, "the end of the fault", func() string { return a.Link().Fault })
	c := top.Between()
	c.Frames = 5000
	bed.Untouched(t, c)
}
