package main

import (
	"fmt"
	"strings"
	"time"

	"uelink/lab/e2e/nics/guest"
	"uelink/lab/e2e/nics/machine"
)

// silence bounds the silence of a guest: the longest fault and its recovery.
const silence = 3 * time.Minute

// begin waits until a guest (virtual machine) reports that it is ready, and sends it task t.
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

// converse receives the messages of a guest until its script is done: results are stored in r, and each request is
// passed to serve, whose error goes back to the guest. It returns the error with which the script ended.
func (l *lab) converse(g *machine.Guest, r *result, serve func(*machine.Guest, guest.Ask) error) error {
	for {
		var m guest.Message
		if err := g.Receive(&m, silence); err != nil {
			return err
		}
		l.record(m, r)
		switch {
		case m.Ask != nil:
			if err := g.Send(reply(serve(g, *m.Ask))); err != nil {
				return err
			}
		case m.Done && m.Error != "":
			return guestError(m.Error)
		case m.Done:
			return nil
		}
	}
}

// endGuest tells a guest that waits for the end of the other guest to end too, and receives its last messages. It
// returns the error with which the guest's script ended.
func (l *lab) endGuest(g *machine.Guest, r *result) error {
	if err := g.Send(guest.Reply{}); err != nil {
		return err
	}
	return l.converse(g, r, serve)
}

// guestError is an error reported by a guest's script. Any other error of a guest is an error of its machine.
type guestError string

// Error returns the message with which the guest's script ended early.
func (t guestError) Error() string { return string(t) }

// record stores the content of a guest's message in the case's result r: output of doctor, settings of the link, or
// the result of a fault.
func (l *lab) record(m guest.Message, r *result) {
	switch {
	case m.Doctor != nil:
		l.doctored(m.Doctor, r)
	case m.Bed != nil:
		r.Bed = *m.Bed
		l.say("%s: %v", r.Name, m.Bed)
	case m.Cell != nil:
		r.Cells = append(r.Cells, *m.Cell)
		l.say("%s: %s: %s", r.Name, m.Cell.Fault, describe(*m.Cell))
	}
}

// serve carries out a guest's request to plug or unplug the cable of one of its NICs, or the NIC itself.
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
	return fmt.Errorf("the test host does not know the command %q", a.Verb)
}

func reply(err error) (r guest.Reply) {
	if err != nil {
		r.Error = err.Error()
	}
	return r
}

// trouble is words of kernel messages that show a problem.
var trouble = []string{
	"BUG:", "Oops", "RIP: 0010", "WARNING:", "NETDEV WATCHDOG", "Kernel panic", "general protection", "hung", "refcount",
}

// complaints returns those lines of a guest's console that have a word of trouble, such as a kernel warning.
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

// tail returns the last n lines of a text.
func tail(text string, n int) []string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[max(0, len(lines)-n):]
}
