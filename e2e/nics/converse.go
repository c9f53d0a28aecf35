package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"uelink/e2e/nics/guest"
	"uelink/e2e/nics/machine"
)

// silence is how long a guest may say nothing: the longest fault and its recovery.
const silence = 3 * time.Minute

// begin waits until a guest is ready and gives it its task.
func begin(g *machine.Guest, t guest.Task) error {
	var m guest.Message
	if err := g.Receive(&m, silence); err != nil {
		return err
	}
	if !m.Ready {
		return fmt.Errorf("the guest says %+v before it is ready", m)
	}
	return g.Send(t)
}

// converse does what a guest asks for, by serve, until it is done.
func (l *lab) converse(g *machine.Guest, r *result, serve func(*machine.Guest, guest.Ask) error) error {
	for {
		var m guest.Message
		if err := g.Receive(&m, silence); err != nil {
			return err
		}
		l.note(m, r)
		switch {
		case m.Ask != nil:
			if err := g.Send(reply(serve(g, *m.Ask))); err != nil {
				return err
			}
		case m.Done && m.Error != "":
			return errors.New(m.Error)
		case m.Done:
			return nil
		}
	}
}

// note takes over what a guest tells.
func (l *lab) note(m guest.Message, r *result) {
	switch {
	case m.Doctor != nil:
		l.doctored(m.Doctor, r)
	case m.Bed != nil:
		r.Bed = *m.Bed
		l.say("%s: LLR is up: %s, %d queues, opener %s", r.Name, r.mode(), m.Bed.Queues, m.Bed.Opener)
	case m.Cell != nil:
		r.excuse(m.Cell)
		r.Cells = append(r.Cells, *m.Cell)
		l.say("%s: %s: %s", r.Name, m.Cell.Fault, describe(*m.Cell))
	}
}

// excuse has a failure be the driver's where it is known for it.
func (r *result) excuse(c *guest.Cell) {
	if why := r.Known[c.Fault]; why != "" && c.Outcome == guest.Failed {
		c.Outcome, c.Why = guest.Driver, why
	}
}

// serve does what a guest asks for.
func serve(g *machine.Guest, a guest.Ask) error {
	switch a.Verb {
	case guest.AskCableOut:
		return g.SetLink(a.NIC, false)
	case guest.AskCableIn:
		return g.SetLink(a.NIC, true)
	case guest.AskUnplug:
		return g.Unplug(a.NIC)
	case guest.AskPlug:
		return g.Plug(a.NIC)
	}
	return fmt.Errorf("the host cannot do %q", a.Verb)
}

func reply(err error) (r guest.Reply) {
	if err != nil {
		r.Error = err.Error()
	}
	return r
}

// trouble is what the kernel writes when something is wrong with it.
var trouble = []string{
	"BUG:", "Oops", "WARNING:", "NETDEV WATCHDOG", "Kernel panic", "general protection", "hung", "refcount",
}

// complaints are the lines of a console that tell of trouble of the kernel.
func complaints(console string) (lines []string) {
	for line := range strings.Lines(console) {
		for _, word := range trouble {
			if strings.Contains(line, word) {
				lines = append(lines, strings.TrimSpace(line))
				break
			}
		}
	}
	return lines
}

// tail is the last lines of a text.
func tail(text string, n int) []string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[max(0, len(lines)-n):]
}
