// Package support gathers what a bug report needs, and says what stands out.
package support

import (
	"fmt"
	"io"
	"time"

	"uelink/cmd/uelink/view"
)

// Write prints a support report for people. The first twenty lines of it have the findings.
func (r *Report) Write(w io.Writer) {
	fmt.Fprintf(w, "uelink support, made %s on %s\n", r.Made.Format(time.RFC3339), r.Host.Name)
	fmt.Fprintln(w, r.versions())
	fmt.Fprintln(w, r.Host.Kernel)
	fmt.Fprintln(w)
	fmt.Fprintln(w, "What stands out:")
	for _, line := range r.StandsOut {
		fmt.Fprintln(w, "-", line)
	}
	for _, part := range r.parts() {
		fmt.Fprintf(w, "\n===== %s =====\n", part.title)
		part.write(w)
	}
	for _, line := range r.Missing {
		fmt.Fprintln(w, "not available:", line)
	}
}

func (r *Report) versions() string {
	s := "uelink " + r.Uelink
	if d := r.Uelinkd; d != nil {
		return s + fmt.Sprintf(", uelinkd %s, process %d, since %s", d.Version, d.PID,
			d.Started.Local().Format(time.RFC3339))
	}
	return s + ", no uelinkd"
}

// part is a part of a report.
type part struct {
	title string
	write func(io.Writer)
}

// parts returns the parts of a support report that follow the findings, each with a title and a function that
// prints it.
func (r *Report) parts() []part {
	return []part{
		{"Host", func(w io.Writer) { view.WriteFields(w, r.Host) }},
		{"Configuration " + r.ConfigurationFile, func(w io.Writer) { fmt.Fprint(w, r.Configuration) }},
		{"Ports", func(w io.Writer) { view.WritePorts(w, r.Ports) }},
		{"Links", func(w io.Writer) { view.WriteLLRInterfaces(w, r.Links) }},
		{"Interfaces", r.writeInterfaces},
		{"Events", r.writeEvents},
		{"Journal", func(w io.Writer) { fmt.Fprint(w, r.Journal) }},
		{"Ports in detail", r.writePortsInDetail},
		{"LLR profiles", func(w io.Writer) { view.WriteLLRProfiles(w, r.Profiles) }},
		{"Bridges", r.writeBridges},
		{"DCBX", func(w io.Writer) { view.WriteDCBX(w, r.DCBX, view.Full) }},
		{"LLDP", func(w io.Writer) {
			view.WriteNeighbors(w, r.Neighbors, view.Full)
			view.WriteLLDPInterfaces(w, r.LLDP, view.Full)
			view.WriteLLDPStatistics(w, r.Statistics, view.Full)
		}},
		{"States of the protocol machines", r.writeStates},
	}
}

func (r *Report) writeInterfaces(w io.Writer) {
	for i, f := range r.Interfaces {
		if i > 0 {
			fmt.Fprintln(w)
		}
		view.Details(w, "Interface "+f.Name, f)
	}
}

// writeEvents prints the events with a column as wide as the longest name of a port.
func (r *Report) writeEvents(w io.Writer) {
	p := &view.EventPrinter{W: w}
	for _, e := range r.Events {
		p.Port = max(p.Port, len(e.Port))
	}
	for _, e := range r.Events {
		_ = p.Print(e) // w is memory
	}
}

func (r *Report) writeStates(w io.Writer) {
	for _, s := range r.States {
		fmt.Fprintf(w, "port %s\n%s", s.Port, s.State)
	}
}

func (r *Report) writePortsInDetail(w io.Writer) {
	for i, p := range r.Ports {
		if i > 0 {
			fmt.Fprintln(w)
		}
		view.WritePort(w, p, false)
	}
}

func (r *Report) writeBridges(w io.Writer) {
	view.WriteBridges(w, r.Bridges)
	for _, b := range r.Bridges {
		fmt.Fprintln(w)
		view.WriteBridge(w, b)
	}
}
