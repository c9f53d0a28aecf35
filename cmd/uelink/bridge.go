package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"uelink/client"
	"uelink/control/api"
	"uelink/internal/table"
)

func bridgeCommand(t *tool) *cobra.Command {
	return showing(bridgeShowCommand(t, "bridge [BRIDGE]", "Show the bridges, or one with its ports"),
		bridgeShowCommand(t, "show [BRIDGE]", "The same"))
}

// showing returns cmd, a command that shows state without a subcommand, after adding the subcommands show (which
// does the same) and others.
func showing(cmd, show *cobra.Command, others ...*cobra.Command) *cobra.Command {
	show.Aliases = []string{"list"}
	cmd.AddCommand(show)
	cmd.AddCommand(others...)
	cmd.SuggestionsMinimumDistance = 2
	own := cmd.Args
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		err := own(cmd, args)
		if err == nil {
			return nil
		}
		if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
			return fmt.Errorf("unknown command %q for %q: did you mean %q?", args[0], cmd.CommandPath(), near[0])
		}
		return err
	}
	return cmd
}

func bridgeShowCommand(t *tool, use, short string) *cobra.Command {
	return watched(&cobra.Command{
		Use:   use,
		Short: short,
		Args:  cobra.MaximumNArgs(1),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return t.names(cmd, "BRIDGE"), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return t.ask(func(c *client.Client) error {
				bridges, err := list(args,
					func() ([]api.Bridge, error) { return c.Bridges(cmd.Context()) },
					func(name string) (api.Bridge, error) { return c.Bridge(cmd.Context(), name) })
				if err != nil {
					return err
				}
				return t.show(cmd, bridges, func(w io.Writer) {
					if len(args) == 0 {
						writeBridges(w, bridges)
					} else {
						writeBridge(w, bridges[0])
					}
				})
			})
		},
	})
}

const noBridges = "no bridge is configured: add one to bridges in the configuration"

func writeBridges(w io.Writer, bridges []api.Bridge) {
	if len(bridges) == 0 {
		fmt.Fprintln(w, noBridges)
		return
	}
	t := table.Table{Titles: []string{
		"Bridge", "VLAN filtering", ">Ageing time", ">Entries", ">Max entries", "Loop guard", "Reserved", "Ports",
	}}
	for _, b := range bridges {
		t.Add(b.Name, onOff(b.VLANFiltering), ageing(b.AgeingTime), text(uint64(b.Entries)), text(uint64(b.MaxEntries)),
			b.LoopGuard, b.Reserved, portsText(b))
	}
	writeTable(w, &t)
}

// portsText returns the names of a bridge's ports, each port that does not forward with its state.
func portsText(b api.Bridge) string {
	names := portsOf(b)
	for i, p := range b.Ports {
		if p.State != api.BridgePortForwarding {
			names[i] += " (" + p.State + ")"
		}
	}
	return orDash(strings.Join(names, ", "))
}

// ageing returns an ageing time of seconds in words; 0 is "never".
func ageing(seconds float64) string {
	if seconds == 0 {
		return "never"
	}
	return time.Duration(seconds * float64(time.Second)).String()
}

func writeBridge(w io.Writer, b api.Bridge) {
	details(w, "Bridge "+b.Name, b)
	fmt.Fprintln(w)
	t := table.Table{Titles: []string{
		"Port", "State", ">PVID", "Learning", "Isolated", ">Broadcast/s", ">Unknown unicast/s", ">Multicast/s",
	}}
	for _, p := range b.Ports {
		t.Add(p.Port, p.State, pvid(b, p), onOff(p.Learning), onOff(p.Isolated),
			limit(p.BroadcastLimit), limit(p.UnknownUnicastLimit), limit(p.MulticastLimit))
	}
	writeTable(w, &t)
	for _, p := range b.Ports {
		fmt.Fprintf(w, "\n[counters of %s]\n", p.Port)
		writeFields(w, p.Counters)
	}
}

func pvid(b api.Bridge, p api.BridgePort) string {
	if !b.VLANFiltering || p.PVID == 0 {
		return "-"
	}
	return fmt.Sprint(p.PVID)
}

// limit returns the text of a rate limit in frames a second; 0, no limit, is "-".
func limit(n uint32) string {
	if n == 0 {
		return "-"
	}
	return count(uint64(n))
}

// isBridge reports whether name is the name of one of the bridges.
func isBridge(bridges []api.Bridge, name string) bool {
	return slices.ContainsFunc(bridges, func(b api.Bridge) bool { return b.Name == name })
}
