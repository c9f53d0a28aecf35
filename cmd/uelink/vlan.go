package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"uelink/client"
	"uelink/cmd/uelink/view"
	"uelink/control/api"
)

// vlanCommand returns the command vlan, with the subcommand of iproute2's "bridge vlan".
func vlanCommand(t *tool) *cobra.Command {
	return showing(
		vlanShowCommand(t, "vlan", "Show the VLANs of the ports of bridges"),
		vlanShowCommand(t, "show", "Show the VLANs"))
}

// vlanShowCommand returns a command under the name use that shows the VLANs of bridge ports.
func vlanShowCommand(t *tool, use, short string) *cobra.Command {
	var q api.VLANQuery
	words := []word{textWord("dev", "PORT", &q.Port), vlanWord("vid", &q.VLAN)}
	cmd := &cobra.Command{
		Use:               use + " [dev PORT] [vid VID]",
		Short:             short,
		Args:              func(_ *cobra.Command, args []string) error { return readWords(args, words) },
		ValidArgsFunction: t.completeWords(0, words),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return t.ask(func(c *client.Client) error {
				ports, err := c.VLANs(cmd.Context(), q)
				if err != nil {
					return err
				}
				if len(ports) > 0 {
					return t.show(cmd, ports, func(w io.Writer) { view.WriteVLANs(w, ports) })
				}
				bridges, err := c.Bridges(cmd.Context())
				if err != nil {
					return err
				}
				return t.show(cmd, ports, func(w io.Writer) { fmt.Fprintln(w, whyNoVLAN(bridges, q)) })
			})
		},
	}
	cmd.Flags().BoolVarP(&q.Compressed, "compressvlans", "c", false, "VLANs that follow each other as a range")
	return watched(cmd)
}

// whyNoVLAN returns in words why the query q, for one port or for all, has found no VLAN.
func whyNoVLAN(bridges []api.Bridge, q api.VLANQuery) string {
	filters := func(b api.Bridge) bool {
		return b.VLANFiltering && (q.Port == "" || slices.Contains(view.PortsOf(b), q.Port))
	}
	switch {
	case len(bridges) == 0:
		return view.NoBridges
	case !slices.ContainsFunc(bridges, filters):
		return "no VLAN: vlan_filtering is off, so frames keep the tags that they come with"
	case q.VLAN != 0:
		return fmt.Sprintf("no port is in VLAN %d", q.VLAN)
	default:
		return "no VLAN is configured"
	}
}
