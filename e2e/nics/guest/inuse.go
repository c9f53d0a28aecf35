package guest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"github.com/vishvananda/netlink"

	"uelink/netns"
)

// A NIC in use is one that the host has an address and a VLAN on, and TCP connections across. A link is started on it,
// with a veth for the host, and none of that may notice:
//
//	A: TCP ── eth0, eth0.7 ── NIC a ═ wire ═ NIC b ── eth0, eth0.7 ── B: TCP
//	   uelink0 ── uelinkd ── eth0                      eth0 ── uelinkd ── uelink0

// Steps of the life of a link on a NIC in use, in their order.
const (
	stepProgram = "another program on, off" // the NIC without uelink: what the driver does by itself
	stepStart   = "start"
	stepFrames  = "frames"
	stepReload  = "reload"
	stepKill    = "kill -9, start"
	stepStop    = "stop"
	stepAfter   = "as before"
)

// Bounds of the step with nothing but frames.
const (
	inUseFrames   = 50_000 // each way
	inUseDuration = 60 * time.Second
)

// stallLimit is how long a host's connection may wait for an answer, where the driver does not start the NIC anew.
const stallLimit = time.Second

// inUse is a bed whose NICs the hosts use themselves.
type inUse struct {
	*bed
	session *session
	talks   []*talk
	before  [2][]string   // how the hosts look
	own     time.Duration // longest wait when the driver starts the NIC anew, without uelink
}

// inUseStep is a step of the script.
type inUseStep struct {
	name string
	anew int // how often the driver starts a NIC anew; -1 = how long that takes is measured
	do   func(*Cell) error
}

// inUse is the script of a link on such a NIC.
func (s *session) inUse() error {
	u, err := s.newInUse()
	if err != nil {
		return err
	}
	if err := u.all([]inUseStep{{stepProgram, -1, u.otherProgram}, {stepStart, 2, u.start}}); err != nil {
		return err
	}
	bed, err := u.tell()
	if err != nil {
		return err
	}
	s.send(Message{Bed: bed})
	err = u.all([]inUseStep{{stepFrames, 0, u.frames}, {stepReload, 0, u.reload}, {stepKill, 2, u.kill},
		{stepStop, 2, u.stop}, {stepAfter, 0, u.after}})
	return errors.Join(err, u.hangUp())
}

// all does steps one after the other, until one hangs.
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

// newInUse makes the hosts, their addresses and their connections.
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

// use gives a host addresses on its NIC and on a VLAN of it, which end with a number.
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

// connect has two connections on the NIC and two on the VLAN, and remembers how the hosts look then.
func (u *inUse) connect() (err error) {
	for _, address := range []string{"192.0.2.2", "192.0.2.2", "198.51.100.2", "198.51.100.2"} {
		t, err := talkTo(u.hostA, address, 10*time.Millisecond)
		if err != nil {
			return err
		}
		u.talks = append(u.talks, t)
	}
	if err := u.again(); err != nil {
		return err
	}
	u.before, err = u.look()
	return err
}

func (u *inUse) look() (all [2][]string, err error) {
	for i, n := range u.nics {
		if all[i], err = looks(n.home, n.as, n.as+".7"); err != nil {
			return all, err
		}
	}
	return all, nil
}

