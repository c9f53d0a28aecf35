package guest

import (
	"errors"
	"fmt"
	"time"

	"github.com/vishvananda/netlink"

	"uelink/internal/netns"
)

// A NIC in use carries an address, a VLAN and TCP connections of the host. A link is started on it, with a veth for
// the host, and the connections must not notice:
//
//	A: TCP ── eth0, eth0.7 ── NIC a ═ wire ═ NIC b ── eth0, eth0.7 ── B: TCP
//	   uelink0 ── uelinkd ── eth0                      eth0 ── uelinkd ── uelink0

// Steps in the life of a link on a NIC in use, in their order.
const (
	stepProgram = "another XDP program on, off" // without uelink: shows what the driver does for any XDP program
	stepStart   = "start"
	stepFrames  = "frames"
	stepDuring  = "settings as with an XDP program"
	stepReload  = "reload"
	stepKill    = "kill -9, start"
	stepStop    = "stop"
	stepAfter   = "settings as before"
)

// stallLimit is how long a host's connection may wait for an answer, unless the driver restarts the NIC.
const stallLimit = time.Second

// inUse is a bed whose NICs the hosts use themselves.
type inUse struct {
	*bed
	session *session
	talks   []*talk
	before  [2][]string   // visible settings of each host's interfaces before any daemon
	program []string      // changes of NIC a's settings by any XDP program, without uelink
	own     time.Duration // longest wait for an answer when the driver restarts the NIC without uelink
}

// inUseStep is a step of the script.
type inUseStep struct {
	name     string
	restarts int // how often the driver restarts a NIC; -1: the step measures how long a restart takes
	do       func(*Cell) error
}

// inUse runs the script of a link on a NIC that the host uses too: step by step it starts, reloads, kills and stops
// daemons, and checks that the host's own connections and settings survive.
func (s *session) inUse() error {
	u, err := s.newInUse()
	if err != nil {
		return err
	}
	if err := u.all([]inUseStep{{stepProgram, -1, u.otherProgram}, {stepStart, 2, u.start}}); err != nil {
		return err
	}
	bed, err := u.settings()
	if err != nil {
		return err
	}
	s.send(Message{Bed: bed})
	err = u.all([]inUseStep{{stepFrames, 0, u.frames}, {stepDuring, 0, u.during}, {stepReload, 0, u.reload},
		{stepKill, 2, u.kill}, {stepStop, 2, u.stop}, {stepAfter, 0, u.after}})
	return errors.Join(err, u.hangUp())
}

// all runs the steps one after the other and sends the result of each to the host. It ends early, with an error, only
// if a step hangs.
func (u *inUse) all(steps []inUseStep) error {
	for _, step := range steps {
		c, err := u.step(step)
		u.session.send(Message{Cell: &c})
		if errors.Is(err, errHung) {
			return fmt.Errorf("%s: %w", step.name, err)
		}
	}
	return nil
}

// newInUse creates two hosts with a NIC each, gives them addresses, and starts connections between them.
func (s *session) newInUse() (*inUse, error) {
	var ns [2]*netns.NS
	var err error
	u := &inUse{bed: &bed{}, session: s}
	for i, name := range []string{"A", "B"} {
		if ns[i], err = netns.New(name); err != nil {
			return nil, err
		}
		u.nics[i] = &nic{name: []string{"a", "b"}[i], mac: s.task.MACs[i], home: ns[i], as: "eth0"}
		if err := errors.Join(u.nics[i].place(), u.nics[i].use(i+1)); err != nil {
			return nil, err
		}
	}
	u.hostA, u.hostB = ns[0], ns[1]
	u.a, u.b = hosted("A", ns[0], 1, s.task), hosted("B", ns[1], 2, s.task)
	if err := serveEcho(u.hostB); err != nil {
		return nil, err
	}
	return u, u.connect()
}

// use makes an interface for VLAN 7 of the NIC, and gives it and the NIC an address of the host each. number is the
// last octet of both.
func (n *nic) use(number int) error {
	err := n.home.Do(func() error {
		parent, err := netlink.LinkByName(n.as)
		if err != nil {
			return err
		}
		attrs := netlink.NewLinkAttrs()
		attrs.Name, attrs.ParentIndex = n.as+".7", parent.Attrs().Index
		return netlink.LinkAdd(&netlink.Vlan{LinkAttrs: attrs, VlanId: 7, VlanProtocol: netlink.VLAN_PROTOCOL_8021Q})
	})
	return errors.Join(err, n.home.SetLink(n.as+".7", true),
		n.home.AddAddr(n.as, fmt.Sprintf("192.0.2.%d/24", number)),
		n.home.AddAddr(n.as+".7", fmt.Sprintf("198.51.100.%d/24", number)))
}

