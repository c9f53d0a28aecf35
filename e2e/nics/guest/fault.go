package guest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// fault is something that is done to NIC a, or to the daemon in A, while frames flow.
type fault struct {
	name string
	// do does it, and calls flows after each step that frames have to survive.
	do func(*trial) error
	// exempt is why frames may be lost; empty: none may. What LLR holds is in the memory of the
	// daemon, and of the sockets of a device that is there.
	exempt string
}

// faults are all, in the order in which they are done: those after which a driver may be of no
// more use come last.
func faults() []fault { return slices.Concat(linkFaults, settingFaults, programFaults, deviceFaults) }

// FaultNames are the names of all faults, in their order.
func FaultNames() (names []string) {
	for _, f := range faults() {
		names = append(names, f.name)
	}
	return names
}

// OfNIC tells whether a fault is done to the NIC, and not to the daemon or its program.
func OfNIC(name string) bool {
	return !slices.ContainsFunc(programFaults, func(f fault) bool { return f.name == name })
}

// errAbsent is the error of a fault that the device has not got.
var errAbsent = errors.New("the device has no such thing")

// Bounds of the time in which frames flow again after a step.
const (
	resumption       = 20 * time.Second
	exemptResumption = 10 * time.Second // where frames may be lost instead
)

// hanging is longer than a fault takes, also one that fails in each of its steps.
const hanging = 100 * time.Second

// trial is one fault, with the frames that flow meanwhile.
type trial struct {
	*bed
	session *session
	fault   fault
	load    *load
	refused []string // steps that the driver does not do
}

// nic is the one that faults are done to.
func (t *trial) nic() *nic { return t.nics[0] }

// flows waits until frames flow both ways again.
func (t *trial) flows() error {
	if t.fault.exempt != "" {
		return t.load.flows(exemptResumption * time.Duration(t.session.task.Patience))
	}
	return t.load.flows(resumption)
}

// try has a step done that a driver may refuse, and frames flow after it.
func (t *trial) try(err error) error {
	var r refusal
	if errors.As(err, &r) {
		t.refused = append(t.refused, r.Error())
	} else if err != nil {
		return err
	}
	return t.flows()
}

// faults is the script that does the faults of the task, one after the other. It ends early after one that has failed:
// the machine may be of no more use, and the host boots another for those that are left.
func (s *session) faults() error {
	b, err := s.newBed()
	if err != nil {
		return err
	}
	bed, err := b.tell()
	if err != nil {
		return err
	}
	s.send(Message{Bed: bed})
	for _, f := range s.wanted() {
		c := s.trial(b, f)
		s.send(Message{Cell: &c})
		if c.Bad() {
			return nil
		}
		if err := b.established(establishment); err != nil {
			return fmt.Errorf("after %s: %w", f.name, err)
		}
	}
	return nil
}

// wanted is the faults of the task.
func (s *session) wanted() []fault {
	return slices.DeleteFunc(faults(), func(f fault) bool {
		return s.task.Faults != nil && !slices.Contains(s.task.Faults, f.name)
	})
}

// errHung is the error of what never ends.
var errHung = errors.New("the kernel waits")

// bounded is the error of f, or errHung with where the kernel is if f never ends.
func bounded(f func() error) error {
	ended := make(chan error, 1)
	go func() { ended <- f() }()
	select {
	case err := <-ended:
		return err
	case <-time.After(hanging):
		return fmt.Errorf("%w: %s", errHung, strings.Join(blocked(), "; "))
	}
}

// trial does a fault while frames flow, and says what became of them.
func (s *session) trial(b *bed, f fault) Cell {
	t := &trial{bed: b, session: s, fault: f}
	b.a.said.clear()
	b.b.said.clear()
	lossTimeout := lossless
	if f.exempt != "" {
		lossTimeout = writeOff / 4 // with none arriving, traffic waits four times as long
	}
	c := Cell{Fault: f.name}
	err := bounded(func() error { return t.run(func() (*load, error) { return b.load(lossTimeout) }, &c) })
	if errors.Is(err, errHung) {
		return Cell{Fault: f.name, Outcome: Hung, Why: err.Error()}
	}
	if t.judge(&c, err); c.Outcome == Failed {
		c.Log = t.evidence()
	}
	return c
}

// run does the fault under a load, and counts the frames into the cell.
func (t *trial) run(start func() (*load, error), c *Cell) (err error) {
	if t.load, err = start(); err == nil {
		err = t.fault.do(t)
	}
	err = errors.Join(err, t.load.end())
	t.load.sum(c)
	return err
}

// judge fills in the outcome.
func (t *trial) judge(c *Cell, err error) {
	if p, err := t.a.link(); err == nil {
		c.Notice = p.Notice
	}
	lost := t.allowed(c)
	switch {
	case errors.Is(err, errAbsent):
		c.Outcome, c.Why = Absent, err.Error()
	case err != nil:
		c.Outcome, c.Why = Failed, err.Error()
	case c.Duplicated+c.Reordered+c.Corrupted > 0, c.Lost > lost:
		c.Outcome = Failed
		c.Why = fmt.Sprintf("at most %d frames may be lost, and none may come twice, late or changed", lost)
	case len(t.refused) > 0:
		c.Outcome, c.Why = Refused, strings.Join(t.refused, "; ")
	case t.fault.exempt != "":
		c.Outcome, c.Why = Exempt, t.fault.exempt
	default:
		c.Outcome = Clean
	}
}

// allowed is how many frames may be lost: what was under way in both directions, and as much again
// for each time that it was written off and sent anew into a link that was not there.
func (t *trial) allowed(c *Cell) uint64 {
	if t.fault.exempt == "" {
		return 0
	}
	return 2 * onTheWay * (1 + uint64(c.Pause/writeOff.Seconds()))
}
