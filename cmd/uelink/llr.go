package main

import (
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"uelink/client"
	"uelink/cmd/uelink/view"
	"uelink/control/api"
)

// llrInterfaceCommand returns the command that shows the LLR of links, or waits for a state of them.
func llrInterfaceCommand(t *tool) *cobra.Command {
	var detailed bool
	var wait llrWait
	cmd := &cobra.Command{
		Use:               "interface [PORT]",
		Short:             "Show modes, states and partner of link ports",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: t.completePorts(true),
		RunE: func(cmd *cobra.Command, args []string) error {
			return t.ask(func(c *client.Client) error {
				interfaces, err := wait.until(cmd.Context(), func() ([]api.LLRInterface, error) {
					return list(args,
						func() ([]api.LLRInterface, error) { return c.LLRInterfaces(cmd.Context()) },
						func(port string) (api.LLRInterface, error) { return c.LLRInterface(cmd.Context(), port) })
				})
				if err != nil {
					return err
				}
				return t.show(cmd, interfaces, func(w io.Writer) {
					if detailed {
						view.WriteDetailedInterfaces(w, interfaces)
					} else {
						view.WriteLLRInterfaces(w, interfaces)
					}
				})
			})
		},
	}
	cmd.Flags().BoolVar(&detailed, "detailed", false, "show also the loop time (round trip) and the limits in force")
	wait.bind(cmd)
	return watched(cmd)
}

// llrModeCommand returns a command that switches LLR on or off in one direction of a port, by calling set.
func llrModeCommand(t *tool, use, short string, set func(*client.Client, context.Context, string,
	bool) error) *cobra.Command {
	verb := func(use string, on bool) *cobra.Command {
		return &cobra.Command{
			Use: use + " PORT",
			Short: strings.ToUpper(use[:1]) + use[1:] +
				" LLR on a link port in this direction (local: receive, remote: send)",
			Args:              cobra.ExactArgs(1),
			ValidArgsFunction: t.completePorts(true),
			RunE: func(cmd *cobra.Command, args []string) error {
				return t.ask(func(c *client.Client) error { return unsaved(cmd, set(c, cmd.Context(), args[0], on)) })
			},
		}
	}
	return group(use, short, verb("enable", true), verb("disable", false))
}

// llrReinitCommand returns the command that initialises a link again after a FLUSH.
func llrReinitCommand(t *tool) *cobra.Command {
	return &cobra.Command{
		Use:               "reinit PORT",
		Short:             "Initialise a link again: the way out of FLUSH; the frames that it holds are dropped",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: t.completePorts(true),
		RunE: func(cmd *cobra.Command, args []string) error {
			return t.ask(func(c *client.Client) error { return c.ReinitLLR(cmd.Context(), args[0]) })
		},
	}
}