// again waits until each connection has several more answers.
func (u *inUse) again() error {
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

// step does something, and says what became of frames and connections.
func (u *inUse) step(step inUseStep) (Cell, error) {
	c := Cell{Fault: step.name, Echo: &Echo{}}
	err := bounded(func() error { return errors.Join(step.do(&c), u.again()) })
	stall, broken := u.hear(c.Echo)
	err = errors.Join(err, broken)
	own := u.own * time.Duration(step.anew)
	if step.anew < 0 {
		u.own, own = stall, stall
	}
	if c.judgeStep(err, stall, own); c.Outcome == Failed {
		c.Log = append(u.a.said.tail(40), u.b.said.tail(40)...)
	}
	return c, err
}

// hear sums up what became of the connections since it was last called, and returns the longest wait for an answer.
func (u *inUse) hear(e *Echo) (stall time.Duration, err error) {
	for _, t := range u.talks {
		echoes, longest, broken := t.take()
		again, failed := retransmits(t.tcp())
		e.Answers, e.Again = e.Answers+echoes, e.Again+again-min(again, t.again)
		stall, t.again = max(stall, longest), again
		err = errors.Join(err, broken, failed)
	}
	e.Stall = seconds(stall)
	return stall, err
}

// judgeStep fills in the outcome; own is the time that the driver needs by itself.
func (c *Cell) judgeStep(err error, stall, own time.Duration) {
	switch {
	case err != nil:
		c.Outcome, c.Why = Failed, err.Error()
	case c.Duplicated+c.Reordered+c.Corrupted > 0, c.Lost > 0 && c.Fault != stepKill:
		c.Outcome, c.Why = Failed, "frames were lost, or came twice, late or changed"
	case stall > stallLimit+own:
		c.Outcome, c.Why = Failed, fmt.Sprintf("an answer took %v; at most %v", stall, stallLimit+own)
	case stall > stallLimit:
		c.Outcome, c.Why = Exempt, fmt.Sprintf("the driver starts the NIC anew for a program of XDP: "+
			"at most %v in all by itself", own.Round(time.Millisecond))
	default:
		c.Outcome = Clean
	}
}

// otherProgram has a program of somebody else come and go on NIC a, before there is a daemon.
func (u *inUse) otherProgram(*Cell) error {
	return u.hostA.Do(func() error {
		p, err := ebpf.NewProgram(passAll)
		if err != nil {
			return err
		}
		defer p.Close()
		l, err := netlink.LinkByName("eth0")
		if err != nil {
			return err
		}
		on, err := link.AttachXDP(link.XDPOptions{Program: p, Interface: l.Attrs().Index})
		if err != nil {
			return err
		}
		return errors.Join(u.again(), on.Close())
	})
}

func (u *inUse) start(*Cell) error {
	if err := errors.Join(u.a.start(), u.b.start()); err != nil {
		return err
	}
	return u.established(establishment)
}

// under does something while numbered frames cross the link, and counts them.
func (u *inUse) under(c *Cell, lossTimeout time.Duration, do func(*load) error) error {
	l, err := startLoad(u.through(lossTimeout))
	if err == nil {
		err = do(l)
	}
	err = errors.Join(err, l.end())
	l.sum(c)
	return err
}

func (u *inUse) frames(c *Cell) error {
	return u.under(c, lossless, func(l *load) error {
		for began := time.Now(); time.Since(began) < inUseDuration; time.Sleep(100 * time.Millisecond) {
			if n := l.arrived(); min(n[0], n[1]) >= inUseFrames {
				break
			}
		}
		return l.flows(resumption)
	})
}

// reload gives the daemon another window.
func (u *inUse) reload(c *Cell) error {
	return u.under(c, lossless, func(l *load) error {
		const window = 200
		profile := u.session.task.Profile
		text := strings.Replace(u.a.text, profile, fmt.Sprintf("%s, max_outstanding_frames: %d", profile, window), 1)
		if err := os.WriteFile("/run/A.yaml", []byte(text), 0o644); err != nil {
			return err
		}
		if err := u.a.cmd.Process.Signal(syscall.SIGHUP); err != nil {
			return err
		}
		return errors.Join(within(establishment, "the reload", func() string {
			p, err := u.a.client.LLRProfile(context.Background(), "nics")
			if err != nil || p.MaxOutstandingFrames != window {
				return fmt.Sprintf("the window is %d, %v", p.MaxOutstandingFrames, err)
			}
			return ""
		}), l.flows(resumption))
	})
}

// kill kills a daemon and starts it again. What it held may be lost.
func (u *inUse) kill(c *Cell) error {
	err := u.under(c, writeOff/4, func(l *load) error {
		u.a.kill()
		if err := u.a.start(); err != nil {
			return err
		}
		return l.flows(exemptResumption * time.Duration(u.session.task.Patience))
	})
	t := &trial{fault: fault{exempt: "what LLR held was in the memory of the daemon"}}
	if most := t.allowed(c); err == nil && c.Lost > most {
		err = fmt.Errorf("%d frames are lost; at most %d", c.Lost, most)
	}
	return err
}

func (u *inUse) stop(*Cell) error { return errors.Join(u.a.terminate(), u.b.terminate()) }

// after demands that both hosts look as before.
func (u *inUse) after(*Cell) error {
	return within(resumption, "the hosts as before", func() string {
		now, err := u.look()
		if err != nil {
			return err.Error()
		}
		return strings.Join(append(differences(u.before[0], now[0]), differences(u.before[1], now[1])...), "; ")
	})
}

// hangUp ends the connections, which have to be alive.
func (u *inUse) hangUp() error {
	var errs []error
	for _, t := range u.talks {
		_, err := t.end()
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
