package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"uelink/client"
)

// SONiC's first words: show, config and sonic-clear lead to the commands of uelink llr.

// showCommand returns SONiC's `show llr …`.
func showCommand(t *tool) *cobra.Command {
	return group("show", "Show LLR in SONiC's words: show llr interface, profile, counters",
		group("llr", "Show link layer retry", llrInterfaceCommand(t), llrProfileCommand(t), llrCountersCommand(t)))
}

// sonicClearCommand returns SONiC's `sonic-clear llr counters [interface] [PORT]`.
func sonicClearCommand(t *tool) *cobra.Command {
	counters, port := clearCommand(t), clearCommand(t)
	counters.Use, port.Use, port.Args = "counters [PORT]", "interface PORT", cobra.ExactArgs(1)
	counters.AddCommand(port)
	return group("sonic-clear", "Set counters to 0 in SONiC's words: sonic-clear llr counters",
		group("llr", "Set the counters of link layer retry to 0", counters))
}

// configLLRCommand returns SONiC's `config llr interface …`.
func configLLRCommand(t *tool) *cobra.Command {
	return group("llr", "Set LLR in SONiC's words: config llr interface mode, local, remote",
		group("interface", "Set LLR of a link port", configModeCommand(t),
			configDirectionCommand(t, "local", "Set whether received frames have LLR", (*client.Client).SetLLRLocal),
			configDirectionCommand(t, "remote", "Set whether sent frames have LLR", (*client.Client).SetLLRRemote)))
}

// configDirectionCommand returns a command that switches LLR on or off in one direction of a port, by calling set. A
// later draft of SONiC's design names the command with -state at the end.
func configDirectionCommand(t *tool, use, short string, set func(*client.Client, context.Context, string,
	bool) error) *cobra.Command {
	return &cobra.Command{
		Use: use + " PORT enabled|disabled", Aliases: []string{use + "-state"}, Short: short,
		Args: portAnd("enabled", "disabled"), ValidArgsFunction: completePortAnd(t, "enabled", "disabled"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return t.ask(func(c *client.Client) error {
				return unsaved(cmd, set(c, cmd.Context(), args[0], args[1] == "enabled"))
			})
		},
	}
}

// configModeCommand returns the command that sets the mode of LLR of a port in the configuration file.
func configModeCommand(t *tool) *cobra.Command {
	return &cobra.Command{
		Use: "mode PORT static|dynamic|off", Short: "Set the mode of LLR in the configuration file",
		Args: portAnd("static", "dynamic", "off"), ValidArgsFunction: completePortAnd(t, "static", "dynamic", "off"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return t.ask(func(c *client.Client) error {
				p, err := c.LLRInterface(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				configuration, err := c.Configuration(cmd.Context())
				if err != nil {
					return err
				}
				return setKey(t, cmd, configuration.File, "ports."+p.Port+".llr.mode", args[1])
			})
		},
	}
}

// portAnd returns a check of arguments: a port, and then one of words.
func portAnd(words ...string) cobra.PositionalArgs {
	return cobra.MatchAll(cobra.ExactArgs(2), func(_ *cobra.Command, args []string) error {
		if !slices.Contains(words, args[1]) {
			return fmt.Errorf("%q: one of %s is wanted", args[1], strings.Join(words, ", "))
		}
		return nil
	})
}

// completePortAnd returns a shell completion of the name of a link port, and then of words.
func completePortAnd(t *tool, words ...string) cobra.CompletionFunc {
	ports := t.completePorts(true)
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(args) == 1 {
			return words, cobra.ShellCompDirectiveNoFileComp
		}
		return ports(cmd, args, typed)
	}
}
