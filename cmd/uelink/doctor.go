package main

import (
	"errors"
	"fmt"
	"io"
	"net/netip"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"uelink/client"
	"uelink/cmd/uelink/doctor"
	"uelink/cmd/uelink/view"
	"uelink/config"
	"uelink/dataplane/model"
	"uelink/wire"
)

const doctorLong = `Say what an interface can do for uelink, who else uses the interface, what uelinkd would change on
it, which modes, queues and memory uelinkd would use, and what to type to mend problems. No daemon is
needed, and nothing is changed. With --peer the command sends pings and an ARP probe by the interface,
and listens for a link's control frames for 3 s.

A link on an interface that the daemon's machine itself uses takes its own frames only; an edge always takes all.
Root sees more: names of programs, and whose packet sockets there are.

Exit codes: 0 fine; 1 a problem keeps uelink from using the interface (level blocks).`

const doctorExample = `  uelink doctor eth1                            # as a link with the defaults
  uelink doctor eth1 --role edge
  uelink doctor eth1 --peer 192.0.2.2           # and the way to that address: does IP cross, do links?
  uelink doctor --config /etc/uelink/uelink.yaml # all its ports, as they are set
  uelink -o json doctor eth1`

// doctorCommand returns the command `uelink doctor`. look returns the facts of an interface: doctor.Gather, or
// made-up facts in tests.
func doctorCommand(t *tool, look doctor.Source) *cobra.Command {
	var file, role, peer string
	cmd := &cobra.Command{
		Use:     "doctor [INTERFACE]",
		Short:   "Check an interface: its abilities, its users, and problems",
		Long:    doctorLong,
		Example: doctorExample,
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			look, err := t.probed(cmd, look, args, peer)
			if err != nil {
				return err
			}
			reports, err := examine(look, args, file, role)
			if err == nil {
				err = t.show(cmd, reports, func(w io.Writer) { writeReports(w, reports) })
			}
			if err == nil && slices.ContainsFunc(reports, func(r doctor.Report) bool { return r.Blocked() }) {
				err = errors.New("") // exit code 1: the report has the reason
			}
			return err
		},
	}
	cmd.Flags().StringVar(&file, "config", "", "configuration whose ports are checked")
	cmd.Flags().StringVar(&role, "role", "link", "role of the planned port: link or edge")
	cmd.Flags().StringVar(&peer, "peer", "", "IP address of the interface at the other end: probe the way to it")
	return cmd
}

// probed returns a source that calls look and also probes the way to the IP address peer; without peer it returns look.
func (t *tool) probed(cmd *cobra.Command, look doctor.Source, args []string, peer string) (doctor.Source, error) {
	if peer == "" {
		return look, nil
	}
	to, err := netip.ParseAddr(peer)
	if err != nil || len(args) != 1 {
		return nil, fmt.Errorf("--peer goes with an interface and an IP address, such as: %s eth1 --peer 192.0.2.2",
			cmd.CommandPath())
	}
	return func(ifname string) (*doctor.Facts, error) {
		f, err := look(ifname)
		if err != nil {
			return nil, err
		}
		count := func() (n int, ok bool) { return t.controlFrames(cmd, ifname) }
		f.Way, err = doctor.Probe(f, to, wire.EtherTypeControl, count)
		return f, err
	}, nil
}

// controlFrames returns the number of control frames that a running daemon has received by an interface; ok is false if
// no daemon has a link on the interface.
func (t *tool) controlFrames(cmd *cobra.Command, ifname string) (n int, ok bool) {
	err := t.ask(func(c *client.Client) error {
		ports, err := c.Ports(cmd.Context())
		for _, p := range ports {
			if p.Interface == ifname && p.Role == model.RoleLink.String() {
				n, ok = int(p.Counters.RxControl), true
			}
		}
		return err
	})
	return n, ok && err == nil
}

// examine returns the reports of the interface in args with the given role, or, if file is set, of all interfaces
// of that configuration.
func examine(look doctor.Source, args []string, file, role string) ([]doctor.Report, error) {
	roles := map[string]model.Role{"link": model.RoleLink, "edge": model.RoleEdge}
	switch {
	case (len(args) == 1) == (file != ""):
		return nil, errors.New("name an interface, or a configuration with --config")
	case roles[role] == 0:
		return nil, fmt.Errorf("--role: %q is not one of link, edge", role)
	case file == "":
		return []doctor.Report{look.Examine(doctor.Alone(args[0], roles[role]))}, nil
	}
	c, err := config.Load(file)
	if err != nil {
		return nil, err
	}
	return look.ExamineConfig(c), nil
}

