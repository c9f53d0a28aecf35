package guest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// fault is an action on NIC a, or on the daemon in A, while frames flow.
type fault struct {
	name string
	// do applies the fault, and calls flows after each step that frames must survive.
	do func(*trial) error
	// exempt is why frames may be lost; empty: no frame may be lost. LLR keeps unacknowledged frames in the memory of the
	// daemon and of the sockets: a fault may lose frames that ends the daemon, or removes the NIC of the sockets.
	exempt string
}

// faults returns all faults in their order: faults that may leave a driver unusable come last.
func faults() []fault { return slices.Concat(linkFaults, settingFaults, programFaults, deviceFaults) }

// FaultNames returns the names of all faults, in their order.
func FaultNames() (names []string) {
	for _, f := range faults() {
		names = append(names, f.name)
	}
	return names
}

// OfNIC reports whether the fault of that name is done to the NIC, and not to the daemon or its XDP program.
func OfNIC(name string) bool {
	return !slices.ContainsFunc(programFaults, func(f fault) bool { return f.name == name })
}

// errAbsent is the error of a fault that the device does not support.
var errAbsent = errors.New("the device does not support this")

// Bounds of the time until frames flow again after a step of a fault.
const (
	resumption       = 20 * time.Second // of a fault that may lose no frames
	exemptResumption = 10 * time.Second // of a fault that may lose frames; Task.Patience multiplies it
)

// hanging is longer than any fault takes, a fault that fails in each of its steps included.
const hanging = 100 * time.Second

// trial is one fault and its traffic.
type trial struct {
	*bed
	session *session
	fault   fault
	load    *load
	refused []string // steps that the driver refused
}

// nic returns NIC a of the trial, which faults are applied to.
func (t *trial) nic() *nic { return t.nics[0] }

// flows waits until frames flow both ways again after a fault, and returns an error if that takes too long.
func (t *trial) flows() error {
	if t.fault.exempt != "" {
		return t.load.flows(exemptResumption * time.Duration(t.session.task.Patience))
	}
	return t.load.flows(resumption)
}

// try handles the error of an action on the NIC: a refusal by the driver is recorded, any other error is returned.
// Without an error or after a refusal it waits until frames flow.
func (t *trial) try(err error) error {
	var r refusal
	if errors.As(err, &r) {
		t.refused = append(t.refused, r.Error())
	} else if err != nil {
		return err
	}
	return t.flows()
}

// faults runs the script that applies the faults of the task to a link, one after the other, and reports each result.
// It ends after a failed fault: the machine may be unusable, and the host boots another for the remaining faults.
func (s *session) faults() error {
	b, err := s.newBed()
	if err != nil {
		return err
	}
	bed, err := b.settings()
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
		if err := b.established(); err != nil {
			return fmt.Errorf("after %s: %w", f.name, err)
		}
	}
	return nil
}

// wanted returns the faults that the task names, or all faults, in their order.
func (s *session) wanted() []fault {
	return slices.DeleteFunc(faults(), func(f fault) bool {
		return s.task.Faults != nil && !slices.Contains(s.task.Faults, f.name)
	})
}

// errHung is the error of an action that never ends.
var errHung = errors.New("the kernel waits")

// bounded calls f and returns its error. If f does not return in time, bounded returns errHung with the stacks of
// blocked threads.
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

// trial applies fault f while frames flow over the link, and returns the result: with the outcome Hung if the kernel
// never returns from the action, and with evidence in Log after a failure.
func (s *session) trial(b *bed, f fault) Cell {
	t := &trial{bed: b, session: s, fault: f}
	b.a.log.clear()
	b.b.log.clear()
	lossTimeout := lossless
	if f.exempt != "" {
		lossTimeout = writeOff / 4 // while no frame arrives, the load waits four times as long: writeOff
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

// run starts a load of frames by start, applies the fault, ends the load, and adds the counts of frames to c.
func (t *trial) run(start func() (*load, error), c *Cell) (err error) {
	if t.load, err = start(); err == nil {
		err = t.fault.do(t)
	}
	err = errors.Join(err, t.load.end())
	t.load.sum(c)
	return err
}

// judge sets the outcome of a fault in its result c, by err, the error of the trial, and the numbers of lost and
// repeated frames.
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

// allowed returns how many frames a fault may lose: 0, or, for a fault that interrupts the link, all frames in flight
// both ways, and as many again for each time writeOff in c.Pause, the longest time without arrivals.
func (t *trial) allowed(c *Cell) uint64 {
	if t.fault.exempt == "" {
		return 0
	}
	return 2 * onTheWay * (1 + uint64(c.Pause/writeOff.Seconds()))
}