// connect starts two TCP conversations between the hosts over the NIC and two over its VLAN, and stores the present
// settings of the hosts' interfaces for later comparisons.
func (u *inUse) connect() (err error) {
	for _, address := range []string{"192.0.2.2", "192.0.2.2", "198.51.100.2", "198.51.100.2"} {
		t, err := talkTo(u.hostA, address, 10*time.Millisecond)
		if err != nil {
			return err
		}
		u.talks = append(u.talks, t)
	}
	if err := u.awaitAnswers(); err != nil {
		return err
	}
	u.before, err = u.visible()
	return err
}

// visible returns the visible settings of each host's NIC and of its VLAN, as lines.
func (u *inUse) visible() (all [2][]string, err error) {
	for i, n := range u.nics {
		if all[i], err = visible(n.home, n.as, n.as+".7"); err != nil {
			return all, err
		}
	}
	return all, nil
}

// awaitAnswers waits until several more answers have arrived on each of the hosts' connections.
func (u *inUse) awaitAnswers() error {
	for _, t := range u.talks {
		t.mu.Lock()
		from := t.echoes
		t.mu.Unlock()
		if err := within(resumption, "answers over TCP", func() string {
			t.mu.Lock()
			defer t.mu.Unlock()
			if t.err == nil && t.echoes < from+3 {
				return fmt.Sprintf("%d, at first %d", t.echoes, from)
			}
			return ""
		}); err != nil {
			return err
		}
	}
	return nil
}

// step runs one step of the script, waits for answers on the hosts' connections, and returns the result. An answer may
// take as long as the driver needs for the step's restarts of the NIC. A step with restarts below 0 runs without
// uelink, and measures the time of one restart.
func (u *inUse) step(step inUseStep) (Cell, error) {
	c := Cell{Fault: step.name, Echo: &Echo{}}
	err := bounded(func() error { return errors.Join(step.do(&c), u.awaitAnswers()) })
	stall, broken := u.collect(c.Echo)
	err = errors.Join(err, broken)
	own := u.own * time.Duration(step.restarts)
	if step.restarts < 0 {
		u.own, own = stall, stall
	}
	if c.judgeStep(err, stall, own); c.Outcome == Failed {
		c.Log = append(u.a.log.tail(40), u.b.log.tail(40)...)
	}
	return c, err
}

// collect adds to e the answers and retransmissions of the hosts' connections since its last call, and returns the
// longest wait for an answer, and an error for broken connections.
func (u *inUse) collect(e *Echo) (stall time.Duration, err error) {
	for _, t := range u.talks {
		echoes, longest, broken := t.collect()
		now, failed := resent(t.tcp())
		e.Answers, e.Resent = e.Answers+echoes, e.Resent.more(now.since(t.resent))
		stall, t.resent = max(stall, longest), now
		err = errors.Join(err, broken, failed)
	}
	e.Stall = seconds(stall)
	return stall, err
}

// judgeStep sets the outcome of a step, and why. Failed: an error, a frame lost (other than by stepKill), doubled, late
// or changed, or a stall, the longest wait for an answer, above stallLimit + own. Exempt: a stall above stallLimit that
// is explained by own, the time the driver alone needs for its restarts in this step. Else Clean.
func (c *Cell) judgeStep(err error, stall, own time.Duration) {
	switch {
	case err != nil:
		c.Outcome, c.Why = Failed, err.Error()
	case c.Duplicated+c.Reordered+c.Corrupted > 0, c.Lost > 0 && c.Fault != stepKill:
		c.Outcome, c.Why = Failed, "frames were lost, or came twice, late or changed"
	case stall > stallLimit+own:
		c.Outcome, c.Why = Failed, fmt.Sprintf("a host's connection waited %v for an answer, and at most %v "+
			"are allowed", stall, stallLimit+own)
	case stall > stallLimit:
		c.Outcome, c.Why = Exempt, fmt.Sprintf("the driver restarts the NIC for an XDP program, which takes up to %v "+
			"even without uelink", own.Round(time.Millisecond))
	default:
		c.Outcome = Clean
	}
}

// hangUp ends the hosts' connections, and returns an error if one of them was broken.
func (u *inUse) hangUp() error {
	var errs []error
	for _, t := range u.talks {
		_, err := t.end()
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