func writeReports(w io.Writer, reports []doctor.Report) {
	for i, r := range reports {
		if i > 0 {
			fmt.Fprintln(w)
		}
		writeReport(w, &r)
	}
}

// writeReport prints a report for people: the facts, the changes that uelink would make, and the findings.
func writeReport(w io.Writer, r *doctor.Report) {
	if r.Role == doctor.RoleDaemon {
		view.Heading(w, "metrics and page of "+r.Name)
		writeFindings(w, r)
		return
	}
	title := fmt.Sprintf("%s as a port of role %s", r.Name, r.Role)
	if r.Port != "" {
		title = fmt.Sprintf("%s as port %s, role %s", r.Name, r.Port, r.Role)
	}
	view.Heading(w, title)
	if r.Facts != nil {
		writeFacts(w, r.Facts)
		writeGet(w, r)
	}
	writeChanges(w, r)
	writeFindings(w, r)
}

// writeFindings prints the findings of a report with their cures, or that there are none.
func writeFindings(w io.Writer, r *doctor.Report) {
	if len(r.Findings) == 0 {
		fmt.Fprintln(w, "\nNo problem found.")
		return
	}
	fmt.Fprintln(w)
	for _, f := range r.Findings {
		fmt.Fprintf(w, "%-6s %s\n", f.Level, f.What)
		if f.Do != "" {
			fmt.Fprintf(w, "       do: %s\n", f.Do)
		}
	}
}

// writeFacts prints what the kernel and the driver report about an interface.
func writeFacts(w io.Writer, f *doctor.Facts) {
	view.Dotted(w, "driver", fmt.Sprintf("%s, version %s, firmware %s, %s",
		view.OrDash(f.Driver.Name), view.OrDash(f.Driver.Version),
		view.OrDash(f.Driver.Firmware), view.OrDash(f.Driver.Bus)))
	view.Dotted(w, "state, speed", stateAndSpeed(f))
	view.Dotted(w, "RX queues", fmt.Sprint(f.Queues))
	view.Dotted(w, "native XDP", f.Abilities.Native.String())
	view.Dotted(w, "zero copy", f.Abilities.ZeroCopy.String())
	view.Dotted(w, "multi-buffer, with zero copy", fmt.Sprintf("%v, %v", f.Abilities.MultiBuffer,
		f.Abilities.ZeroCopyMultiBuffer))
	view.Dotted(w, "XDP features", view.OrDash(f.Abilities.XDPFeatures))
	view.Dotted(w, "MTU", fmt.Sprint(f.MTU))
}

// stateAndSpeed returns state and speed of an interface in words. Without a carrier it is down.
func stateAndSpeed(f *doctor.Facts) string {
	state, speed := "up", "not known"
	if !f.Up || !f.Carrier {
		state = "down"
	}
	if f.Speed > 0 {
		speed = fmt.Sprintf("%s Mb/s", view.Count(uint64(f.Speed)))
	}
	return state + ", " + speed
}

// writeGet prints what uelinkd would use of an interface: XDP mode, bind mode, queues and memory.
func writeGet(w io.Writer, r *doctor.Report) {
	g := r.Get
	fmt.Fprintln(w, "\nuelink would get")
	bind := g.Bind
	if g.Why != "" {
		bind += ": " + g.Why
	}
	view.Dotted(w, "XDP program", g.XDPMode)
	view.Dotted(w, "frames by", bind)
	leave := g.TxPath
	if g.TxWhy != "" {
		leave += ": " + g.TxWhy
	}
	view.Dotted(w, "large batches leave", leave)
	if g.PushBack != "" {
		view.Dotted(w, "frames wait with the host", strings.TrimSuffix(g.PushBack+": "+g.PushBackWhy, ": "))
	}
	view.Dotted(w, "RX queues with a socket", fmt.Sprintf("%d; frames are sent by TX queue %d", g.Queues, g.TxQueue))
	view.Dotted(w, "MTU, and largest possible MTU", fmt.Sprintf("%d, %d", g.MTU, g.MaxMTU))
	view.Dotted(w, "memory, about", fmt.Sprintf("%.1f MiB", float64(g.Memory)/(1<<20)))
}

func writeChanges(w io.Writer, r *doctor.Report) {
	if len(r.Changes) > 0 {
		fmt.Fprintln(w, "\nuelinkd would make these changes, and undo them at its end")
	}
	for _, c := range r.Changes {
		fmt.Fprintf(w, "  %s\n", c)
	}
}
