package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"uelink/lab/e2e/nics/guest"
)

// markdown returns the report as Markdown for people: the cases, the outcome of each fault in each case, the reasons,
// and the hosts' connections.
func (r *report) markdown() string {
	var b strings.Builder
	b.WriteString(introduction)
	r.cases(&b)
	r.outcomes(&b)
	r.reasons(&b)
	r.hosts(&b)
	return b.String()
}

// introduction is the beginning of nics.md.
const introduction = `# uelink on the drivers of NICs

Written by make nics. QEMU emulates the NICs, and Linux has the drivers. Most cases are a virtual machine with two
NICs: a good wire joins the NICs, a daemon runs at each end, and numbered frames of mixed sizes go both ways between two
hosts behind the daemons. Meanwhile a fault hits one NIC or the daemon of the NIC.

The last case is two virtual machines, joined by two bad wires. Each wire loses 1 frame in 100, in bursts of 4, and
damages 1 in 1000; every frame crosses both wires.

The cases on a veth have no NIC. "veth, Debian 12": a link over a veth sends frames live, on the kernel of Debian 12;
then uelink cable runs between two hosts by clsact, because the kernel of Debian 12 has no TCX. "veth, super-frames":
the edges have super-frames, on the kernel of Debian 12 and on a newer kernel.

`

// cases writes a Markdown table with a row for each case: driver, kernel, modes, queues, duration.
func (r *report) cases(b *strings.Builder) {
	b.WriteString("| case | driver | Linux | XDP, sockets | opener | RX queues | took |\n|---|---|---|---|---|---|---|\n")
	for i := range r.Cases {
		c := &r.Cases[i]
		fmt.Fprintf(b, "| %s | `%s` | %s | %s | %s | %d | %.0f s |\n",
			c.Name, c.Driver, c.Kernel, c.mode(), c.Bed.Opener, c.Bed.Queues, c.Seconds)
	}
}

// legend explains the cells of the table of outcomes.
const legend = `
- clean: every frame was delivered exactly once, in order and unchanged.
- refused: the driver refuses the change; every frame was delivered.
- exempt: frames may be lost, at most as many as were under way, for a reason [below](#why). No frame came twice, late
  or changed, and frames flowed again within 10 s of the start of the daemon, or of the return of the NIC.
- driver: the driver does not survive the fault. The same fault was tried on such NICs without uelink, with
  datagrams, and the datagrams did not flow again either.
- absent: the device does not support the change.
- failed, hung, died: something is wrong.
- –: the case tests other things, or has ended early.

Reasons are [below](#why). The time is the longest pause in which a direction delivered nothing.

`

// rows returns the names of all faults and steps in the order of the table's rows.
func rows() []string { return append(guest.FaultNames(), guest.BadWire) }

// outcomes writes a Markdown table with a row for each fault, a column for each case, and the outcome in each cell.
func (r *report) outcomes(b *strings.Builder) {
	columns := r.scripted(func(script string) bool { return script == "" })
	b.WriteString(legend + "| fault |")
	for _, c := range columns {
		fmt.Fprintf(b, " %s |", c.Name)
	}
	b.WriteString("\n|---" + strings.Repeat("|---", len(columns)) + "|\n")
	for _, fault := range rows() {
		fmt.Fprintf(b, "| %s |", fault)
		for _, c := range columns {
			fmt.Fprintf(b, " %s |", c.cell(fault))
		}
		b.WriteString("\n")
	}
}

// cell returns the text for a fault in the column of this case: its outcome, or a dash if the fault was not applied.
func (r *result) cell(fault string) string {
	i := slices.IndexFunc(r.Cells, func(c guest.Cell) bool { return c.Fault == fault })
	if i < 0 {
		return "–"
	}
	return describe(r.Cells[i])
}

// describe returns the result of a fault in a few words: the outcome, the longest pause in seconds, and lost frames.
func describe(c guest.Cell) string {
	if c.Echo != nil {
		return c.Outcome + ", " + strings.Join(hostCell(c), ", ")
	}
	if c.Sent == 0 {
		return c.Outcome
	}
	text := fmt.Sprintf("%s %.1f s", c.Outcome, c.Pause)
	if c.Bad() || c.Outcome == guest.Exempt || c.Outcome == guest.Driver {
		text += fmt.Sprintf(", lost %d of %d", c.Lost, c.Sent)
	}
	if n := c.Duplicated + c.Reordered + c.Corrupted; n > 0 {
		text += fmt.Sprintf(", twice %d, late %d, changed %d", c.Duplicated, c.Reordered, c.Corrupted)
	}
	return text
}

// reasons writes a list of the reasons for all outcomes other than clean, and of errors and kernel complaints by
// case.
func (r *report) reasons(b *strings.Builder) {
	b.WriteString("\n## Why\n\n")
	for _, fault := range rows() {
		for reason, names := range r.because(fault) {
			fmt.Fprintf(b, "- %s (%s): %s\n", fault, strings.Join(names, "; "), reason)
		}
	}
	r.wires(b)
	for i := range r.Cases {
		c := &r.Cases[i]
		if c.Error != "" {
			fmt.Fprintf(b, "- %s: %s\n", c.Name, oneLine(c.Error))
		}
		for _, line := range c.Console {
			fmt.Fprintf(b, "- %s: the kernel says %q\n", c.Name, line)
		}
	}
}

// wires writes a list entry for each case with a bad wire (how many frames were lost) or a veth (by which path frames
// left), and for each cable.
func (r *report) wires(b *strings.Builder) {
	for i := range r.Cases {
		for _, c := range r.Cases[i].Cells {
			switch c.Fault {
			case guest.BadWire, guest.LiveFrames, guest.CableClean, guest.CableLossy,
				guest.SuperFrames, guest.SuperTCP,
				guest.SuperECN, guest.SuperUDP, guest.SuperKilled, guest.SuperOff:
				fmt.Fprintf(b, "- %s (%s): %s\n", c.Fault, r.Cases[i].Name, oneLine(cmp.Or(c.Why, c.Notice)))
			}
		}
	}
}

// because yields each distinct reason for the outcome of a fault, with the names of the cases that have this reason,
// in the order of first occurrence.
func (r *report) because(fault string) func(yield func(string, []string) bool) {
	var order []string
	names := map[string][]string{}
	for i := range r.Cases {
		for _, c := range r.Cases[i].Cells {
			if c.Fault != fault || c.Why == "" {
				continue
			}
			reason := oneLine(c.Why)
			if names[reason] == nil {
				order = append(order, reason)
			}
			names[reason] = append(names[reason], r.Cases[i].Name)
		}
	}
	return func(yield func(string, []string) bool) {
		for _, reason := range order {
			if !yield(reason, names[reason]) {
				return
			}
		}
	}
}

// oneLine returns a text with its lines joined by blanks.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
