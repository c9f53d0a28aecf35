package main

import (
	"github.com/spf13/cobra"

	"uelink/client"
	"uelink/cmd/uelink/view"
	"uelink/control/api"
)

// hippiCommand returns the commands of links that speak HIPPI-6400-PH.
func hippiCommand(t *tool) *cobra.Command {
	links := hippiLinks()
	return group("hippi", "Show or reset links that speak HIPPI-6400-PH",
		links.command(t, "interface [PORT]", "Show state, partner and traffic of the links", view.WriteHIPPIInterfaces),
		links.command(t, "credits [PORT]", "Show credits and VC buffers of both directions", view.WriteHIPPICredits),
		links.command(t, "events [PORT]", "Show the logged events (HIPPI-6400-PH, table 7) and the counters",
			view.WriteHIPPIEvents),
		hippiAct(t, api.HIPPIReset, "Begin a Link Reset, the way out of Shutdown: frames on their way are lost"),
		hippiAct(t, api.HIPPIInitialize, "Begin an Initialize, which the partner may pass on to other links"),
		hippiAct(t, api.HIPPIClear, "Clear the logged events"),
		group("admin", "Send Admin micropackets, which carry HIPPI-6400-SC", hippiAdminSend(t)))
}

// hippiLinks returns the view of links that speak HIPPI-6400-PH.
func hippiLinks() linkView[api.HIPPIInterface] {
	return linkView[api.HIPPIInterface]{(*client.Client).HIPPI, (*client.Client).HIPPIOf,
		"No link speaks HIPPI-6400-PH: set protocol: hippi6400 of a port in the configuration.\n"}
}

// hippiAct returns the command `uelink hippi COMMAND PORT`, which makes the daemon run a HIPPI-6400-PH command
// (reset, initialize or clear) on a link port.
func hippiAct(t *tool, command, short string) *cobra.Command {
	return &cobra.Command{
		Use:               command + " PORT",
		Short:             short,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: t.completePorts(true),
		RunE: func(cmd *cobra.Command, args []string) error {
			return t.ask(func(c *client.Client) error { return c.CommandHIPPI(cmd.Context(), args[0], command) })
		},
	}
}

// hippiAdminSend returns a command that sends an Admin micropacket.
func hippiAdminSend(t *tool) *cobra.Command {
	vc := 1
	cmd := &cobra.Command{
		Use:   "send PORT HEX",
		Short: "Send an Admin micropacket of up to 32 octets, given in hexadecimal",
		Long: "Send an Admin micropacket of up to 32 octets, given in hexadecimal; missing octets are 0. A command goes on\n" +
			"VC1, a response on VC2. At the other end the event hippi_admin of uelink watch has the octets.",
		Example:           "  uelink hippi admin send link0 --vc 1 c0ffee",
		Args:              cobra.ExactArgs(2),
		ValidArgsFunction: t.completePorts(true),
		RunE: func(cmd *cobra.Command, args []string) error {
			m := api.HIPPIAdmin{VC: vc, Data: args[1]}
			return t.ask(func(c *client.Client) error { return c.SendHIPPIAdmin(cmd.Context(), args[0], m) })
		},
	}
	cmd.Flags().IntVar(&vc, "vc", vc, "virtual channel: 1 for a command, 2 for a response")
	return cmd
}
