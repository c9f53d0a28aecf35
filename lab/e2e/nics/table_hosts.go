package main

import (
	"fmt"
	"strings"

	"uelink/lab/e2e/nics/guest"
)

// hostsIntroduction is the text in front of the tables of the hosts' own connections.
const hostsIntroduction = `
## The host's own connections

"In use": the two NICs of a virtual machine have an address and a VLAN each. Two TCP connections cross the NICs, and two
cross the VLAN. On each connection a small message goes and comes back, again and again. Meanwhile a link starts on the
NICs, with a veth for the host.

"Lossy wire": a link of the same kind is the only path between two virtual machines, first over a clean wire and then
over a wire that loses 1 frame in 100.

- No connection may break, and every answer must equal the message sent.
- The longest wait is for an answer. A step with a wait of up to 1 s is clean.
- "Exempt": a longer wait, because the driver restarts the NIC when an XDP program comes or goes. The first row measures
  a restart without uelink: another XDP program is attached to the NIC and then detached. The other exempt rows restart
  both NICs, or one NIC twice: such a step may take twice the time of the first row and 1 s.
- "As before" compares the end with the time before the first start, at both ends: the attributes shown by ip -d link,
  addresses, routes, and ethtool -k, -l, -g and -c of NICs and VLANs are the same.
- "As with an XDP program" compares the same values while the link runs, with the daemon's XDP program attached. Only
  the changes that any XDP program causes are left out, and promiscuous: true where the case names the key.
- Over the lossy wire TCP may lose no more segments than over the clean wire. "Late" counts segments that TCP sent again
  although the other end had them, as the other end reports (DSACK): a busy machine causes late segments over either
  wire.

`

// hosts writes, for each case in which the hosts have connections of their own, a Markdown table with a row for each
// step.
func (r *report) hosts(b *strings.Builder) {
	list := r.scripted(func(script string) bool { return script == scriptInUse || script == scriptClient })
	if len(list) == 0 {
		return
	}
	b.WriteString(hostsIntroduction)
	for _, c := range list {
		fmt.Fprintf(b, "| %s | outcome | longest wait for an answer | answers or data | TCP segments sent again "+
			"| frames over the link |\n", c.Name)
		b.WriteString("|---|---|---|---|---|---|\n")
		for _, cell := range c.Cells {
			if cell.Echo != nil {
				fmt.Fprintf(b, "| %s | %s | %s |\n", cell.Fault, cell.Outcome, strings.Join(hostCell(cell), " | "))
			}
		}
		b.WriteString("\n")
		c.notices(b)
		b.WriteString("\n")
	}
}

// notices writes a list entry for each reason and each notice among the results of a case's steps.
func (r *result) notices(b *strings.Builder) {
	for _, cell := range r.Cells {
		for _, text := range []string{cell.Why, cell.Notice} {
			if text != "" {
				fmt.Fprintf(b, "- %s: %s\n", cell.Fault, oneLine(text))
			}
		}
	}
}

// scripted returns the cases of the report whose guest script, by its name, satisfies wanted.
func (r *report) scripted(wanted func(script string) bool) (list []*result) {
	for i := range r.Cases {
		if wanted(r.Cases[i].Script) {
			list = append(list, &r.Cases[i])
		}
	}
	return list
}

// hostCell returns the table cells of one step of the test, a change that the hosts' conversations have to survive: the
// longest wait of a conversation for an answer, the number of answers, of retransmitted TCP segments, and how many of
// the frames sent over the link were lost.
func hostCell(c guest.Cell) []string {
	e := c.Echo
	answered := fmt.Sprint(e.Answers)
	if e.Octets > 0 {
		answered = fmt.Sprintf("%.1f MB each way", float64(e.Octets)/1e6)
	}
	if e.Lost > 0 {
		answered += fmt.Sprintf(", lost %d", e.Lost)
	}
	wait, frames := "–", "–"
	if e.Stall > 0 {
		wait = fmt.Sprintf("%.2f s", e.Stall)
	}
	if c.Sent > 0 {
		frames = fmt.Sprintf("lost %d of %d", c.Lost, c.Sent)
	}
	retransmits := fmt.Sprint(e.Again)
	if e.Needless > 0 {
		retransmits += fmt.Sprintf(", late %d", e.Needless)
	}
	return []string{wait, answered, retransmits, frames}
}
