package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"uelink/client"
)

const supportLong = `Write one file for a bug report: what stands out, versions, configuration, states, counters, the
latest events, and what the kernel and the drivers say of the interfaces. The configuration is
written without its comments and without values of keys that look secret. Addresses and names of
stations are in the file: look through it before you send it.

The file is readable by you only. "-" is standard output. With -o json it is one JSON object.`

func supportCommand(t *tool) *cobra.Command {
	return &cobra.Command{
		Use:   "support [FILE]",
		Short: "Write one file with the data for a bug report",
		Long:  supportLong,
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return t.ask(func(c *client.Client) error {
				r := gather(cmd.Context(), c, time.Now())
				var content bytes.Buffer
				if err := t.write(&content, r, func(w io.Writer) { r.write(w) }); err != nil {
					return err
				}
				return deliver(cmd, supportName(args, r), content.Bytes())
			})
		},
	}
}

// supportName returns the name of the support file: the name in args, or a default name with host and time.
func supportName(args []string, r *report) string {
	if len(args) > 0 {
		return args[0]
	}
	return fmt.Sprintf("uelink-support-%s-%s.txt", r.Host.Name, r.Made.Format("20060102-150405"))
}

// deliver writes content to a new file that only its owner may read, or to standard output if name is "-". It
// neither follows a link nor replaces a file.
func deliver(cmd *cobra.Command, name string, content []byte) error {
	if name == "-" {
		_, err := cmd.OutOrStdout().Write(content)
		return err
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL|unix.O_NOFOLLOW, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s is there already: name another file, or - for standard output", name)
	}
	if err != nil {
		return fmt.Errorf("%w: name a file in a directory that you may write to, or - for standard output", err)
	}
	_, err = f.Write(content)
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(fmt.Errorf("write %s: %w", name, err), os.Remove(name))
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %s octets: look through it before you send it\n",
		name, count(uint64(len(content))))
	return err
}

// write prints a support report for people. The first twenty lines of it have the findings.
func (r *report) write(w io.Writer) {
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

func (r *report) versions() string {
	s := "uelink " + r.Uelink
	if d := r.Uelinkd; d != nil {
		return s + fmt.Sprintf(", uelinkd %s, process %d, since %s", d.Version, d.PID, d.Started.Local().Format(time.RFC3339))
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
func (r *report) parts() []part {
	return []part{
		{"Host", func(w io.Writer) { writeFields(w, r.Host) }},
		{"Configuration " + r.ConfigurationFile, func(w io.Writer) { fmt.Fprint(w, r.Configuration) }},
		{"Ports", func(w io.Writer) { writePorts(w, r.Ports) }},
		{"Links", func(w io.Writer) { writeLLRInterfaces(w, r.Links) }},
		{"Interfaces", r.writeInterfaces},
		{"Events", r.writeEvents},
		{"Ports in detail", r.writePortsInDetail},
		{"LLR profiles", func(w io.Writer) { writeLLRProfiles(w, r.Profiles) }},
		{"Bridges", r.writeBridges},
		{"DCBX", func(w io.Writer) { writeDCBX(w, r.DCBX, full) }},
		{"LLDP", func(w io.Writer) {
			writeNeighbors(w, r.Neighbors, full)
			writeLLDPInterfaces(w, r.LLDP, full)
			writeLLDPStatistics(w, r.Statistics, full)
		}},
		{"States of the protocol machines", r.writeStates},
	}
}

func (r *report) writeInterfaces(w io.Writer) {
	for i, f := range r.Interfaces {
		if i > 0 {
			fmt.Fprintln(w)
		}
		details(w, "Interface "+f.Name, f)
	}
}

func (r *report) writeEvents(w io.Writer) {
	p := &eventPrinter{w: w}
	for _, e := range r.Events {
		p.port = max(p.port, len(e.Port))
	}
	for _, e := range r.Events {
		_ = p.print(e) // w is memory
	}
}

func (r *report) writeStates(w io.Writer) {
	for _, s := range r.States {
		fmt.Fprintf(w, "port %s\n%s", s.Port, s.State)
	}
}

func (r *report) writePortsInDetail(w io.Writer) {
	for i, p := range r.Ports {
		if i > 0 {
			fmt.Fprintln(w)
		}
		writePort(w, p, false)
	}
}

func (r *report) writeBridges(w io.Writer) {
	writeBridges(w, r.Bridges)
	for _, b := range r.Bridges {
		fmt.Fprintln(w)
		writeBridge(w, b)
	}
}
