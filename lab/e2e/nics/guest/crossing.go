package guest

import (
	"errors"
	"fmt"
	"time"

	"uelink/internal/netns"
)

// Two guests with a NIC each have a link across a wire of the host. Each daemon has a veth for its host:
//
//	client: TCP, UDP ── uelink0 ── uelinkd ── eth0 ~ wire ~ eth0 ── uelinkd ── uelink0 ── server: echo
//
// First the wire is clean, then it loses frames.

// Kinds of conversation.
const (
	requests  = "TCP requests"
	datagrams = "UDP pings"
	stream    = "TCP stream"
)

// Wires.
const (
	cleanWire = "clean wire"
	lossyWire = "lossy wire"
)

// Bounds of a conversation, which ends at the first bound reached: the number for its kind, or the time talkBound.
const (
	talkMost   = 3000     // TCP requests
	pingMost   = 1000     // datagrams
	streamMost = 16 << 20 // octets of a stream
	talkBound  = 30 * time.Second
)

// serverAddress is the address of the server's end of the link.
const serverAddress = "10.0.0.2"

// joinLink moves the guest's NIC into a new namespace and starts a daemon on it, whose host has address
// 10.0.0.number.
func (s *session) joinLink(name string, number int) (*daemon, error) {
	ns, err := netns.New(name)
	if err != nil {
		return nil, err
	}
	n := &nic{name: "a", mac: s.task.MACs[0], home: ns, as: "eth0"}
	if err := n.place(); err != nil {
		return nil, err
	}
	d := hosted(name, ns, number, s.task)
	return d, d.start()
}

// server runs the script of the guest that echoes TCP data and datagrams, until the host tells it to end. It returns
// an error if LLR does not run then.
func (s *session) server() error {
	d, err := s.joinLink("B", 2)
	if err != nil {
		return err
	}
	if err := serveEcho(d.ns); err != nil {
		return err
	}
	if err := s.receive(&Reply{}); err != nil {
		return err
	}
	if problem := d.advances(); problem != "" {
		return fmt.Errorf("at the end: %s\n%q", problem, d.log.tail(20))
	}
	return nil
}

// client runs the script of the guest that holds conversations with the server: first over the clean wire, and then
// over a lossy wire. Between them the guest asks the host to make the wire lossy.
func (s *session) client() error {
	d, err := s.joinLink("A", 1)
	if err != nil {
		return err
	}
	if err := within(2*establishment, "LLR", d.advances); err != nil {
		return fmt.Errorf("%w\n%q", err, d.log.tail(20))
	}
	b := &bed{hostA: d.ns, a: d}
	settings, err := b.settings()
	if err != nil {
		return err
	}
	s.send(Message{Bed: settings})
	clean, err := s.conversations(b, cleanWire, nil)
	if err != nil {
		return err
	}
	if err := s.ask(AskBadWire, "a"); err != nil {
		return err
	}
	if err := within(establishment, "LLR on the lossy wire", d.advances); err != nil {
		return err
	}
	_, err = s.conversations(b, lossyWire, clean)
	return err
}

// conversations holds one conversation with the server of each kind (requests, datagrams, a stream) over the present
// wire, and reports each result. wire is the name of the wire in the results. clean is the results over the clean wire,
// with which conversations compares its results, or nil. It returns the results by kind.
func (s *session) conversations(b *bed, wire string, clean map[string]*Echo) (map[string]*Echo, error) {
	all := map[string]*Echo{}
	if err := warmUp(b.hostA); err != nil {
		return nil, err
	}
	for _, kind := range []string{requests, datagrams, stream} {
		c := Cell{Fault: kind + ", " + wire, Outcome: Clean}
		var err error
		if c.Echo, err = converse(b.hostA, kind); err == nil {
			err = c.Echo.comparedWith(clean[kind])
		}
		if all[kind] = c.Echo; err != nil {
			c.Outcome, c.Why, c.Log = Failed, err.Error(), b.a.log.tail(60)
		}
		if p, err := b.a.link(); err == nil {
			c.Notice = fmt.Sprintf("LLR has sent %d frames again", p.LLR.Counters.TxReplay)
		}
		s.send(Message{Cell: &c})
	}
	return all, nil
}

// warmUp sends datagrams to the server until one is answered: from then on both ends know each other's MAC address.
func warmUp(ns *netns.NS) error {
	p, err := ping(ns, serverAddress, 10, establishment)
	if err == nil && p.lost == p.sent {
		err = errors.New("the server answers no datagram")
	}
	return err
}

// converse holds one conversation of a kind (requests, datagrams or a stream) with the server, and returns counts of
// answers, losses and retransmissions.
func converse(ns *netns.NS, kind string) (e *Echo, err error) {
	e = &Echo{}
	switch kind {
	case requests:
		err = e.request(ns)
	case datagrams:
		var p pinged
		p, err = ping(ns, serverAddress, pingMost, talkBound)
		e.Answers, e.Lost, e.Stall = p.sent-p.lost, p.lost, seconds(p.slowest)
	case stream:
		e.Octets, e.Resent, err = bulk(ns, serverAddress, streamMost, talkBound)
	}
	return e, err
}

// request sends small TCP requests to the server, each after the answer to the previous one, and stores the number of
// answers, the longest wait and the retransmissions in e.
func (e *Echo) request(ns *netns.NS) error {
	t, err := talkTo(ns, serverAddress, 0)
	if err != nil {
		return err
	}
	var stall time.Duration
	for began := time.Now(); time.Since(began) < talkBound && e.Answers < talkMost && err == nil; {
		time.Sleep(100 * time.Millisecond)
		var n uint64
		n, longest, broken := t.collect()
		e.Answers, stall, err = e.Answers+n, max(stall, longest), broken
	}
	e.Stall = seconds(stall)
	both, ended := t.end()
	e.Resent = both
	return errors.Join(err, ended)
}

// seconds returns a duration in seconds, as reports have it, rounded to milliseconds.
func seconds(d time.Duration) float64 { return d.Round(time.Millisecond).Seconds() }

// comparedWith returns an error if a datagram was lost, or TCP lost more segments than over the clean wire. clean is
// the result over the clean wire; nil: none. Segments that were retransmitted although the other end had them do not
// count: a slow machine causes these.
func (e *Echo) comparedWith(clean *Echo) error {
	if e.Lost > 0 {
		return fmt.Errorf("%d datagrams were not answered", e.Lost)
	}
	if clean != nil && e.lost() > clean.lost() {
		return fmt.Errorf("TCP lost %d segments, and %d over the clean wire", e.lost(), clean.lost())
	}
	return nil
}
