package main

import (
	"github.com/spf13/cobra"

	"uelink/client"
	"uelink/cmd/uelink/view"
	"uelink/control/api"
)

func dcbxCommand(t *tool) *cobra.Command {
	show := lldpView[api.DCBX]{
		use: "show", short: "Show settings, state and peer of DCBX",
		get: (*client.Client).DCBX, write: view.WriteDCBX, whyNone: view.WhyNoDCBX,
	}.command(t)
	show.ValidArgsFunction = completeDCBX(t)
	return group("dcbx", "Show the exchange of data center bridging (DCBX)", show)
}

// completeDCBX returns the names of ports with DCBX for shell completion.
func completeDCBX(t *tool) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		c := t.client()
		defer c.Close()
		exchanges, _ := c.DCBX(cmd.Context(), "")
		for _, exchange := range exchanges {
			names = append(names, exchange.Port)
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}
